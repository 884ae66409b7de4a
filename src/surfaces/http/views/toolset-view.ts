import type { Entry } from "../../../core/catalog/entry.ts";
import { GATE_NAMES } from "../../../core/gates/gates.ts";
import { DEFAULT_CONTEXT_WINDOW } from "../../../core/scene/scene.ts";
import { diffToolsets } from "../../../core/toolset/diff-toolsets.ts";
import type { Explanation } from "../../../core/toolset/explain.ts";
import type { Placement, Standing, Toolset } from "../../../core/toolset/toolset.ts";
import { findExplanations, toExplanationRow } from "../../../runtime/report/explanation-rows.ts";
import { type AnsweredQuestion, toNoticeRow, toToolRow, toTraceRow } from "../../../runtime/report/toolset-rows.ts";
import { shippedRequests } from "../../../system/shipped-requests.ts";
import { revealText } from "../../../system/text/reveal-text.ts";
import type { WrittenRequests } from "../../../system/written-requests.ts";
import type { ChangedStanding, ReasonView, ToolsetView, ToolView, WhyTool, WhyView } from "../api/api.ts";
import type { AnsweredScene } from "./scene-query.ts";

/** Like `list --json`, with the gates that pass. */
export function toToolsetView({ toolset, notices }: AnsweredQuestion): ToolsetView {
  const tokens = { visible: 0, deferred: 0, hidden: 0 } satisfies Record<Standing, number>;
  for (const { entry, standing } of toolset.placements) tokens[standing] += entry.tokens;
  return {
    catalogHash: toolset.catalog.hash,
    gates: GATE_NAMES,
    tools: toolset.placements.map(toToolView),
    tokens,
    contextWindow: toolset.scene.model?.contextWindow ?? DEFAULT_CONTEXT_WINDOW,
    notices: notices.map(toNoticeRow),
  };
}

/** Tools whose standing differs, and the gates that made the difference. */
export function toChangedStandings(before: Toolset, after: Toolset): readonly ChangedStanding[] {
  return diffToolsets(before, after)
    .filter((change) => change.before !== change.after)
    .map(({ wireName, before: was, after: is, gained, lost }) => ({
      name: wireName,
      before: was,
      after: is,
      gates: [...new Set([...gained, ...lost].map(({ gate }) => gate))],
    }));
}

/** Like `why --json`, with the definitions. */
export function toWhyView(
  { toolset, sources, notices }: AnsweredScene,
  name: string,
  written: WrittenRequests,
): WhyView & Pick<ToolsetView, "notices"> {
  const tools = findExplanations({ ...toolset, notices }, name, sources).map((explanation) =>
    toWhyTool(toolset, explanation, written),
  );
  return { query: name, tools, notices: notices.map(toNoticeRow) };
}

function toToolView(placement: Placement): ToolView {
  const { tool } = placement.entry;
  return {
    ...toToolRow(placement),
    shown: revealText(placement.entry.identity),
    title: tool.title === null ? null : revealText(tool.title),
    description: revealText(tool.description),
    trace: toFullTrace(placement),
  };
}

/** The budget applies only to tools that no gate hides. */
function toFullTrace({ trace, standing }: Placement): readonly ReasonView[] {
  return GATE_NAMES.flatMap((gate): readonly ReasonView[] => {
    const own = trace.filter((line) => line.gate === gate);
    if (own.length > 0) return own.map(toTraceRow);
    return gate === "budget" && standing === "hidden" ? [] : [PASSED[gate]];
  });
}

/** Most verdicts pass; one row per gate serves all tools. */
const PASSED = Object.fromEntries(
  GATE_NAMES.map((gate) => [gate, { gate, verdict: "pass", code: null, text: null, origin: null }]),
) as Record<(typeof GATE_NAMES)[number], ReasonView>; // `fromEntries` forgets which keys it was given.

function toWhyTool(toolset: Toolset, explanation: Explanation, written: WrittenRequests): WhyTool {
  const { identity, wireName } = explanation;
  const placement = toolset.placements.find(({ entry }) => entry.identity === identity && entry.wireName === wireName);
  const tool = placement?.entry.tool;
  return {
    ...toExplanationRow(explanation),
    shown: revealText(identity),
    server: tool?.server ?? null,
    title: tool?.title ? revealText(tool.title) : null,
    description: revealText(tool?.description ?? ""),
    inputSchema: tool?.inputSchema ?? null,
    requests: placement === undefined ? [] : listRequests(placement.entry, toolset, written),
  };
}

/** A server's tools are looked up together among the shipped requests. */
function listRequests(entry: Entry, { catalog }: Toolset, written: WrittenRequests): WhyTool["requests"] {
  const { tool, signature } = entry;
  const siblings = catalog.entries.map((other) => other.tool).filter(({ server }) => server === tool.server);
  const model = written.get(signature);
  const lists = [
    { by: "the tool", texts: tool.examples, isWritten: false },
    { by: "Toolcrib", texts: shippedRequests().match(siblings).get(tool) ?? [], isWritten: false },
    { by: model?.model ?? "", texts: model?.requests ?? [], isWritten: true },
  ];
  return lists.flatMap(({ by, texts, isWritten }) =>
    texts.map((text) => ({ text: revealText(text), by: revealText(by), isWritten })),
  );
}
