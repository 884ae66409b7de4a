import { nearestNames } from "../../core/codes/nearest-name.ts";
import type { Reason } from "../../core/codes/reason.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { Placement, Toolset } from "../../core/toolset/toolset.ts";
import type { Source } from "../../sources/source.ts";

/** What a called name resolves to, before the call itself is judged. */
export type Found =
  | { readonly kind: "found"; readonly placement: Placement; readonly tool: Tool; readonly source: Source }
  /**
   * The name was never advertised in this request; with the closest names that were. `server` is for programs, which
   * may see the configuration: the server that has not listed any tools yet.
   */
  | { readonly kind: "unknown"; readonly nearest: readonly string[]; readonly server?: string }
  /** A search must load it first. */
  | { readonly kind: "deferred"; readonly placement: Placement }
  /** It existed when the request began and is gone. */
  | { readonly kind: "tool_gone" }
  /** Its definition is not the advertised one or, with reasons, not the approved one. */
  | { readonly kind: "tool_changed"; readonly held?: readonly Reason[] }
  /** A rule, policy or filter has hidden it since. */
  | { readonly kind: "hidden"; readonly reasons: readonly Reason[] };

/** One model request: its toolset never changes, but narrowing applies to its calls at once. */
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

/** A model that may not see a tool for another reason must not learn about it through its change (P3). */
function isClosedByTrustAlone({ trace }: Placement): boolean {
  return trace.every(({ gate }) => gate === "trust");
}

/** The tool of that name and identity; one with the same name from elsewhere is another tool. */
function findNow({ placements }: Toolset, { entry }: Placement): Placement | undefined {
  const same = placements.filter(
    (other) =>
      other.entry.wireName === entry.wireName &&
      other.entry.tool.source === entry.tool.source &&
      other.entry.tool.owner?.kind === entry.tool.owner?.kind &&
      other.entry.tool.owner?.name === entry.tool.owner?.name &&
      other.entry.identity === entry.identity,
  );
  return same.find(({ standing }) => standing !== "hidden") ?? same[0];
}
