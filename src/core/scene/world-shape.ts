import { WIRE_STYLES, type WireStyle } from "../catalog/wire-name.ts";
import { defaultOrigin, nameList, type Sourced, sourced as withOrigin } from "../codes/origin.ts";
import { joinDenials, splitDenials, withoutSpecifiers } from "../rules/denied-calls.ts";
import { type ConfigNode, isNull, nodeAt } from "../shape/node.ts";
import {
  any,
  choice,
  either,
  type FieldsOf,
  flag,
  list,
  map,
  names,
  number,
  placed,
  record,
  sourcedShape,
  text,
  to,
} from "../shape/shape.ts";
import { toClient } from "./client.ts";
import {
  type Agent,
  type Builtins,
  DEFAULT_CONTEXT_WINDOW,
  DEFAULT_MAX_TOOLS,
  LIMITERS,
  type Limit,
  MODES,
  type Scene,
  type Server,
} from "./scene.ts";
import { sceneSettings, toolSearchOf } from "./scene-settings.ts";
import {
  agentFields,
  defaultAgent,
  filterFields,
  mode,
  modelFields,
  policyFields,
  ruleOf,
  serverFields,
  toPolicy,
} from "./scene-shapes.ts";
import { toolShape } from "./tool-shape.ts";

const sourcedFlag = (initial: boolean) => sourcedShape(flag({ default: initial }));

const builtins = to(
  either([choice(["off", "read", "all"]), list(text())]),
  (which, { node, path }): Builtins => ({
    which: typeof which === "string" ? which : new Set(which),
    setting: path,
    origin: node.origin,
  }),
  ({ which }) => (typeof which === "string" ? (which === "all" ? undefined : which) : [...which]),
);
const ALL_BUILTINS: Builtins = { which: "all", setting: "builtins", origin: defaultOrigin };

const limit = to(
  record(
    {
      ...{ include: names({}), exclude: names({ default: [] }), by: choice(LIMITERS) },
      ...{ whose: text(), because: text(), fix: text() },
    },
    { brief: ["by", "whose", "because", "fix"] },
  ),
  ({ by, whose, because, fix, ...lists }): Limit => ({
    ...lists,
    ...(by === null ? {} : { by }),
    ...(whose === null ? {} : { whose }),
    ...(because === null ? {} : { because }),
    ...(fix === null ? {} : { fix }),
  }),
  (said) => said,
);

const agent = to(
  placed(record({ name: text({ default: "" }), ...agentFields, mcpServers: any() }, { brief: ["coordinator"] })),
  ({ name, origin, tools, disallowedTools, toolGroups, prompt, defer, coordinator }): Agent => ({
    ...{ name, origin, tools: tools && withoutSpecifiers(tools), toolGroups, prompt, defer, coordinator },
    ...splitDenials(disallowedTools ?? nameList([])),
  }),
  ({ disallowed, denied, ...said }) => ({ ...said, disallowedTools: joinDenials(disallowed, denied) }),
);

const model = to(
  placed(record({ id: text({ default: "unnamed" }), ...modelFields }, { brief: ["instructions"] })),
  ({ capabilities, variants, maxTools, contextWindow, ...said }) => ({
    ...said,
    capabilities: capabilities ?? new Map<string, boolean | string>(),
    variants: variants ?? ["edit:replace"],
    maxTools: maxTools ?? DEFAULT_MAX_TOOLS,
    contextWindow: contextWindow ?? DEFAULT_CONTEXT_WINDOW,
  }),
  (said) => said,
);

/** A world names a client of the table, or states all traits of the client itself. */
const client = to(
  placed(
    record(
      { name: text(), ownSearch: flag(), maxTools: number(1), listChanged: flag(), late: flag({ default: false }) },
      { brief: ["name", "late"] },
    ),
  ),
  ({ name, ownSearch, maxTools, listChanged, ...said }) => {
    const known = toClient(name);
    return {
      ...known,
      ...said,
      ownSearch: ownSearch ?? known.ownSearch,
      maxTools: maxTools ?? (ownSearch === null ? known.maxTools : null),
      listChanged: listChanged ?? known.listChanged,
    };
  },
  (said) => said,
);

const server = to(
  placed(
    record(
      {
        ...serverFields,
        url: text(),
        command: text(),
        args: list(text()),
        launch: text(),
        instructions: text(),
      },
      {
        brief: ["feature", "command", "args"],
        valid: (node: ConfigNode) =>
          isNull(nodeAt(node, "args")) || !isNull(nodeAt(node, "command")) ? null : { text: "has args and no command" },
      },
    ),
  ),
  ({ command, args, ...said }, { key }): Server => ({
    ...said,
    name: key,
    argv: command === null ? null : [command, ...(args ?? [])],
  }),
  ({ argv, url, ...said }) => ({
    ...said,
    url: url === null ? null : withoutSecrets(url),
    command: argv?.[0] ?? null,
    args: argv === null ? null : argv.slice(1),
  }),
);

const skill = placed(
  record(
    {
      name: text({ default: "" }),
      active: flag({ default: true }),
      allowedTools: names({}),
      prompt: text(),
      description: text(),
    },
    { brief: ["description"] },
  ),
);

