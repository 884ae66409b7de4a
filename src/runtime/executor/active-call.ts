import type { Call } from "../../core/call/call.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import type { Request } from "../requests/request.ts";
import { type CallState, hasStarted } from "./call-state.ts";
import { type Cancellation, cancelled } from "./cancellation.ts";
import type { TakenCall } from "./ports.ts";
import type { Behind } from "./run-tool.ts";
import type { CallSlot } from "./scheduler.ts";
import type { Confirmation } from "./stream.ts";

/** A call in progress. */
export interface ActiveCall {
  readonly call: Call;
  readonly request: Request;
  readonly cancellation: Cancellation;
  readonly confirmation: Confirmation;
  /** Null for a call that runs in the slot of its parent call, and for a client's call until it is allowed. */
  slot: CallSlot | null;
  /** It runs in the slot of the call that made it. */
  readonly inParentSlot: boolean;
  /** How deeply it is nested in other calls. */
  readonly depth: number;
  readonly timeout: number | null;
  /** Maximum bytes of its result; if null, as many as a model gets at once. */
  readonly resultBytes: number | null;
  readonly behind: Behind | null;
  /** Calls that run in its slot and have not ended; null if there were none. */
  inner: Set<Promise<void>> | null;
  /** Counted against the caller's limits; null until then, or if there are none. */
  taken: TakenCall | null;
  /** Called when its slot is free. */
  readonly onLeave: () => void;
  state: CallState;
  /** Milliseconds in its source; null until that is over. */
  ran: number | null;
}

/** The result of a cancelled call. */
export function givenUp({ cancellation, state }: ActiveCall): ToolResult {
  return cancelled(cancellation.by ?? "user", hasStarted(state));
}
