import { guessTokens } from "../../../core/agent/compaction.ts";
import type { HistoryMessage } from "../../../core/call/message.ts";
import { serverOf } from "../../../core/tool/tool.ts";
import { limitsOf } from "../models/model-limits.ts";
import { DEFAULT_MODEL } from "../models/model-route.ts";
import { sizeOf } from "../models/request-size.ts";
import type { Live } from "../state/live.ts";
import { type Json, numberOf, recordOf, textOf } from "../wire/wire-values.ts";
import { checkpointsOf } from "./checkpoints.ts";
import { contextWindowOf } from "./deliver.ts";

type Entry = Live["session"]["toolset"]["placements"][number]["entry"];

/** Tokens of something that is sent as JSON; an estimate, as all counts of what no provider has counted. */
function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

function toDefinition({ wireName, tool }: Entry): unknown {
  return [wireName, tool.description, tool.inputSchema];
}

function visibleTools({ session }: Live): readonly Entry[] {
  return session.toolset.placements.flatMap(({ entry, standing }) => (standing === "visible" ? [entry] : []));
}

/** Before anything was asked, the system text has not been put together. */
const UNKNOWN_SYSTEM = 400;

/** How full the context is, by what fills it. */
export function toContextInfo(live: Live) {
  const tools = visibleTools(live);
  const servers = tools.filter(({ tool }) => serverOf(tool) !== null);
  const toolDefinitionsTokens = Math.max(1, tokensOf(tools.map(toDefinition)));
  const { system, overhead, all } = sizeOf(live.size);
  const systemTokens = system === 0 ? UNKNOWN_SYSTEM : Math.ceil(system / 4);
  const conversationTokens = Math.max(1, Math.ceil((all - overhead) / 4));
  const limit = contextWindowOf(live);
  const { backgroundCompactionThreshold, bufferExhaustionThreshold } = recordOf(live.wire.infiniteSessions);
  return {
    modelName: live.model ?? DEFAULT_MODEL,
    promptTokenLimit: limit,
    limit: Math.max(limit, limitsOf(live).window ?? 0),
    systemTokens,
    conversationTokens,
    toolDefinitionsTokens,
    totalTokens: systemTokens + conversationTokens + toolDefinitionsTokens,
    bufferTokens: Math.round(limit * (1 - (numberOf(bufferExhaustionThreshold) ?? 0.95))),
    compactionThreshold: Math.round(limit * (numberOf(backgroundCompactionThreshold) ?? 0.8)),
    mcpToolsTokens: servers.length === 0 ? 0 : tokensOf(servers.map(toDefinition)),
  };
}

/** The same by source: the system text, each tool's definition under its server, and what each tool has said. */
export function toAttribution(live: Live, history: readonly HistoryMessage[]): Json {
  const info = toContextInfo(live);
  const { totalTokens, promptTokenLimit, limit, bufferTokens, compactionThreshold, systemTokens } = info;
  const instructionTokens = Math.ceil((textOf(live.facts.get("instructions")) ?? "").length / 4);
  const said = new Map<string, number>();
  for (const message of history)
    if (message.role === "answers")
      for (const { call, result } of message.answers)
        said.set(call.toolName, (said.get(call.toolName) ?? 0) + Math.ceil(result.textResultForLlm.length / 4));
  const tools = visibleTools(live);
  const servers = [...new Set(tools.flatMap(({ tool }) => serverOf(tool) ?? []))];
  const definitionsOf = (server: string) => tools.filter(({ tool }) => serverOf(tool) === server).map(toDefinition);
  return {
    ...{ totalTokens, promptTokenLimit, limit, bufferTokens, compactionThreshold },
    compactions: { count: checkpointsOf(live.log).length },
    modelId: info.modelName,
    modelSource: live.model === undefined ? "default" : "selected",
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
        id: call.id,
        label: `tool: ${call.toolName}`,
        role: "tool",
        tokens: Math.ceil(result.textResultForLlm.length / 4),
      }));
    })
    .sort((one, other) => other.tokens - one.tokens)
    .slice(0, limit);
}
