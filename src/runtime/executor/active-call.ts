import type { Call } from "../../core/call/call.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import type { Request } from "../requests/request.ts";
import { type CallState, hasStarted } from "./call-state.ts";
import { type Cancellation, cancelled } from "./cancellation.ts";
import type { Behind } from "./run-tool.ts";
import type { CallSlot } from "./scheduler.ts";
import type { Confirmation } from "./stream.ts";

/** One call on its way. */
export interface ActiveCall {
  readonly call: Call;
  readonly request: Request;
  readonly cancellation: Cancellation;
  readonly confirmation: Confirmation;
  /** Null for a call that runs in the place of the call that made it, and for a client's until it is allowed. */
  slot: CallSlot | null;
  /** It runs in the place of the call that made it. */
  readonly inPlace: boolean;
  /** How many calls it was made inside of. */
  readonly depth: number;
  readonly timeout: number | null;
  /** Bytes that its result may have; as many as a model gets at once if null. */
  readonly resultBytes: number | null;
  readonly behind: Behind | null;
  /** Calls that run in its place and have not left it; null while there was none. */
  inner: Set<Promise<void>> | null;
  /** Its place is free now. */
  readonly onLeave: () => void;
  state: CallState;
  /** Milliseconds in its source; null until that is over. */
  ran: number | null;
}

/** The result of a call that somebody cancelled. */
export function givenUp({ cancellation, state }: ActiveCall): ToolResult {
  return cancelled(cancellation.by ?? "user", hasStarted(state));
}
