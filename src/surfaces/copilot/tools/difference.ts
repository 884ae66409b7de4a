import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { BuiltinResult } from "../../../sources/builtin/parts/outcome.ts";
import type { RunContext } from "../../../sources/source.ts";
import type { Live } from "../state/live.ts";
import type { Json } from "../wire/wire-values.ts";

/** How one built-in tool differs for these clients from ours. */
export interface Difference {
  /** Arguments of ours that are called otherwise: theirs by ours. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Further or other arguments, as JSON Schema. */
  readonly properties?: (live: Live) => Json;
  readonly required?: readonly string[];
  /** Arguments of ours that they do not have. */
  readonly without?: readonly string[];
  readonly toArgs?: (args: Json, live: Live) => Json;
  readonly toResult?: (result: BuiltinResult, called: Called) => ToolResult | Promise<ToolResult>;
}

export interface Called {
  readonly args: Json;
  readonly live: Live;
  readonly context: RunContext;
}