const pin = to(
  record(
    { signature: text({ default: "" }), approved: flag({ default: true }), launch: text(), signals: list(text()) },
    { brief: ["signals"] },
  ),
  ({ signals, ...said }) => ({ ...said, ...(signals === null ? {} : { signals }) }),
  (said) => said,
);

const set = to(
  record(
    { id: text(), name: text(), members: names({ default: [] }), weak: flag({ default: false }) },
    { brief: ["weak"] },
  ),
  ({ id, name, members, weak }) => ({
    id: id ?? `toolset:${name ?? ""}`,
    name: name ?? id ?? "",
    members,
    ...(weak ? { weak: true as const } : {}),
  }),
  (said) => said,
);

const fields = {
  builtins,
  ...filterFields,
  limits: list(limit, { default: [] }),
  allowNoTools: sourcedFlag(false),
  filterPrecedence: sourcedShape(choice(["exclude", "include"], { default: "exclude" })),
  agent: sourcedShape(text()),
  agents: list(agent, { default: [] }),
  defaultAgent,
  mode,
  model,
  client,
  handlers: record({ userInput: sourcedFlag(false), elicitation: sourcedFlag(false) }, { default: {} }),
  host: record(
    {
      workspace: sourcedFlag(true),
      memory: sourcedFlag(false),
      schedule: sourcedFlag(false),
      agents: sourcedFlag(false),
      agentModel: sourcedFlag(true),
      webSearch: sourcedFlag(false),
      store: sourcedFlag(false),
      instructions: sourcedFlag(false),
    },
    { default: {} },
  ),
  sandbox: record({ active: sourcedFlag(false), allowHostShell: sourcedFlag(false) }, { default: {} }),
  policy: to(record(policyFields, { default: {} }), toPolicy, ({ allowedServers, deniedServers, deniedTools }) => ({
    ...{ allowedMcpServers: allowedServers, deniedMcpServers: deniedServers, deniedTools },
  })),
  servers: map(server, { default: {} }),
  // Nothing in a world runs, so of all rules only denials matter here; the others are merely checked.
  permissions: record(
    { deny: list(ruleOf(), { default: [] }), allow: names({}), ask: names({}), mode: choice(MODES) },
    { default: {} },
  ),
  skills: sourcedShape(list(skill, { default: [] })),
  /** An empty lock file differs from none: hence `locked`. */
  pins: sourcedShape(map(pin)),
  locked: sourcedShape(flag()),
  promoted: record(
    { catalogHash: text(), names: list(text(), { default: [] }), signatures: map(text(), { default: {} }) },
    { default: {} },
  ),
  wireNames: choice(WIRE_STYLES, { default: "server__tool" }),
  ...sceneSettings,
  toolSearch: sourcedShape(toolSearchOf(number(0, { fraction: true }))),
};

/** All settings of a world: the scene without its agent, which is selected afterwards. */
export interface WorldFacts {
  readonly scene: Omit<Scene, "agent" | "sets">;
  readonly agent: Sourced<string> | null;
  readonly agents: readonly Agent[];
  readonly wireStyle: WireStyle;
}

export const worldShape = record({
  tools: list(toolShape, { default: [] }),
  toolsets: list(set, { default: [] }),
  options: to(record(fields, { default: {}, brief: ["limits", "client", "pins", "locked"] }), toFacts, fromFacts),
});

function toFacts(said: FieldsOf<typeof fields>): WorldFacts {
  const { includeTools, availableTools, excludeTools, excludedTools, filterPrecedence, allowNoTools, ...others } = said;
  const {
    agent: selected,
    agents,
    wireNames,
    handlers,
    host,
    skills,
    permissions,
    pins,
    locked,
    defaultAgent: ours,
    ...rest
  } = others;
  return {
    agent: selected,
    agents,
    wireStyle: wireNames,
    scene: {
      ...rest,
      builtins: said.builtins ?? ALL_BUILTINS,
      filter: {
        include: availableTools === null ? includeTools : { ...availableTools, called: "availableTools" },
        exclude: excludedTools === null ? excludeTools : { ...excludedTools, called: "excludedTools" },
        precedence: filterPrecedence,
        allowNoTools,
      },
      defaultExcluded: ours.excludedTools,
      host: {
        ...handlers,
        ...host,
        skills: withOrigin(skills.value.length > 0, skills.value.length > 0 ? skills.origin : defaultOrigin),
      },
      deny: permissions.deny,
      skills: skills.value,
      pins:
        pins !== null && pins.value.size > 0 ? pins : locked?.value === true ? { ...locked, value: new Map() } : null,
    },
  };
}

function fromFacts({ scene, agents, wireStyle }: WorldFacts): Readonly<Record<keyof typeof fields, unknown>> {
  const { filter, host, pins } = scene;
  return {
    ...scene,
    ...{ includeTools: filter.include, excludeTools: filter.exclude, availableTools: null, excludedTools: null },
    ...{ filterPrecedence: filter.precedence, allowNoTools: filter.allowNoTools },
    agents,
    agent: agents.length === 0 ? null : withOrigin(agents[0]?.name),
    defaultAgent: { excludedTools: scene.defaultExcluded },
    handlers: host,
    permissions: { deny: scene.deny },
    skills: withOrigin(scene.skills),
    locked: pins === null ? null : withOrigin(true),
    wireNames: wireStyle,
  };
}

/** Unchanged if nothing is removed, because a policy may match on the spelling. */
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
