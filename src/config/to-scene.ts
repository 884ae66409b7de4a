import type { NamedSet } from "../core/catalog/named-set.ts";
import { nameList, type Origin, type Sourced } from "../core/codes/origin.ts";
import type { Client } from "../core/scene/client.ts";
import { DEFAULT_SCENE } from "../core/scene/default-scene.ts";
import type { Agent, Limit, Model, Promotions, Scene, Server, Skill } from "../core/scene/scene.ts";
import { type SceneSettings, sceneSettings } from "../core/scene/scene-settings.ts";
import { unknownAgent } from "../core/scene/unknown-agent.ts";
import type { AgentConfig, Config, ServerConfig } from "./config.ts";
import { toPins } from "./lock/lock.ts";
import { isManaged } from "./managed.ts";
import { toModel } from "./models.ts";
import { serversOf } from "./servers-of.ts";

/** What configuration cannot know: what the host offers, and what the machine and earlier steps found. */
export interface SceneFacts {
  /** Which built-in tools exist; all of them if absent. */
  readonly builtins?: Scene["builtins"];
  readonly handlers?: { readonly userInput?: boolean; readonly elicitation?: boolean };
  readonly host?: {
    readonly workspace?: boolean;
    readonly memory?: boolean;
    readonly schedule?: boolean;
    readonly agents?: boolean;
    /** A model is there that agents could be run with. */
    readonly agentModel?: boolean;
    readonly webSearch?: boolean;
    readonly store?: boolean;
    readonly instructions?: boolean;
  };
  readonly sandboxActive?: boolean;
  readonly skills?: readonly Skill[];
  readonly pins?: Scene["pins"];
  readonly promoted?: Promotions;
  readonly filterPrecedence?: "exclude" | "include" | undefined;
  readonly allowNoTools?: boolean | undefined;
  /** The model was chosen for the current agent, so it comes before the agent's own. */
  readonly modelIsForced?: boolean;
  readonly limits?: readonly Limit[];
  /** The program that the tools are listed for, if there is one. */
  readonly client?: Client;
  /** Sets that ship with the product; a configured set of the same name comes before them. */
  readonly sets?: readonly NamedSet[];
  /** What connected servers say about themselves. */
  readonly instructions?: ReadonlyMap<string, string>;
}

/** The scene of a configuration and the facts of a run. */
export function toScene(config: Config, facts: SceneFacts = {}): Scene {
  const selected = selectAgent(config);
  const servers = serversOf(config);
  const skills = toSkills(config, selected, facts.skills ?? []);
  const { connect: _connect, audit: _audit, ...policy } = config.policy;
  const { handlers, host, filterPrecedence, allowNoTools } = facts;
  return {
    ...DEFAULT_SCENE,
    builtins: facts.builtins ?? DEFAULT_SCENE.builtins,
    filter: {
      include: config.includeTools,
      exclude: config.excludeTools,
      precedence: known(filterPrecedence, DEFAULT_SCENE.filter.precedence),
      allowNoTools: known(allowNoTools, DEFAULT_SCENE.filter.allowNoTools),
    },
    limits: [...config.limits, ...(facts.limits ?? [])],
    agent: selected === null ? null : { ...toAgent(selected), isSubagent: config.isSubagent === true },
    defaultExcluded: config.defaultAgent.excludedTools,
    ...settingsOf(config),
    mode: config.permissions.mode,
    model: chooseModel(config, selected, facts.modelIsForced === true),
    client: facts.client ?? null,
    host: {
      userInput: known(handlers?.userInput, DEFAULT_SCENE.host.userInput),
      elicitation: known(handlers?.elicitation, DEFAULT_SCENE.host.elicitation),
      workspace: known(host?.workspace, DEFAULT_SCENE.host.workspace),
      memory: { ...known(host?.memory, DEFAULT_SCENE.host.memory), ...placeOf("memory", config) },
      schedule: { ...known(host?.schedule, DEFAULT_SCENE.host.schedule), ...placeOf("schedule", config) },
      agents: known(host?.agents, DEFAULT_SCENE.host.agents),
      agentModel: known(host?.agentModel, DEFAULT_SCENE.host.agentModel),
      store: known(host?.store, DEFAULT_SCENE.host.store),
      webSearch: known(host?.webSearch, DEFAULT_SCENE.host.webSearch),
      instructions: known(host?.instructions, DEFAULT_SCENE.host.instructions),
      skills: skills.some(({ missing }) => !missing) ? { value: true, origin: HOST } : DEFAULT_SCENE.host.skills,
    },
    sandbox: {
      active: known(facts.sandboxActive, DEFAULT_SCENE.sandbox.active),
      allowHostShell: config.sandbox.allowHostShell,
      ...(config.sandbox.shell.value === "off" ? { off: config.sandbox.shell.origin } : {}),
    },
    policy,
    servers: new Map([...servers].map(([name, server]) => [name, toServer(server, facts.instructions)])),
    deny: config.permissions.deny,
    skills,
    pins: facts.pins ?? toPins(config.lock),
    promoted: facts.promoted ?? DEFAULT_SCENE.promoted,
    sets: [
      ...config.toolsets,
      ...(facts.sets ?? []).filter(({ name }) => !config.toolsets.some((own) => own.name === name && !own.weak)),
    ],
  };
}

