import { guessTokens } from "../../../core/agent/compaction.ts";
import type { HistoryMessage } from "../../../core/call/message.ts";
import { serverOf } from "../../../core/tool/tool.ts";
import { toChangedLines } from "../../../runtime/report/file-change.ts";
import { limitsOf, modelName, sizeOf, sumUsage } from "../models/model-state.ts";
import { changedFiles } from "../permissions/changed-files.ts";
import type { EventLog } from "../state/event-log.ts";
import type { SessionCore } from "../state/session-core.ts";
import { type Json, recordOf } from "../wire/wire-values.ts";
import { checkpointsOf } from "./checkpoints.ts";
import { contextWindowOf, type EventParts } from "./deliver.ts";

/** What a session has used so far. */
export function toMetrics({ core, events, models }: EventParts): Json {
  const { last, apiTime, turns } = models.usage;
  return {
    sessionStartTime: new Date(core.startTime).toISOString(),
    totalPremiumRequests: 0,
    totalPremiumRequestCost: 0,
    totalUserRequests: turns,
    totalApiDurationMs: Math.ceil(apiTime),
    totalInputTokens: sumUsage(models, "input"),
    totalOutputTokens: sumUsage(models, "output"),
    totalRequests: sumUsage(models, "requests"),
    lastCallInputTokens: last.input,
    lastCallOutputTokens: last.output,
    currentModel: modelName(models),
    codeChanges: codeChangesOf(events),
    modelMetrics: Object.fromEntries(
      [...models.usage.models].map(([name, { requests, cost, input, output, cached }]) => [
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
function codeChangesOf({ log }: EventLog): Json {
  const done = new Set(
    log.flatMap(({ type, data }) => (type === "tool.execution_complete" && data.success ? [data.toolCallId] : [])),
  );
  const files = new Set<string>();
  let [linesAdded, linesRemoved] = [0, 0];
  for (const { type, data } of log) {
    if (type !== "tool.execution_start" || !WRITERS.has(data.toolName) || !done.has(data.toolCallId)) continue;
    const args = recordOf(data.arguments);
    const lines = toChangedLines(args);
    for (const path of changedFiles(args)) files.add(path);
    linesAdded += lines.filter(({ mark }) => mark === "+").length;
    linesRemoved += lines.filter(({ mark }) => mark === "-").length;
  }
  return { linesAdded, linesRemoved, filesModifiedCount: files.size, filesModified: [...files] };
}

const WRITERS: ReadonlySet<unknown> = new Set(["create", "edit", "apply_patch"]);

type Entry = SessionCore["session"]["toolset"]["placements"][number]["entry"];

/** Tokens of something that is sent as JSON; an estimate, as all counts that come from no provider. */
function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

function toDefinition({ wireName, tool }: Entry): unknown {
  return [wireName, tool.description, tool.inputSchema];
}

function visibleTools({ session }: SessionCore): readonly Entry[] {
  return session.toolset.placements.flatMap(({ entry, standing }) => (standing === "visible" ? [entry] : []));
}

/** Before anything was asked, the system text has not been put together. */
const UNKNOWN_SYSTEM = 400;

/** How full the context is, by what fills it. */
export function toContextInfo({ core, models }: EventParts) {
  const tools = visibleTools(core);
  const servers = tools.filter(({ tool }) => serverOf(tool) !== null);
  const toolDefinitionsTokens = Math.max(1, tokensOf(tools.map(toDefinition)));
  const { system, overhead, all } = sizeOf(models);
  const systemTokens = system === 0 ? UNKNOWN_SYSTEM : Math.ceil(system / 4);
  const conversationTokens = Math.max(1, Math.ceil((all - overhead) / 4));
  const limit = contextWindowOf(core);
  const { backgroundCompactionThreshold = 0.8, bufferExhaustionThreshold = 0.95 } = core.options.infiniteSessions ?? {};
  return {
    modelName: modelName(models),
    promptTokenLimit: limit,
    limit: Math.max(limit, limitsOf(core, models).window ?? 0),
    systemTokens,
    conversationTokens,
    toolDefinitionsTokens,
    totalTokens: systemTokens + conversationTokens + toolDefinitionsTokens,
    bufferTokens: Math.round(limit * (1 - bufferExhaustionThreshold)),
    compactionThreshold: Math.round(limit * backgroundCompactionThreshold),
    mcpToolsTokens: servers.length === 0 ? 0 : tokensOf(servers.map(toDefinition)),
  };
}

/** The same by source: the system text, each tool's definition under its server, and what each tool has said. */
export function toAttribution(parts: EventParts, history: readonly HistoryMessage[]): Json {
  const { core, events, models } = parts;
  const info = toContextInfo(parts);
  const { totalTokens, promptTokenLimit, limit, bufferTokens, compactionThreshold, systemTokens } = info;
  const instructionTokens = Math.ceil(models.instructions.length / 4);
  const said = new Map<string, number>();
  for (const message of history)
    if (message.role === "answers")
      for (const { call, result } of message.answers)
        said.set(call.toolName, (said.get(call.toolName) ?? 0) + Math.ceil(result.textResultForLlm.length / 4));
  const tools = visibleTools(core);
  const servers = [...new Set(tools.flatMap(({ tool }) => serverOf(tool) ?? []))];
  const definitionsOf = (server: string) => tools.filter(({ tool }) => serverOf(tool) === server).map(toDefinition);
  return {
    ...{ totalTokens, promptTokenLimit, limit, bufferTokens, compactionThreshold },
    compactions: { count: checkpointsOf(events).length },
    modelId: info.modelName,
    modelSource: models.model === undefined ? "default" : "selected",
    categories: {
      systemPrompt: Math.max(0, systemTokens - instructionTokens),
      customInstructions: instructionTokens,
      systemTools: Math.max(0, info.toolDefinitionsTokens - info.mcpToolsTokens),
      mcpTools: info.mcpToolsTokens,
      messages: info.conversationTokens,
      freeSpace: Math.max(0, limit - totalTokens - bufferTokens),
      buffer: bufferTokens,
    },
    entries: [
      { kind: "system", id: "system:prompt", label: "System prompt", tokens: systemTokens },
      ...servers.map((server) => ({
        ...{ kind: "mcpServer", id: `mcpServer:${server}`, label: server },
        tokens: tokensOf(definitionsOf(server)),
      })),
      ...tools.map((entry) => ({
        ...{ kind: "toolDefinition", id: `toolDefinition:${entry.wireName}`, label: entry.wireName },
        tokens: tokensOf(toDefinition(entry)),
        ...(serverOf(entry.tool) === null ? {} : { parentId: `mcpServer:${serverOf(entry.tool)}` }),
      })),
      ...[...said].map(([name, tokens]) => ({ kind: "tool", id: `tool:${name}`, label: name, tokens })),
    ],
  };
}

/** The messages that fill most of the context, the largest first. */
export function findHeaviest(history: readonly HistoryMessage[], limit: number): readonly Json[] {
  return history
    .flatMap((message, at): readonly (Json & { readonly tokens: number })[] => {
      if (message.role !== "answers")
        return [{ id: `message-${at}`, label: message.role, role: message.role, tokens: guessTokens([message]) }];
      return message.answers.map(({ call, result }) => ({
        ...{ id: call.id, label: `tool: ${call.toolName}`, role: "tool" },
        tokens: Math.ceil(result.textResultForLlm.length / 4),
      }));
    })
    .sort((one, other) => other.tokens - one.tokens)
    .slice(0, limit);
}
