import type { Host } from "../../host.ts";
import type { RunContext } from "../../source.ts";
import type { BuiltinResult } from "./outcome.ts";

/** Runs one built-in tool. Arguments fit the tool's schema; security checks do not rely on that. */
export type BuiltinHandler = (
  args: Readonly<Record<string, unknown>>,
  run: RunContext,
  host: Host,
) => Promise<BuiltinResult>;

/** The failure that a call is bound to have, found without doing anything; null if it may succeed. */
type Foresight = (...call: Parameters<BuiltinHandler>) => Promise<BuiltinResult | null>;

/**
 * The handlers of one group of built-ins, by tool name, with the state that they keep between calls. A source makes one
 * of each, on the first call of one of its tools.
 */
export interface BuiltinFamily {
  readonly handlers: Pick<ReadonlyMap<string, BuiltinHandler>, "get">;
  /** Of those tools whose failure can be foreseen. */
  readonly foresights?: Pick<ReadonlyMap<string, Foresight>, "get">;
  /** Releases that state; the source has already ended the calls. Twice is fine. */
  close(): Promise<void>;
}