/** The selected agent, or null for the default agent. */
function selectAgent({ agent, agents, notices }: Pick<Config, "agent" | "agents" | "notices">): AgentConfig | null {
  if (agent === null) return null;
  const found = agents.get(agent.value);
  if (found !== undefined) return found;
  const names = [...agents.keys()];
  const otherwise = names.length === 0 ? "no agent is configured" : `there are ${names.slice(0, 10).join(", ")}`;
  // The intended agent may be in a file that could not be read.
  const broken = notices.filter(({ code }) => code === "agent.file-invalid").map(({ text }) => `; ${text}`);
  throw unknownAgent(agent, names, otherwise, broken.slice(0, 3).join(""));
}

/** The settings that gates read as written. */
function settingsOf(config: Config): SceneSettings {
  const keys = Object.keys(sceneSettings) as (keyof SceneSettings)[]; // It is typed by the same table.
  return Object.fromEntries(keys.map((key) => [key, config[key]])) as unknown as SceneSettings; // The same keys.
}

const HOST: Origin = { kind: "call", call: "the host" };

/** A value that a feature controls is changed where the feature is set. */
function placeOf(feature: string, { features }: Config): Partial<Pick<Sourced<boolean>, "origin">> {
  const flag = features.get(feature);
  return flag === undefined ? {} : { origin: flag.origin };
}

function known<T>(value: T | undefined, fallback: Sourced<T>): Sourced<T> {
  return value === undefined ? fallback : { value, origin: HOST };
}

function toAgent(agent: AgentConfig): Agent {
  const { name, origin, tools, disallowedTools: disallowed, denied, toolGroups, prompt, defer, coordinator } = agent;
  return { name, origin, tools, disallowed, denied, toolGroups, prompt, defer, coordinator };
}

/**
 * The agent's own model comes before that of files and programs, which is for agents without one; and after the command
 * line, managed policy, and a program that changes the model while the agent works.
 */
function chooseModel(config: Config, selected: AgentConfig | null, isForced: boolean): Model | null {
  const { model, models } = config;
  const isFirst = model !== null && (isForced || model.origin.kind === "flag" || isManaged(config, model.origin));
  if (selected?.model && !isFirst) return toModel(selected.model.value, selected.model.origin, models);
  return model === null ? null : toModel(model.value.id, model.origin, models);
}

export function toServer(server: ServerConfig, instructions: ReadonlyMap<string, string> = new Map()): Server {
  const { name, origin, transport, launch, tools, defer, group, feature } = server;
  const isProcess = transport.type === "stdio";
  return {
    name,
    origin,
    tools,
    defer,
    group,
    feature,
    url: isProcess ? null : transport.url,
    argv: isProcess ? [transport.command, ...transport.args] : null,
    launch,
    instructions: instructions.get(name) ?? null,
  };
}

/** Without disabled skills; those that the selected agent preloads are active. */
function toSkills(config: Config, selected: AgentConfig | null, skills: readonly Skill[]): readonly Skill[] {
  const names = (list: Config["disabledSkills"]) => new Set(list.value.map(({ value }) => value));
  const disabled = names(config.disabledSkills);
  const preloaded = names(selected?.skills ?? nameList([]));
  return skills
    .filter(({ name }) => !disabled.has(name))
    .map((skill) => (preloaded.has(skill.name) ? { ...skill, active: true } : skill));
}
