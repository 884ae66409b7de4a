import type { NamedSet } from "../catalog/named-set.ts";
import type { WireStyle } from "../catalog/wire-name.ts";
import type { NameList, Sourced } from "../codes/origin.ts";
import type { Tool } from "../tool/tool.ts";
import { toTraits } from "../tool/traits.ts";
import type { Client } from "./client.ts";
import {
  type Agent,
  DEFAULT_TOOL_SEARCH,
  type Limit,
  type Scene,
  type Server,
  type ServerMatch,
  type ToolSearch,
} from "./scene.ts";

/**
 * The JSON from which `readWorld` makes the same tools and the same scene again, save for origins.
 * Addresses lose what may be secret: user, password, query and fragment.
 */
export function toWorld(tools: readonly Tool[], scene: Scene, wireStyle: WireStyle): unknown {
  return {
    tools: tools.map((tool) => ({
      ...writeTool(tool),
      ...(tool.original === null ? {} : { original: writeTool(tool.original) }),
    })),
    toolsets: scene.sets.map(writeSet),
    options: { ...writeOptions(scene), wireNames: wireStyle },
  };
}

function writeTool(tool: Tool): object {
  const { name, source, owner, description, inputSchema, aliases, examples, requires, defer } = tool;
  const cautious: object = toTraits({ readOnly: tool.traits.readOnly });
  const traits = Object.entries(tool.traits).filter(
    ([key, value]) => key === "readOnly" || value !== Reflect.get(cautious, key),
  );
  return {
    name,
    source,
    ...(owner === null ? {} : { owner: { kind: owner.kind, name: owner.name } }),
    ...(description === "" ? {} : { description }),
    ...(inputSchema === null || inputSchema === undefined ? {} : { inputSchema }),
    ...(tool.outputSchema === null || tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(examples.length === 0 ? {} : { examples }),
    traits: Object.fromEntries(traits),
    ...(requires.length === 0 ? {} : { requires: Object.fromEntries(requires.map((need) => [need, true])) }),
    ...(defer === "auto" ? {} : { defer }),
    ...stated(tool, ["overridesBuiltInTool", "skipPermission", "harmless"]),
    ...stated(tool, ["server", "id", "group", "title", "variant", "feature", "internal"]),
    ...stated(tool, ["instructions", "timeout", "rename"]),
  };
}

/** The named fields, without those that say nothing. */
function stated(tool: Tool, keys: readonly (keyof Tool)[]): object {
  return Object.fromEntries(
    keys.flatMap((key) => (tool[key] === null || tool[key] === false ? [] : [[key, tool[key]]])),
  );
}

function writeSet({ id, name, members, weak }: NamedSet): object {
  return { id, name, members: texts(members), ...(weak ? { weak } : {}) };
}

function writeOptions(scene: Scene): object {
  const { filter, agent, model, host, sandbox, policy, pins, promoted } = scene;
  const { which } = scene.builtins;
  return {
    ...(which === "all" ? {} : { builtins: typeof which === "string" ? which : [...which] }),
    includeTools: textsOrNull(filter.include),
    excludeTools: texts(filter.exclude),
    ...(scene.limits.length === 0 ? {} : { limits: scene.limits.map(writeLimit) }),
    allowNoTools: filter.allowNoTools.value,
    filterPrecedence: filter.precedence.value,
    agent: agent?.name ?? null,
    agents: agent === null ? [] : [writeAgent(agent)],
    defaultAgent: { excludedTools: texts(scene.defaultExcluded) },
    toolGroups: textsOrNull(scene.toolGroups),
    mode: scene.mode.value,
    model: model === null ? null : writeModel(model),
    ...(scene.client === null ? {} : { client: writeClient(scene.client) }),
    features: toObject(scene.features, ({ value }) => value),
    handlers: { userInput: host.userInput.value, elicitation: host.elicitation.value },
    host: { workspace: host.workspace.value, memory: host.memory.value, schedule: host.schedule.value },
    sandbox: { active: sandbox.active.value, allowHostShell: sandbox.allowHostShell.value },
    policy: {
      allowedMcpServers: policy.allowedServers === null ? null : policy.allowedServers.value.map(writeMatch),
      deniedMcpServers: policy.deniedServers.map(writeMatch),
      deniedTools: texts(policy.deniedTools),
    },
    servers: toObject(scene.servers, writeServer),
    permissions: { deny: scene.deny.map(({ value }) => value.text) },
    skills: scene.skills.map(({ name, active, allowedTools, prompt, description }) => ({
      name,
      active,
      allowedTools: textsOrNull(allowedTools),
      prompt,
      ...(description === null ? {} : { description }),
    })),
    skillToolPolicy: scene.skillToolPolicy.value,
    ...(pins === null ? {} : { locked: true, pins: toObject(pins.value, ({ origin: _origin, ...pin }) => pin) }),
    toolSearch: writeToolSearch(scene.toolSearch.value),
    promoted: {
      catalogHash: promoted.catalogHash,
      names: promoted.names,
      signatures: toObject(promoted.signatures, (signature) => signature),
    },
  };
}

function writeLimit({ include, exclude, by }: Limit): object {
  return { include: textsOrNull(include), exclude: texts(exclude), ...(by === undefined ? {} : { by }) };
}

function writeAgent({ name, tools, disallowed, toolGroups, prompt, defer, coordinator }: Agent): object {
  return {
    name,
    tools: textsOrNull(tools),
    disallowedTools: texts(disallowed),
    toolGroups: textsOrNull(toolGroups),
    prompt,
    defer: defer.value,
    ...(coordinator.value ? { coordinator: true } : {}),
  };
}

function writeModel(model: NonNullable<Scene["model"]>): object {
  const { id, capabilities, variants, maxTools, contextWindow, instructions } = model;
  const said = instructions === null ? {} : { instructions };
  return { id, capabilities: toObject(capabilities, (value) => value), variants, maxTools, contextWindow, ...said };
}

function writeClient({ name, ownSearch, maxTools, listChanged, late }: Client): object {
  return { ...(name === null ? {} : { name }), ownSearch, maxTools, listChanged, ...(late ? { late } : {}) };
}

function writeServer({ tools, defer, group, feature, url, argv, launch, instructions }: Server): object {
  const [command, ...args] = argv ?? [];
  return {
    tools: textsOrNull(tools),
    defer: defer.value,
    group: group?.value ?? null,
    ...(feature === null ? {} : { feature: feature.value }),
    url: url === null ? null : withoutSecrets(url),
    ...(command === undefined ? {} : { command, args }),
    launch,
    instructions,
  };
}

function writeMatch({ value: match }: Sourced<ServerMatch>): string | object {
  switch (match.by) {
    case "name":
      return match.name;
    case "url":
      return { serverUrl: match.url };
    case "command":
      return { serverCommand: match.argv };
  }
}

function writeToolSearch(search: ToolSearch): string | object {
  if (search.use !== "auto") return search.use;
  const { threshold, percent } = search;
  if (threshold === null) return percent === DEFAULT_TOOL_SEARCH.percent ? "auto" : { percent };
  return { threshold, percent };
}

/** Keeps the spelling where nothing is taken away, because a policy may match on it. */
function withoutSecrets(address: string): string {
  const end = address.search(/[?#]/);
  const bare = end === -1 ? address : address.slice(0, end);
  try {
    const url = new URL(bare);
    if (url.username === "" && url.password === "") return bare;
    url.username = "";
    url.password = "";
    return url.href;
  } catch {
    return bare.replace(/^([^/\\]*[/\\]{2})?[^/\\]*@/, "$1");
  }
}

function texts(list: NameList): readonly string[] {
  return list.value.map(({ value }) => value);
}

function textsOrNull(list: NameList | null): readonly string[] | null {
  return list === null ? null : texts(list);
}

/** `Object.fromEntries` defines own members, so a key such as `__proto__` is safe. */
function toObject<T>(map: ReadonlyMap<string, T>, write: (value: T) => unknown): object {
  return Object.fromEntries([...map].map(([key, value]) => [key, write(value)]));
}
