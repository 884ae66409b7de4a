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
  /** In payload order: the catalog, then `tool_search` while something stands behind it, then promoted tools. */
  readonly placements: readonly Placement[];
  readonly sets: readonly SetState[];
  readonly notices: readonly Notice[];
  /** The gates' lines for each entry, before the budget; what a rebuild reuses. */
  readonly judged: ReadonlyMap<Entry, readonly TraceLine[]>;
  /** What is configured and not in the catalog, where a session knows of it. */
  readonly leftOut?: readonly LeftOut[];
  /** What `tool_search` says of itself, where a session keeps that the same from toolset to toolset. */
  readonly searchText?: (toolset: Toolset) => string;
}

/** Tools that somebody took away before any gate could judge them, under every name they may be asked for by. */
export interface LeftOut {
  readonly names: readonly string[];
  /** The server whose tools they are, of which nobody knows what it would list. */
  readonly server?: string;
  /** Who did it and how to undo it, in one sentence without a full stop. */
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
