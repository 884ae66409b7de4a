import { join, resolve } from "node:path";
import { WIRE_STYLES } from "../core/catalog/wire-name.ts";
import { nameList, type Sourced, sourced } from "../core/codes/origin.ts";
import { DEFAULT_TOOL_SEARCH, type Limit, MODES, SKILL_TOOL_POLICIES, type ToolSearch } from "../core/scene/scene.ts";
import { INTERNAL_MARKS } from "../core/tool/tool.ts";
import { TRAIT_TYPES, type Traits } from "../core/tool/traits.ts";
import type {
  AgentConfig,
  BuiltinChoice,
  Config,
  GatewayConfig,
  HookConfig,
  ModelChoice,
  ToolOverride,
} from "./config.ts";
import { type ConfigNode, type MapNode, nodeAt, toPlain } from "./config-node.ts";
import { BUILTIN_CHOICES, CONNECT_CHOICES, HOOK_DIALECTS, HOST_TOOL_CHOICES, type HookEvent } from "./file-shape.ts";
import type { ModelFacts } from "./models.ts";
import { entriesAt, itemsAt, readChoice, readFlag, readGroups, readNames, readNumber, readText } from "./read-node.ts";
import { toRules } from "./rule-entries.ts";
import { toServerMatch } from "./server-match.ts";
import { createExpander, DEFERRALS, type Surroundings, toExtensions, toServers } from "./to-servers.ts";

export const DEFAULT_STORE = "sqlite:.toolcrib/state.db";

/** The merged values in the types that the rest of the product works with. */
export function toConfig(
  root: MapNode,
  around: Surroundings,
): Omit<Config, "limits" | "trust" | "files" | "notices" | "written" | "lock"> {
  const at = (...keys: readonly string[]) => nodeAt(root, ...keys);
  return {
    tools: itemsAt(root, "tools").map((tool) => ({
      name: readText(nodeAt(tool, "name"))?.value ?? "",
      group: readText(nodeAt(tool, "group"))?.value ?? null,
      use: readText(nodeAt(tool, "use"))?.value ?? "",
      id: readText(nodeAt(tool, "id"))?.value ?? null,
      feature: readText(nodeAt(tool, "feature"))?.value ?? null,
      internal: readChoice(nodeAt(tool, "internal"), INTERNAL_MARKS)?.value ?? null,
      base: around.baseOf(tool.origin),
      origin: tool.origin,
      options: toOptions(nodeAt(tool, "options")),
    })),
    toolGroups: readGroups(at("toolGroups")),
    toolsets: entriesAt(root, "toolsets").map(([name, set]) => ({
      id: readText(nodeAt(set, "id"))?.value ?? `toolset:${name}`,
      name,
      members: readNames(set.kind === "map" ? nodeAt(set, "members") : set) ?? nameList([], set.origin),
    })),
    toolOverrides: new Map(entriesAt(root, "toolOverrides").map(([key, node]) => [key, toOverride(node)])),
    builtins: toBuiltins(at("builtins")),
    servers: toServers(at("mcpServers"), around),
    extensions: toExtensions(at("extensions"), around),
    checks: itemsAt(root, "checks").map((check) => ({
      name: readText(nodeAt(check, "name"))?.value ?? "",
      command: (readNames(nodeAt(check, "command"))?.value ?? []).map(({ value }) => value),
      timeout: readNumber(nodeAt(check, "timeout"))?.value ?? null,
    })),
    skillDirectories: (readNames(at("skillDirectories"))?.value ?? []).map((path) => toPath(path, around)),
    disabledSkills: readNames(at("disabledSkills")) ?? nameList([]),
    skillToolPolicy: readChoice(at("skillToolPolicy"), SKILL_TOOL_POLICIES) ?? sourced("restrict"),
    agents: new Map(
      itemsAt(root, "agents")
        .map((node) => toAgent(node, around))
        .map((agent) => [agent.name, agent]),
    ),
    agent: readText(at("agent")),
    defaultAgent: { excludedTools: readNames(at("defaultAgent", "excludedTools")) ?? nameList([]) },
    includeTools: readNames(at("includeTools")),
    excludeTools: readNames(at("excludeTools")) ?? nameList([]),
    features: new Map(entriesAt(root, "features").map(([name, node]) => [name, readFlag(node) ?? sourced(false)])),
    permissions: {
      mode: readChoice(at("permissions", "mode"), MODES) ?? sourced("default"),
      hostTools: readChoice(at("permissions", "hostTools"), HOST_TOOL_CHOICES) ?? sourced("allow"),
      allow: toRules(at("permissions", "allow")),
      ask: toRules(at("permissions", "ask")),
      deny: toRules(at("permissions", "deny")),
      additionalDirectories: (readNames(at("permissions", "additionalDirectories"))?.value ?? []).map((path) =>
        toPath(path, around),
      ),
    },
    hooks: toHooks(root),
    toolSearch: toToolSearch(at("toolSearch")),
    sandbox: {
      shell: readChoice(at("sandbox", "shell"), ["auto", "on", "off"]) ?? sourced("auto"),
      backend: readChoice(at("sandbox", "backend"), ["auto", "bubblewrap", "sandbox-runtime"]) ?? sourced("auto"),
      allowHostShell: readFlag(at("sandbox", "allowHostShell")) ?? sourced(false),
    },
    model: toModelChoice(at("model")),
    models: new Map(entriesAt(root, "models").map(([pattern, node]) => [pattern, toFacts(node)])),
    wireNames: readChoice(at("wireNames"), WIRE_STYLES) ?? sourced("server__tool"),
    store: { url: readText(at("store", "url")) ?? sourced(DEFAULT_STORE) },
    gateway: toGateway(at("gateway"), around),
    policy: toPolicy(at("policy")),
  };
}

