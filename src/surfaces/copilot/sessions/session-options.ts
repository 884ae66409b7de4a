import { toModel as toKnownModel } from "../../../config/models.ts";
import type { Mode } from "../../../core/scene/scene.ts";
import type { ModelOption } from "../../../runtime/session/options/option-types.ts";
import type { SessionOptions } from "../../../runtime/session/options/session-options.ts";
import { createClientHooks } from "../clients/client-hooks.ts";
import { limitsOf, type ModelState, modelName, ownOptions, registeredModel, sees } from "../models/model-state.ts";
import { addressOf } from "../models/service.ts";
import type { EventLog } from "../state/event-log.ts";
import { emitPassing, type SessionCore } from "../state/session-core.ts";
import { sessionStateFolder } from "../state/session-files.ts";
import { type AgentState, customAgents, isEnabled, loadAgents } from "../tools/agents.ts";
import { CONFIGURED_BUILTINS, COPILOT_BUILTINS, clientTools } from "../tools/client-tools.ts";
import { outputFolders } from "../tools/long-result.ts";
import { givenServers, knownServers, readServerStates, type ServerState } from "../tools/servers.ts";
import { type ProvidedSkills, skillFolders } from "../tools/skills.ts";
import { type ClientOptions, type ClientServer, readServers } from "../wire/client-options.ts";
import { dropUndefined, textsOf } from "../wire/wire-values.ts";

/** What options depend on. */
interface OptionParts {
  readonly core: SessionCore;
  readonly events: EventLog;
  readonly models: ModelState;
  readonly agents: AgentState;
  readonly servers: ServerState;
  readonly skills: ProvidedSkills;
}

/** Servers start when somebody first asks for them, not with the session. */
export async function startServers(parts: OptionParts): Promise<void> {
  const { core, servers } = parts;
  if (servers.isStarted) return;
  servers.isStarted = true;
  if (Object.keys(knownServers(core, servers)).length === 0) return;
  await applyOptions(parts);
  void core.session.settled().then(() => {
    if (core.closing === null)
      emitPassing(core, "session.mcp_servers_loaded", { servers: readServerStates(core, servers) });
  });
}

/** Has the session take over its options as they are now. */
export async function applyOptions(
  parts: OptionParts,
  /** A model or an agent that was chosen just now: the later choice decides which model is asked. */
  chosen: Pick<SessionOptions, "model" | "agent"> = {},
): Promise<void> {
  const { core, agents } = parts;
  await loadAgents(core, agents);
  await core.session.updateOptions({ ...toOptions(parts), ...chosen });
  // What the built-in tools say depends on options too.
  await core.session.refresh();
}

/** Somebody is asked about each call of these, however harmless; rules of ours would let some run. */
const ASKED = ["bash", "write_bash", "builtin:view", "create", "edit", "apply_patch", "web_fetch"];

/** What clients want, as options of a session of ours: those that may change while it is open. */
export function toOptions({ core, events, models, agents, servers, skills }: OptionParts): SessionOptions {
  const { options } = core;
  const qualify = (names: readonly string[]) => names.map((name) => toQualified(name, core));
  return {
    tools: clientTools(core),
    hooks: createClientHooks(core, events),
    builtins: [
      ...COPILOT_BUILTINS.filter((name) => isOffered(name, options)),
      ...CONFIGURED_BUILTINS.filter((name) => !isClientTool(name, core)),
    ],
    availableTools: options.availableTools === undefined ? null : qualify(options.availableTools),
    excludedTools: qualify(options.excludedTools),
    filterPrecedence: options.toolFilterPrecedence === undefined ? "include" : "exclude",
    models: toModels(core, models),
    customAgents: toAgents(core, agents),
    defaultAgent: { excludedTools: qualify(options.defaultAgent?.excludedTools ?? []) },
    skillDirectories: options.enableSkills === false ? [] : skillFolders(core, skills),
    disabledSkills: options.disabledSkills,
    skillToolPolicy: "off",
    mcpServers: servers.isStarted ? toServers(givenServers(core), options.disabledMcpServers) : {},
    features: dropUndefined({ schedule: options.manageScheduleEnabled }),
    code: servers.project?.code.value ?? "off",
    mode: MODES.get(core.mode) ?? "default",
    permissions: {
      ask: ASKED,
      hostTools: "ask",
      additionalDirectories: [...options.additionalDirectories, sessionStateFolder(core), ...outputFolders(core)],
    },
    ...dropUndefined({ reasoningEffort: EFFORTS.get(models.effort) }),
  };
}

