import { WIRE_STYLES, type WireStyle } from "../catalog/wire-name.ts";
import { defaultOrigin, type NameList, nameList, type Sourced, sourced } from "../codes/origin.ts";
import { DEFAULT_SCENE } from "./default-scene.ts";
import { readAgent, readDefaultExcluded, readSkill } from "./read-agents.ts";
import { readClient } from "./read-client.ts";
import { readPin, readPolicy, readServer } from "./read-servers.ts";
import {
  boolean,
  type Fields,
  fieldsOf,
  integer,
  isObject,
  listOf,
  mapOf,
  number,
  oneOf,
  type Reader,
  type Report,
  string,
  worldOrigin,
} from "./read-shape.ts";
import { names, sourcedOf } from "./read-sourced.ts";
import {
  type Agent,
  type Builtins,
  DEFAULT_CONTEXT_WINDOW,
  DEFAULT_MAX_TOOLS,
  DEFAULT_TOOL_SEARCH,
  LIMITERS,
  type Limit,
  MODES,
  type Model,
  type Promotions,
  type Scene,
  SKILL_TOOL_POLICIES,
  type ToolSearch,
} from "./scene.ts";

/** The options as read: what still needs a second look is the choice of the agent and the rules. */
export interface Options {
  readonly scene: Omit<Scene, "agent" | "deny" | "sets">;
  readonly agent: string | null;
  readonly agents: readonly Agent[];
  readonly deny: readonly Sourced<string>[];
  readonly wireStyle: WireStyle;
}

const OPTION_KEYS = new Set([
  "builtins",
  "includeTools",
  "excludeTools",
  "availableTools",
  "excludedTools",
  "limits",
  "allowNoTools",
  "filterPrecedence",
  "agent",
  "agents",
  "defaultAgent",
  "toolGroups",
  "mode",
  "model",
  "client",
  "features",
  "handlers",
  "host",
  "sandbox",
  "policy",
  "servers",
  "permissions",
  "skills",
  "skillToolPolicy",
  "pins",
  "locked",
  "toolSearch",
  "promoted",
  "wireNames",
] as const);
const LIMIT_KEYS = new Set(["include", "exclude", "by"] as const);
const MODEL_KEYS = new Set(["id", "capabilities", "variants", "maxTools", "contextWindow", "instructions"] as const);
const HANDLER_KEYS = new Set(["userInput", "elicitation"] as const);
const HOST_KEYS = new Set(["workspace", "memory", "schedule"] as const);
const SANDBOX_KEYS = new Set(["active", "allowHostShell"] as const);
const PERMISSION_KEYS = new Set(["deny", "allow", "ask", "mode"] as const);
const PROMOTED_KEYS = new Set(["catalogHash", "names", "signatures"] as const);
const SEARCH_KEYS = new Set(["threshold", "percent"] as const);

type OptionFields = Fields<typeof OPTION_KEYS extends Set<infer Key> ? Key : never>;

export const readOptions: Reader<Options> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, OPTION_KEYS);
  const skills = fields.read("skills", listOf(readSkill)) ?? [];
  const { policy, mode, skillToolPolicy } = DEFAULT_SCENE;
  return {
    agent: fields.read("agent", string),
    agents: fields.read("agents", listOf(readAgent)) ?? [],
    deny: fields.read("permissions", readDenied) ?? [],
    wireStyle: fields.read("wireNames", oneOf(WIRE_STYLES)) ?? "server__tool",
    scene: {
      builtins: fields.read("builtins", readBuiltins) ?? DEFAULT_SCENE.builtins,
      filter: readFilter(fields, report),
      limits: fields.read("limits", listOf(readLimit)) ?? [],
      defaultExcluded: fields.read("defaultAgent", readDefaultExcluded) ?? nameList([]),
      toolGroups: fields.read("toolGroups", names),
      mode: fields.read("mode", sourcedOf(oneOf(MODES))) ?? mode,
      model: fields.read("model", readModel),
      client: fields.read("client", readClient),
      features: fields.read("features", mapOf(sourcedOf(boolean))) ?? new Map(),
      host: {
        ...(fields.read("handlers", readHandlers) ?? readHandlers({}, "", report)),
        ...(fields.read("host", readHost) ?? readHost({}, "", report)),
        skills: skills.length === 0 ? sourced(false) : sourced(true, worldOrigin(report.file, `${path}.skills`)),
      },
      sandbox: fields.read("sandbox", readSandbox) ?? DEFAULT_SCENE.sandbox,
      policy: fields.read("policy", readPolicy) ?? policy,
      servers: fields.read("servers", mapOf(readServer)) ?? new Map(),
      skills,
      skillToolPolicy: fields.read("skillToolPolicy", sourcedOf(oneOf(SKILL_TOOL_POLICIES))) ?? skillToolPolicy,
      pins: readPins(fields),
      toolSearch: fields.read("toolSearch", sourcedOf(readToolSearch)) ?? sourced(DEFAULT_TOOL_SEARCH),
      promoted: fields.read("promoted", readPromotions) ?? DEFAULT_SCENE.promoted,
    },
  };
};

const readBuiltins: Reader<Builtins> = (value, path, report) => {
  const origin = worldOrigin(report.file, path);
  const which = Array.isArray(value)
    ? new Set(listOf(string)(value, path, report))
    : oneOf(["off", "read", "all"])(value, path, report);
  return { which, setting: path, origin };
};