/** Include lists of managed policy that hold beside `includeTools`. */
export function toLimits(lists: readonly ConfigNode[]): readonly Limit[] {
  return lists.map((list) => ({ include: readNames(list), exclude: nameList([], list.origin), by: "policy" }));
}

function toOptions(node: ConfigNode | undefined): Readonly<Record<string, unknown>> {
  const value = node === undefined ? null : toPlain(node);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function toOverride(node: ConfigNode): ToolOverride {
  const traits = nodeAt(node, "traits");
  return {
    origin: node.origin,
    name: readText(nodeAt(node, "name")),
    description: readText(nodeAt(node, "description")),
    timeout: readNumber(nodeAt(node, "timeout")),
    defer: readChoice(nodeAt(node, "defer"), DEFERRALS),
    group: readText(nodeAt(node, "group")),
    id: readText(nodeAt(node, "id")),
    feature: readText(nodeAt(node, "feature")),
    internal: readChoice(nodeAt(node, "internal"), INTERNAL_MARKS),
    examples: readNames(nodeAt(node, "examples")),
    traits: traits?.kind === "map" ? { value: toPartialTraits(traits), origin: traits.origin } : null,
  };
}

function toPartialTraits(node: MapNode): Partial<Traits> {
  const named = Object.keys(TRAIT_TYPES).flatMap((name) => {
    const value = nodeAt(node, name);
    return value?.kind === "scalar" && value.value !== null ? [[name, value.value]] : [];
  });
  return Object.fromEntries(named);
}

function toAgent(node: ConfigNode, around: Surroundings): AgentConfig {
  const at = (key: string) => nodeAt(node, key);
  return {
    name: readText(at("name"))?.value ?? "",
    origin: node.origin,
    description: readText(at("description"))?.value ?? null,
    prompt: readText(at("prompt"))?.value ?? null,
    tools: readNames(at("tools")),
    disallowedTools: readNames(at("disallowedTools")) ?? nameList([], node.origin),
    toolGroups: readNames(at("toolGroups")),
    servers: toServers(at("mcpServers"), around),
    skills: readNames(at("skills")) ?? nameList([], node.origin),
    model: readText(at("model")),
    defer: readChoice(at("defer"), DEFERRALS) ?? sourced("auto", node.origin),
    coordinator: readFlag(at("coordinator")) ?? sourced(false, node.origin),
  };
}

function toHooks(root: MapNode): ReadonlyMap<HookEvent, readonly HookConfig[]> {
  const hooks = new Map<HookEvent, readonly HookConfig[]>();
  for (const [event, node] of entriesAt(root, "hooks")) {
    hooks.set(event as HookEvent, itemsAt(node).map(toHook)); // The file was checked: only known events are left.
  }
  return hooks;
}

function toHook(node: ConfigNode): HookConfig {
  const at = (key: string) => nodeAt(node, key);
  return {
    origin: node.origin,
    matcher: readText(at("matcher"))?.value ?? null,
    when: readText(at("if"))?.value ?? null,
    command: readText(at("command"))?.value ?? "",
    args: readNames(at("args"))?.value.map(({ value }) => value) ?? null,
    cwd: readText(at("cwd"))?.value ?? null,
    env: new Map(entriesAt(node, "env").map(([name, value]) => [name, readText(value)?.value ?? ""])),
    timeout: readNumber(at("timeout"))?.value ?? null,
    isAsync: readFlag(at("async"))?.value ?? false,
    dialect: readChoice(at("dialect"), HOOK_DIALECTS)?.value ?? "toolcrib",
    onFailure: readChoice(at("onFailure"), ["block", "continue"])?.value ?? null,
  };
}

function toToolSearch(node: ConfigNode | undefined): Sourced<ToolSearch> {
  if (node === undefined) return sourced(DEFAULT_TOOL_SEARCH);
  const { origin } = node;
  const word = readChoice(node, ["auto", "on", "off"])?.value;
  if (word === "on" || word === "off") return { value: { use: word }, origin };
  const threshold = readNumber(nodeAt(node, "threshold"))?.value ?? DEFAULT_TOOL_SEARCH.threshold;
  const percent = readNumber(nodeAt(node, "percent"))?.value ?? DEFAULT_TOOL_SEARCH.percent;
  return { value: { use: "auto", threshold, percent }, origin };
}

function toModelChoice(node: ConfigNode | undefined): Sourced<ModelChoice> | null {
  if (node?.kind === "map") {
    const provider = readText(nodeAt(node, "provider"))?.value ?? null;
    return { value: { provider, id: readText(nodeAt(node, "id"))?.value ?? "" }, origin: node.origin };
  }
  const id = readText(node);
  return id === null ? null : { value: { provider: null, id: id.value }, origin: id.origin };
}

function toFacts(node: ConfigNode): Sourced<ModelFacts> {
  const variants = readNames(nodeAt(node, "variants"));
  const maxTools = readNumber(nodeAt(node, "maxTools"));
  const contextWindow = readNumber(nodeAt(node, "contextWindow"));
  const instructions = readText(nodeAt(node, "instructions"));
  const capabilities = entriesAt(node, "capabilities").flatMap(([name, value]): [string, boolean | string][] => {
    const stated = readFlag(value) ?? readText(value);
    return stated === null ? [] : [[name, stated.value]];
  });
  const value: ModelFacts = {
    capabilities: new Map(capabilities),
    ...(variants === null ? {} : { variants: variants.value.map((variant) => variant.value) }),
    ...(maxTools === null ? {} : { maxTools: maxTools.value }),
    ...(contextWindow === null ? {} : { contextWindow: contextWindow.value }),
    ...(instructions === null ? {} : { instructions: instructions.value }),
  };
  return { value, origin: node.origin };
}

function toGateway(node: ConfigNode | undefined, around: Surroundings): GatewayConfig {
  return {
    host: readText(nodeAt(node, "host")) ?? sourced("127.0.0.1"),
    port: readNumber(nodeAt(node, "port")) ?? sourced(8787),
    token: toToken(nodeAt(node, "token"), "the gateway's token", "gateway.token", around),
    approvals: readChoice(nodeAt(node, "approvals"), ["client", "inspector", "deny"]) ?? sourced("client"),
    unprefixed: readText(nodeAt(node, "unprefixed")),
    builtins: toBuiltins(nodeAt(node, "builtins")),
    knownClients: new Map(
      entriesAt(node, "knownClients").map(([name, client]) => [
        name,
        {
          origin: client.origin,
          ownSearch: readFlag(nodeAt(client, "ownSearch"))?.value ?? null,
          maxTools: readNumber(nodeAt(client, "maxTools"))?.value ?? null,
          listChanged: readFlag(nodeAt(client, "listChanged"))?.value ?? null,
        },
      ]),
    ),
    clients: itemsAt(node, "clients").flatMap((client, index) => {
      const token = toToken(nodeAt(client, "token"), "a gateway client", `gateway.clients[${index}]`, around);
      if (token === null) return [];
      return [
        {
          origin: client.origin,
          name: readText(nodeAt(client, "name"))?.value ?? null,
          token: token.value,
          agent: readText(nodeAt(client, "agent")),
          include: readNames(nodeAt(client, "include")),
          exclude: readNames(nodeAt(client, "exclude")) ?? nameList([], client.origin),
        },
      ];
    }),
  };
}

/** An empty token would let everybody in, so it is none. */
function toToken(
  node: ConfigNode | undefined,
  what: string,
  name: string,
  around: Surroundings,
): Sourced<string> | null {
  const written = readText(node);
  if (written === null) return null;
  const expander = createExpander(around);
  const value = expander.expand(written.value);
  expander.report(what, name, written.origin);
  return expander.unset.length > 0 || value === "" ? null : { value, origin: written.origin };
}

function toBuiltins(node: ConfigNode | undefined): Sourced<BuiltinChoice> | null {
  const names = readNames(node);
  if (names === null) return readChoice(node, BUILTIN_CHOICES);
  return { value: names.value.map(({ value }) => value), origin: names.origin };
}

function toPolicy(node: ConfigNode | undefined): Config["policy"] {
  const allowed = nodeAt(node, "allowedMcpServers");
  return {
    allowedServers:
      allowed?.kind === "list" ? { value: allowed.items.map(toServerMatch), origin: allowed.origin } : null,
    deniedServers: itemsAt(node, "deniedMcpServers").map(toServerMatch),
    deniedTools: readNames(nodeAt(node, "deniedTools")) ?? nameList([]),
    connect: readChoice(nodeAt(node, "connect"), CONNECT_CHOICES) ?? sourced("allow"),
  };
}

function toPath(path: Sourced<string>, { home, baseOf }: Surroundings): Sourced<string> {
  const isHome = path.value === "~" || path.value.startsWith("~/");
  const value = isHome ? join(home, path.value.slice(1)) : resolve(baseOf(path.origin), path.value);
  return { value, origin: path.origin };
}
