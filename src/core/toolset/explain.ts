import type { NoticeCode } from "../codes/codes.ts";
import { formatOrigin } from "../codes/origin.ts";
import { GATE_NAMES, type GateName } from "../gates/gates.ts";
import type { Placement, Standing, Toolset, TraceLine } from "./toolset.ts";

/** The whole answer to "why is this tool missing?" for one tool. */
export interface Explanation {
  readonly identity: string;
  readonly id: string;
  readonly wireName: string;
  readonly source: string;
  readonly standing: Standing;
  /** Every line of every gate that did not pass it. */
  readonly reasons: readonly TraceLine[];
  /** The budget only considers tools that no gate hides. */
  readonly passed: readonly GateName[];
  /** What to change to see it; all of it, because one remaining reason keeps it hidden. */
  readonly fixes: readonly string[];
}

export type Answer =
  | { readonly kind: "found"; readonly explanations: readonly Explanation[] }
  | { readonly kind: "pending"; readonly server: string }
  | {
      readonly kind: "unknown";
      readonly nearest: readonly string[];
      /** Why it is absent, if known: a module that failed, a skill that is switched off. */
      readonly because?: string;
    };

/** Explains what a name means: one tool, or each tool of a toolset, server or pattern. */
export function explain(toolset: Toolset, name: string): Answer {
  const resolution = toolset.scene.resolver.resolve(name);
  if (resolution.kind === "unknown") {
    const because = findAbsence(toolset, name);
    const nearest = toolset.scene.resolver.nearest(name);
    return { kind: "unknown", nearest, ...(because === null ? {} : { because }) };
  }
  if (resolution.kind === "pending") return resolution;
  const wanted = new Set(resolution.meaning.entries);
  const explanations = toolset.placements.filter(({ entry }) => wanted.has(entry)).map(toExplanation);
  return explanations.length === 0 ? { kind: "unknown", nearest: [] } : { kind: "found", explanations };
}

/** Notices that say why something is not in the catalog name what it would have been. */
const TELLING: ReadonlySet<NoticeCode> = new Set([
  "extension.invalid",
  "module.export-missing",
  "module.failed",
  "module.invalid-use",
  "module.not-a-tool",
  "module.not-found",
  "skill.invalid",
  "skill.invalid-tool",
  "tool.name-mismatch",
]);

function findAbsence({ leftOut = [], notices }: Toolset, name: string): string | null {
  const left = leftOut.find(({ names, server }) => names.includes(name) || (server && isOf(server, name)));
  if (left !== undefined) return left.text;
  const notice = notices.find(({ code, names }) => TELLING.has(code) && names.includes(name));
  return notice === undefined ? null : `${notice.text} (${formatOrigin(notice.origin)})`;
}

function isOf(server: string, name: string): boolean {
  const fronts = [server, `mcp__${server}`];
  return fronts.some((front) => name === front || name.startsWith(`${front}/`) || name.startsWith(`${front}__`));
}

function toExplanation({ entry, standing, trace }: Placement): Explanation {
  const stopped = new Set(trace.map(({ gate }) => gate));
  return {
    identity: entry.identity,
    id: entry.id,
    wireName: entry.wireName,
    source: entry.tool.source,
    standing,
    reasons: trace,
    passed: GATE_NAMES.filter((gate) => !stopped.has(gate) && (gate !== "budget" || standing !== "hidden")),
    fixes: [...new Set(trace.map(({ reason }) => reason.fix))],
  };
}