function readFilter(fields: OptionFields, report: Report): Scene["filter"] {
  return {
    include: readEither(fields, "includeTools", "availableTools", report),
    exclude: readEither(fields, "excludeTools", "excludedTools", report) ?? nameList([], defaultOrigin),
    precedence: fields.read("filterPrecedence", sourcedOf(oneOf(["exclude", "include"]))) ?? sourced("exclude"),
    allowNoTools: fields.read("allowNoTools", sourcedOf(boolean)) ?? sourced(false),
  };
}

const readLimit: Reader<Limit> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, LIMIT_KEYS);
  const by = fields.read("by", oneOf(LIMITERS));
  return {
    include: fields.read("include", names),
    exclude: fields.read("exclude", names) ?? nameList([], defaultOrigin),
    ...(by === null ? {} : { by }),
  };
};

type ListKey = "includeTools" | "excludeTools" | "availableTools" | "excludedTools";

function readEither(fields: OptionFields, key: ListKey, synonym: ListKey, report: Report): NameList | null {
  const list = fields.read(key, names);
  const other = fields.read(synonym, names);
  if (list !== null && other !== null) {
    report.problem(`${fields.path}.${synonym}`, `nothing beside ${key}, which is the same option`, other.value);
  }
  return list ?? (other === null ? null : { ...other, called: synonym });
}

/** A lock file that pins nothing has to be told from none: that is what `locked` is for. */
function readPins(fields: OptionFields): Scene["pins"] {
  const pins = fields.read("pins", sourcedOf(mapOf(readPin)));
  const locked = fields.read("locked", sourcedOf(boolean));
  if (pins !== null && pins.value.size > 0) return pins;
  return locked?.value === true ? { value: new Map(), origin: locked.origin } : null;
}

const readModel: Reader<Model> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, MODEL_KEYS);
  return {
    id: fields.read("id", string) ?? "unnamed",
    origin: worldOrigin(report.file, path),
    capabilities: fields.read("capabilities", mapOf(readCapability)) ?? new Map(),
    variants: fields.read("variants", listOf(string)) ?? ["edit:replace"],
    maxTools: fields.read("maxTools", integer(1)) ?? DEFAULT_MAX_TOOLS,
    contextWindow: fields.read("contextWindow", integer(1)) ?? DEFAULT_CONTEXT_WINDOW,
    instructions: fields.read("instructions", string),
  };
};

const readCapability: Reader<boolean | string> = (value, path, report) => {
  if (typeof value === "boolean" || typeof value === "string") return value;
  report.problem(path, "true, false or a string", value);
  return false;
};

const readHandlers: Reader<Pick<Scene["host"], "userInput" | "elicitation">> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, HANDLER_KEYS);
  return {
    userInput: fields.read("userInput", sourcedOf(boolean)) ?? DEFAULT_SCENE.host.userInput,
    elicitation: fields.read("elicitation", sourcedOf(boolean)) ?? DEFAULT_SCENE.host.elicitation,
  };
};

const readHost: Reader<Pick<Scene["host"], "workspace" | "memory" | "schedule">> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, HOST_KEYS);
  return {
    workspace: fields.read("workspace", sourcedOf(boolean)) ?? DEFAULT_SCENE.host.workspace,
    memory: fields.read("memory", sourcedOf(boolean)) ?? DEFAULT_SCENE.host.memory,
    schedule: fields.read("schedule", sourcedOf(boolean)) ?? DEFAULT_SCENE.host.schedule,
  };
};

const readSandbox: Reader<Scene["sandbox"]> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, SANDBOX_KEYS);
  return {
    active: fields.read("active", sourcedOf(boolean)) ?? DEFAULT_SCENE.sandbox.active,
    allowHostShell: fields.read("allowHostShell", sourcedOf(boolean)) ?? DEFAULT_SCENE.sandbox.allowHostShell,
  };
};

/** Nothing in a world runs, so of all rules only the denials matter here; the others are merely checked. */
const readDenied: Reader<readonly Sourced<string>[]> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, PERMISSION_KEYS);
  fields.read("allow", names);
  fields.read("ask", names);
  fields.read("mode", oneOf(MODES));
  return fields.read("deny", listOf(sourcedOf(string))) ?? [];
};

const readToolSearch: Reader<ToolSearch> = (value, path, report) => {
  if (value === "auto") return DEFAULT_TOOL_SEARCH;
  if (value === "on" || value === "off") return { use: value };
  if (!isObject(value)) {
    report.problem(path, '"auto", "on", "off" or {threshold, percent}', value);
    return DEFAULT_TOOL_SEARCH;
  }
  const fields = fieldsOf(value, path, report, SEARCH_KEYS);
  return {
    use: "auto",
    threshold: fields.read("threshold", integer(0)),
    percent: fields.read("percent", number(0)) ?? DEFAULT_TOOL_SEARCH.percent,
  };
};

const readPromotions: Reader<Promotions> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, PROMOTED_KEYS);
  return {
    catalogHash: fields.read("catalogHash", string),
    names: fields.read("names", listOf(string)) ?? [],
    signatures: fields.read("signatures", mapOf(string)) ?? new Map(),
  };
};
