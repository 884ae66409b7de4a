import { serverOf, type Tool } from "../../../core/tool/tool.ts";
import { findRoute } from "../models/model-route.ts";
import { type ModelState, modelName, sceneModel } from "../models/model-state.ts";
import { listModels } from "../models/service.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { applyOptions, startServers } from "../sessions/session-options.ts";
import { announce, changeOptions } from "../sessions/sessions.ts";
import { emit, type SessionCore, setOptions } from "../state/session-core.ts";
import { noteSession } from "../state/session-notes.ts";
import { checkTools, clientTools } from "../tools/client-tools.ts";
import { readOptions } from "../wire/client-options.ts";
import { dropUndefined, isJson, type Json, recordOf, recordsOf, textOf } from "../wire/wire-values.ts";
import { after, type SessionMethod } from "./method.ts";

/** The model, the mode, and options that change while the session goes on. */
export const MODEL_METHODS: Readonly<Record<string, SessionMethod>> = {
  "model.getCurrent": ({ models }) => dropUndefined({ modelId: modelName(models), reasoningEffort: models.effort }),
  "model.switchTo": async (live, params) => {
    await switchModel(live, params);
    return { modelId: live.models.model };
  },
  "model.setReasoningEffort": async (live, { reasoningEffort }) => {
    await switchModel(live, { modelId: modelName(live.models), reasoningEffort });
    return dropUndefined({ reasoningEffort: live.models.effort });
  },
  "model.list": async ({ core }) => ({
    list: [...(await listModels(core.server, core.options.gitHubToken)), ...registeredModels(core)],
  }),
  "provider.add": ({ core }, { providers, models }) => {
    setOptions(core, {
      providers: [...recordsOf(core.given.providers), ...recordsOf(providers)],
      models: [...recordsOf(core.given.models), ...recordsOf(models)],
    });
    return { models: registeredModels(core) };
  },
  "provider.getEndpoint": ({ core, models }) => endpointOf(core, models),
  "mode.get": ({ core }) => core.mode,
  "mode.set": async (live, { mode }) => {
    const { core } = live;
    const previousMode = core.mode;
    core.mode = textOf(mode) ?? "interactive";
    await applyOptions(live);
    emit(core, "session.mode_changed", { previousMode, newMode: core.mode });
    await noteSession(live);
    announce("session.updated", live);
    return { status: "ok", modelChanged: false };
  },
  "options.update": (live, params) => {
    const { sessionId: _, enableStreaming, modelCapabilitiesOverrides, ...changes } = params;
    const renamed = { streaming: enableStreaming, modelCapabilities: modelCapabilitiesOverrides };
    return after(changeOptions(live, { ...changes, ...dropUndefined(renamed) }), { success: true });
  },
  "tools.getCurrentMetadata": ({ core }) => ({
    tools: core.session.toolset.placements.flatMap(({ entry, standing }) =>
      standing === "hidden" ? [] : [toMetadata(entry.wireName, entry.tool, standing === "deferred")],
    ),
  }),
  "tools.initializeAndValidate": async (live, _params, { signal }) => {
    await startServers(live);
    return after(live.core.session.settled(signal), {});
  },
  "tools.updateSubagentSettings": (live, { subagents }) => {
    setOptions(live.core, { subagents });
    return after(applyOptions(live), {});
  },
  "tools.set": ({ core }, { tools: given }, { connection }) => {
    const client = core.clients.get(connection);
    const { tools } = readOptions({ tools: given });
    checkTools(tools);
    if (client !== undefined) client.tools = tools;
    core.session.setTools("host", clientTools(core));
    return {};
  },
  "tools.execute": ({ core }, { name, arguments: args, toolCallId }) => {
    const id = textOf(toolCallId);
    return core.session.call(textOf(name) ?? "", isJson(args) ? args : {}, id === undefined ? {} : { id });
  },
};

/** Where requests of the session go, and with what; only where the operator of the runtime lets clients know. */
async function endpointOf(core: SessionCore, models: ModelState): Promise<Json> {
  if (core.server.around.env.COPILOT_ALLOW_GET_PROVIDER_ENDPOINT === undefined)
    throw new Error("provider.getEndpoint is not enabled; set COPILOT_ALLOW_GET_PROVIDER_ENDPOINT");
  const { provider: own } = core.options;
  const { given } = findRoute(core, models, sceneModel(core));
  const key = typeof given?.key === "function" ? await given.key() : given?.key;
  const { "user-agent": agent, ...headers } = given?.headers ?? {};
  return dropUndefined({
    type: own?.type ?? "openai",
    wireApi: given?.wire === "openai-responses" ? "responses" : given?.wire === "anthropic" ? undefined : "completions",
    baseUrl: given?.baseUrl ?? "",
    apiKey: key ?? undefined,
    headers:
      own?.baseUrl === undefined
        ? dropUndefined({ ...headers, "User-Agent": agent, Authorization: key ? `Bearer ${key}` : undefined })
        : recordOf(own.headers),
  });
}

function toMetadata(name: string, tool: Tool, isDeferred: boolean): Json {
  const server = serverOf(tool);
  const ofServer =
    server === null ? {} : { namespacedName: `${server}/${tool.name}`, mcpServerName: server, mcpToolName: tool.name };
  return {
    ...{ name, ...ofServer, description: tool.description, input_schema: tool.inputSchema },
    ...(isDeferred ? { deferLoading: true } : {}),
  };
}

async function switchModel(live: ClientSession, params: Json): Promise<void> {
  const { core, models } = live;
  const previousModel = models.model;
  models.model = textOf(params.modelId) ?? models.model;
  models.effort = textOf(params.reasoningEffort);
  const { reasoningSummary, verbosity, modelCapabilities } = params;
  setOptions(core, dropUndefined({ reasoningSummary, verbosity }));
  if (isJson(modelCapabilities)) setOptions(core, { modelCapabilities });
  await applyOptions(live, { model: modelName(models) });
  const change = { newModel: modelName(models), previousModel, reasoningEffort: models.effort };
  emit(core, "session.model_change", dropUndefined(change));
}

function registeredModels({ options }: SessionCore): readonly Json[] {
  return options.models.map(({ provider, id, name }) => ({
    id: `${String(provider)}/${String(id)}`,
    name: name ?? String(id),
  }));
}