function isOffered(name: string, { requestExitPlanMode }: ClientOptions): boolean {
  return name !== "exit_plan_mode" || requestExitPlanMode === true;
}

const MODES: ReadonlyMap<string, Mode> = new Map([
  ["plan", "plan"],
  ["autopilot", "autopilot"],
]);

/** What models are told, by what clients say: the nearest of what we have. */
const EFFORTS: ReadonlyMap<string | undefined, "low" | "medium" | "high"> = new Map([
  ...(["minimal", "low"] as const).map((effort) => [effort, "low"] as const),
  ["medium", "medium"],
  ...(["high", "xhigh", "max"] as const).map((effort) => [effort, "high"] as const),
]);

/** What the app says about its models; all else is known of them as everywhere. */
function toModels(core: SessionCore, models: ModelState): NonNullable<SessionOptions["models"]> {
  const registered = core.options.models.map(({ provider, id }) => `${String(provider)}/${String(id)}`);
  return Object.fromEntries([modelName(models), ...registered].map((name) => [name, toModel(core, models, name)]));
}

/** Tools and prompt parts are those of the known model that the app says it is. */
function toModel(core: SessionCore, models: ModelState, name: string): ModelOption {
  const { prompt, window } = limitsOf(core, models, name);
  const { modelId } = registeredModel(core, name) ?? ownOptions(core, models, name).provider ?? {};
  const known = modelId === undefined ? {} : knownModelOf(modelId);
  return dropUndefined({
    ...known,
    // A conversation is shortened before it is longer than what may be sent.
    ...dropUndefined({ contextWindow: prompt ?? window ?? serviceWindow(core, name) }),
    capabilities: { ...known.capabilities, vision: sees(core, models, name) },
  });
}

/** What the configured service lets a model read, whatever the model itself could. */
function serviceWindow({ options, server }: SessionCore, name: string): number | undefined {
  const isOthers = options.provider?.baseUrl !== undefined || name.includes("/") || name.startsWith("scripted:");
  return isOthers || addressOf(server) === null ? undefined : 128_000;
}

function knownModelOf(id: string): ModelOption {
  const { variants, maxTools, contextWindow, capabilities } = toKnownModel(id, { kind: "default" });
  return { variants, maxTools, contextWindow, capabilities: Object.fromEntries(capabilities) };
}

/** A bare name is that of a tool, never of one of our sets. */
function toQualified(name: string, core: SessionCore): string {
  if (isClientTool(name, core)) return `custom:${name}`;
  if (/^(?:builtin:)?write_agent$/.test(name)) return "builtin:send_to_agent";
  return COPILOT_BUILTINS.includes(name) || CONFIGURED_BUILTINS.includes(name) ? `builtin:${name}` : name;
}

function isClientTool(name: string, { clients }: SessionCore): boolean {
  return [...clients.values()].some(({ tools }) => tools.some((tool) => tool.name === name));
}

function toServers(
  servers: Readonly<Record<string, ClientServer>>,
  disabled: readonly string[],
): NonNullable<SessionOptions["mcpServers"]> {
  const rows = Object.entries(servers).map(
    ([name, { type, command, args, env, cwd, url, headers, tools, timeout }]) => {
      const about = { tools, timeout, enabled: !disabled.includes(name) };
      if (url === undefined) return [name, dropUndefined({ ...about, command, args, env, cwd })];
      return [name, dropUndefined({ ...about, type: type === "sse" ? "sse" : "http", url, headers })];
    },
  );
  return Object.fromEntries(rows) as NonNullable<SessionOptions["mcpServers"]>; // Checked as those of a file are.
}

function toAgents(core: SessionCore, agents: AgentState): NonNullable<SessionOptions["customAgents"]> {
  const models = core.options.subagents?.agents ?? {};
  return customAgents(core, agents).flatMap(({ name, description, displayName, prompt, infer, limits, ...agent }) => {
    if (name === undefined) return [];
    // Models choose among agents by what is said about them.
    const isOffered = infer !== false && isEnabled(name, core.options);
    return [
      dropUndefined({
        ...{ ...limits, name, prompt },
        disallowedTools: limits?.disallowedTools?.map((tool) => toQualified(tool, core)),
        description: isOffered ? (description ?? displayName ?? name) : undefined,
        tools: agent.tools?.map((tool) => toQualified(tool, core)),
        mcpServers: agent.mcpServers === undefined ? undefined : toServers(readServers(agent.mcpServers), []),
        skills: agent.skills === undefined ? undefined : textsOf(agent.skills),
        model: models[name]?.model ?? agent.model,
      }),
    ];
  });
}
