import { nearestNames } from "../../core/codes/nearest-name.ts";
import type { Reason } from "../../core/codes/reason.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { Placement, Toolset } from "../../core/toolset/toolset.ts";
import type { Source } from "../../sources/source.ts";

/** What a call of a name comes to, before anything is decided about the call itself. */
export type Found =
  | { readonly kind: "found"; readonly placement: Placement; readonly tool: Tool; readonly source: Source }
  /**
   * The name was never advertised in this request; those that were and are near to it. For programs, which may know
   * what is configured: the server that has not listed any tools yet.
   */
  | { readonly kind: "unknown"; readonly nearest: readonly string[]; readonly server?: string }
  /** A search must load it first. */
  | { readonly kind: "deferred"; readonly placement: Placement }
  /** It was there when the request began and is no more. */
  | { readonly kind: "tool_gone" }
  /** Its definition is not the one that was advertised, or, with reasons, not the one that somebody approved. */
  | { readonly kind: "tool_changed"; readonly held?: readonly Reason[] }
  /** A rule, policy or filter hides it since. */
  | { readonly kind: "hidden"; readonly reasons: readonly Reason[] };

/** One model request: the toolset it was sent with never changes, and narrowing reaches its calls at once. */
export interface Request {
  readonly toolset: Toolset;
  find(wireName: string): Found;
}

export function createRequest(
  toolset: Toolset,
  latest: () => Toolset,
  sourceOf: (tool: Tool) => Source | undefined,
): Request {
  const advertised = new Map(
    toolset.placements
      .filter(({ standing }) => standing !== "hidden")
      .map((placement) => [placement.entry.wireName, placement]),
  );
  return {
    toolset,
    find(wireName) {
      const placement = advertised.get(wireName);
      if (placement === undefined) {
        const held = toolset.placements.find(({ entry }) => entry.wireName === wireName);
        if (held !== undefined && isChanged(held) && isClosedByTrustAlone(held))
          return { kind: "tool_changed", held: toReasons(held) };
        return { kind: "unknown", nearest: nearestNames(wireName, advertised.keys()) };
      }
      const { entry } = placement;
      const current = latest();
      const now = current === toolset ? placement : findNow(current, placement);
      if (now === undefined) return { kind: "tool_gone" };
      if (isChanged(now)) return { kind: "tool_changed", held: toReasons(now) };
      if (now.entry.signature !== entry.signature) return { kind: "tool_changed" };
      if (now.standing === "hidden") return { kind: "hidden", reasons: toReasons(now) };
      if (placement.standing === "deferred") return { kind: "deferred", placement };
      const source = sourceOf(now.entry.tool);
      return source === undefined ? { kind: "tool_gone" } : { kind: "found", placement, tool: now.entry.tool, source };
    },
  };
}

function toReasons({ trace }: Placement): readonly Reason[] {
  return trace.map(({ reason }) => reason);
}

function isChanged({ standing, trace }: Placement): boolean {
  return standing === "hidden" && trace.some(({ reason }) => reason.code === "trust.changed");
}

/** Whoever may not know of a tool for another reason must not learn of it by its change (P3). */
function isClosedByTrustAlone({ trace }: Placement): boolean {
  return trace.every(({ gate }) => gate === "trust");
}

/** The tool of that name and identity; a namesake from elsewhere is another tool. */
function findNow({ placements }: Toolset, { entry }: Placement): Placement | undefined {
  const same = placements.filter(
    (other) =>
      other.entry.wireName === entry.wireName &&
      other.entry.tool.source === entry.tool.source &&
      other.entry.identity === entry.identity,
  );
  return same.find(({ standing }) => standing !== "hidden") ?? same[0];
}
