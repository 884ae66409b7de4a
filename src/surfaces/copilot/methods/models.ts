import { serverOf } from "../../../core/tool/tool.ts";
import type { SessionMethod } from "../method.ts";
import { listModels } from "../models/list-models.ts";
import { DEFAULT_MODEL, findRoute } from "../models/model-route.ts";
import { COPILOT_BUILTINS, changeable } from "../sessions/open-live.ts";
import { applyOptions, startServers } from "../sessions/servers.ts";
import { announce, changeOptions } from "../sessions/sessions.ts";
import { type Live, tell } from "../state/live.ts";
import { noteSession } from "../state/session-notes.ts";
import { clashOf } from "../tools/client-tools.ts";
import { isJson, type Json, recordOf, recordsOf, stated, textOf } from "../wire/wire-values.ts";

/** The model, the mode, and options that change while the session goes on. */
export const MODEL_METHODS: Readonly<Record<string, SessionMethod>> = {
  "model.getCurrent": (live) => stated({ modelId: live.model ?? DEFAULT_MODEL, reasoningEffort: live.effort }),
  "model.switchTo": async (live, params) => {
    await switchModel(live, params);
    return { modelId: live.model };
  },
  "model.setReasoningEffort": async (live, { reasoningEffort }) => {
    await switchModel(live, { modelId: live.model ?? DEFAULT_MODEL, reasoningEffort });
    return stated({ reasoningEffort: live.effort });
  },
  "model.list": async (live) => {
    const registered = registeredModels(live);
    return { list: [...(await listModels(live.server, textOf(live.wire.gitHubToken))), ...registered] };
  },
  "provider.add": async (live, { providers, models }) => {
    live.wire = {
      ...live.wire,
      providers: [...recordsOf(live.wire.providers), ...recordsOf(providers)],
      models: [...recordsOf(live.wire.models), ...recordsOf(models)],
    };
    return { models: registeredModels(live) };
  },
  "provider.getEndpoint": (live) => endpointOf(live),
  "mode.get": (live) => live.mode,
  "mode.set": async (live, { mode }) => {
    const previousMode = live.mode;
    live.mode = textOf(mode) ?? "interactive";
    await applyOptions(live);
    tell(live, "session.mode_changed", { previousMode, newMode: live.mode });
    await noteSession(live);
    announce(live.server, "session.updated", live);
    return { status: "ok", modelChanged: false };
  },
  "options.update": async (live, params) => {
    const { sessionId: _, enableStreaming, modelCapabilitiesOverrides, ...changes } = params;
    const renamed = { streaming: enableStreaming, modelCapabilities: modelCapabilitiesOverrides };
    await changeOptions(live, { ...changes, ...stated(renamed) });
    return { success: true };
  },
  "tools.getCurrentMetadata": (live) => ({
    tools: live.session.toolset.placements.flatMap(({ entry, standing }) =>
      standing === "hidden" ? [] : [toMetadata(entry.wireName, entry.tool, standing === "deferred")],
    ),
  }),
  "tools.initializeAndValidate": async (live, _params, { signal }) => {
    await startServers(live);
    await live.session.settled(signal);
    return {};
  },
  "tools.updateSubagentSettings": async (live, { subagents }) => {
    live.wire = { ...live.wire, subagents };
    await applyOptions(live);
    return {};
  },
  "tools.set": async (live, { tools }, { connection }) => {
    const client = live.clients.get(connection);
    const clash = clashOf(recordsOf(tools), COPILOT_BUILTINS);
    if (clash !== null) throw new Error(clash);
    if (client !== undefined) client.tools = recordsOf(tools);
    live.session.setTools("host", changeable(live).tools ?? []);
    return {};
  },
  "tools.execute": async (live, { name, arguments: args, toolCallId }) => {
    const id = textOf(toolCallId);
    return live.session.call(textOf(name) ?? "", isJson(args) ? args : {}, id === undefined ? {} : { id });
  },
};

/** Where requests of the session go, and with what; only where whoever started the runtime lets clients know. */
async function endpointOf(live: Live): Promise<Json> {
  if (live.server.around.env.COPILOT_ALLOW_GET_PROVIDER_ENDPOINT === undefined)
    throw new Error("provider.getEndpoint is not enabled; set COPILOT_ALLOW_GET_PROVIDER_ENDPOINT");
  const own = recordOf(live.wire.provider);
  const { given } = findRoute(live);
  const key = typeof given?.key === "function" ? await given.key() : given?.key;
  const isOwn = textOf(own.baseUrl) !== undefined;
  const { "user-agent": agent, ...headers } = given?.headers ?? {};
  return stated({
    type: textOf(own.type) ?? "openai",
    wireApi: given?.wire === "openai-responses" ? "responses" : given?.wire === "anthropic" ? undefined : "completions",
    baseUrl: given?.baseUrl ?? "",
    apiKey: key ?? undefined,
    headers: isOwn
      ? recordOf(own.headers)
      : stated({ ...headers, "User-Agent": agent, Authorization: key ? `Bearer ${key}` : undefined }),
  });
}

type Listed = Live["session"]["toolset"]["placements"][number]["entry"]["tool"];

function toMetadata(name: string, tool: Listed, deferLoading: boolean): Json {
  const server = serverOf(tool);
  return stated({
    name,
    namespacedName: server === null ? undefined : `${server}/${tool.name}`,
    mcpServerName: server ?? undefined,
    mcpToolName: server === null ? undefined : tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
    deferLoading: deferLoading ? true : undefined,
  }) as Json;
}

async function switchModel(live: Live, params: Json): Promise<void> {
  const previousModel = live.model;
  live.model = textOf(params.modelId) ?? live.model;
  live.effort = textOf(params.reasoningEffort);
  const { reasoningSummary, verbosity } = params;
  live.wire = { ...live.wire, ...stated({ reasoningSummary, verbosity }) };
  if (isJson(params.modelCapabilities)) live.wire = { ...live.wire, modelCapabilities: params.modelCapabilities };
  await applyOptions(live);
  tell(
    live,
    "session.model_change",
    stated({ newModel: live.model ?? DEFAULT_MODEL, previousModel, reasoningEffort: live.effort }),
  );
}

function registeredModels({ wire }: Live): readonly Json[] {
  return recordsOf(wire.models).map(({ provider, id, name }) => ({
    id: `${String(provider)}/${String(id)}`,
    name: textOf(name) ?? String(id),
  }));
}
