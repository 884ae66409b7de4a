import type { Host } from "../../host.ts";
import type { RunContext } from "../../source.ts";
import type { BuiltinResult } from "./outcome.ts";

/** Runs one built-in tool. Arguments fit the tool's schema; what safety rests on is checked again. */
export type BuiltinHandler = (
  args: Readonly<Record<string, unknown>>,
  run: RunContext,
  host: Host,
) => Promise<BuiltinResult>;

/**
 * The handlers of one group of built-ins, by tool name, with whatever they keep between calls. A source makes one of
 * each, on the first call of a tool in it.
 */
export interface BuiltinFamily {
  readonly handlers: Pick<ReadonlyMap<string, BuiltinHandler>, "get">;
  /** Ends what was kept between calls; the source has ended the calls themselves before. Twice is fine. */
  close(): Promise<void>;
}
