import { DEFAULT_MODEL } from "../models/model-route.ts";
import type { Live, ModelUsage } from "../state/live.ts";
import { type Json, numberOf, recordOf, textOf } from "../wire/wire-values.ts";

/** Counts a request, by what `assistant.usage` says of it. */
export function noteUsage({ usage }: Live, { model, inputTokens, outputTokens, cacheReadTokens, cost }: Json): void {
  const name = textOf(model) ?? DEFAULT_MODEL;
  const known = usage.models.get(name) ?? { requests: 0, cost: 0, input: 0, output: 0, cached: 0 };
  usage.last = { input: numberOf(inputTokens) ?? 0, output: numberOf(outputTokens) ?? 0 };
  usage.models.set(name, {
    requests: known.requests + 1,
    cost: known.cost + (numberOf(cost) ?? 0),
    input: known.input + usage.last.input,
    output: known.output + usage.last.output,
    cached: known.cached + (numberOf(cacheReadTokens) ?? 0),
  });
}

export function toMetrics(live: Live): Json {
  const { models, last, apiTime } = live.usage;
  const sum = (field: keyof ModelUsage): number => [...models.values()].reduce((all, one) => all + one[field], 0);
  return {
    sessionStartTime: new Date(live.startTime).toISOString(),
    totalPremiumRequests: 0,
    totalPremiumRequestCost: 0,
    totalUserRequests: live.turns,
    totalApiDurationMs: Math.ceil(apiTime),
    totalInputTokens: sum("input"),
    totalOutputTokens: sum("output"),
    totalRequests: sum("requests"),
    lastCallInputTokens: last.input,
    lastCallOutputTokens: last.output,
    currentModel: live.model ?? DEFAULT_MODEL,
    codeChanges: codeChangesOf(live),
    modelMetrics: Object.fromEntries(
      [...models].map(([name, { requests, cost, input, output, cached }]) => [
        name,
        {
          requests: { count: requests, cost },
          usage: { inputTokens: input, outputTokens: output, cacheReadTokens: cached, cacheWriteTokens: 0 },
        },
      ]),
    ),
  };
}

/** What calls that succeeded have written into files, by their arguments. */
function codeChangesOf({ log }: Live): Json {
  const done = new Set(
    log.flatMap(({ type, data }) => (type === "tool.execution_complete" && data.success ? [data.toolCallId] : [])),
  );
  const files = new Set<string>();
  let [linesAdded, linesRemoved] = [0, 0];
  for (const { type, data } of log) {
    if (type !== "tool.execution_start" || !WRITERS.has(data.toolName) || !done.has(data.toolCallId)) continue;
    const { path, file_text, old_str, new_str } = recordOf(data.arguments);
    if (textOf(path) !== undefined) files.add(String(path));
    linesAdded += linesIn(file_text) + linesIn(new_str);
    linesRemoved += linesIn(old_str);
  }
  return { linesAdded, linesRemoved, filesModifiedCount: files.size, filesModified: [...files] };
}

const WRITERS: ReadonlySet<unknown> = new Set(["create", "edit"]);

function linesIn(text: unknown): number {
  return typeof text === "string" && text !== "" ? text.replace(/\n$/, "").split("\n").length : 0;
}
