import type { Catalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import type { Notice, Reason } from "../codes/reason.ts";
import type { GateName } from "../gates/gates.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";

export type Standing = "visible" | "deferred" | "hidden";

/** One reason of one gate; gates without a line passed the tool. */
export interface TraceLine {
  readonly gate: GateName;
  readonly verdict: "hide" | "defer";
  readonly reason: Reason;
}

export interface Placement {
  readonly entry: Entry;
  readonly standing: Standing;
  readonly trace: readonly TraceLine[];
}

/** What one run may see, search and call: every tool of one catalog, placed for one scene. */
export interface Toolset {
  readonly catalog: Catalog;
  readonly scene: ResolvedScene;
  /** In payload order: the catalog, then `tool_search` if it has anything to find, then promoted tools. */
  readonly placements: readonly Placement[];
  readonly sets: readonly SetState[];
  readonly notices: readonly Notice[];
  /** The gates' lines before the budget, for each entry of the catalog in its order; reused by a rebuild. */
  readonly judged: readonly (readonly TraceLine[])[];
  /** What is configured but not in the catalog, if a session knows of it. */
  readonly leftOut?: readonly LeftOut[];
  /** The description of `tool_search`, if a session keeps it stable between toolsets. */
  readonly searchText?: (toolset: Toolset) => string;
}

/** Tools removed before any gate could judge them, under every name they may be asked for by. */
export interface LeftOut {
  readonly names: readonly string[];
  /** The server whose tools they are, if its list is unknown. */
  readonly server?: string;
  /** Who removed them and how to undo it, in one sentence without a full stop. */
  readonly text: string;
}

export interface SetState {
  readonly name: string;
  /** It has known members and none of them is hidden. */
  readonly enabled: boolean;
}

/** The strictest line decides. */
export function toStanding(trace: readonly TraceLine[]): Standing {
  let standing: Standing = "visible";
  for (const { verdict } of trace) {
    if (verdict === "hide") return "hidden";
    standing = "deferred";
  }
  return standing;
}
