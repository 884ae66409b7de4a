import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readFlag, readNumber, readText } from "../../core/shape/read-node.ts";
import { type AgentFolder, importAcpAgents, importAgentFolders, importSubagents } from "./deerflow-agents.ts";
import { deerFlowNames, likeOurs, namesAt, providerOf, type Taking } from "./deerflow-names.ts";
import type { ImportContext, ImportedSetting } from "./import-servers.ts";
import { type KeyRow, type KeyRows, takeKeys, within } from "./take-keys.ts";

/** Many programs use the name `config.yaml`; this one is DeerFlow's if it mentions its tools. */
export function isDeerFlow(root: ConfigNode | null): boolean {
  if (root?.kind !== "map") return false;
  const uses = itemsAt(root, "tools").some((tool) => readText(nodeAt(tool, "use"))?.value.includes(":"));
  return uses || root.entries.has("tool_groups") || root.entries.has("subagents");
}

/** DeerFlow's tools are Python code, which cannot be imported; what else a file says is taken over, or reported. */
export function importDeerFlow(
  root: ConfigNode,
  servers: ReadonlySet<string>,
  folders: readonly AgentFolder[],
  context: ImportContext,
): readonly ImportedSetting[] {
  const settings: ImportedSetting[] = [];
  const set: Taking["set"] = (path, value, origin) => void settings.push({ path, value, origin });
  const taking: Taking = { ...context, names: deerFlowNames(root, servers), agents: new Set(), set };
  takeKeys(root, ROWS, taking);
  importAgentFolders(folders, taking);
  return settings;
}

/** True or false under the same meaning. */
const flag =
  (...path: readonly string[]): KeyRow<Taking> =>
  (node, { set, leave }, what) => {
    const said = readFlag(node);
    if (said === null) leave(what, `it is neither true nor false; set ${path.join(".")}`, node.origin);
    else set(path, said.value, said.origin);
  };

const searchEnabled: KeyRow<Taking> = (node, { set }) => {
  const said = readFlag(node);
  if (said !== null) set(["toolSearch"], said.value ? "on" : "off", said.origin);
};

const ROWS: KeyRows<Taking> = new Map<string, KeyRow<Taking>>([
  ["mcpServers", () => {}],
  ["tools", importTools],
  [
    "tool_groups",
    "groups need no list here: give tools and servers a `group`, and name those that count in toolGroups",
  ],
  ["models", importModels],
  [
    "sandbox",
    within(new Map([["allow_host_bash", flag("sandbox", "allowHostShell")]]), "Toolcrib brings a sandbox of its own"),
  ],
  ["tool_search", within(new Map([["enabled", searchEnabled]]))],
  ["subagents", importSubagents],
  ["acp_agents", importAcpAgents],
  ["skills", importSkills],
  ["memory", within(new Map([["enabled", flag("features", "memory")]]), "memory has no such setting here")],
  ["guardrails", importGuardrails],
  ["authorization", "say what may run in permissions, and whom a gateway serves in gateway.profiles"],
  ["summarization", "histories are made shorter by themselves where a model's window is nearly full"],
  ["mcpInterceptors", "there is nothing like it here"],
  ["middlewares", "there is nothing like it here"],
]);

/** Search engines that `web_search` can ask here. */
const ENGINES = [
  { use: "deerflow.community.searxng.", address: "http://localhost:8088", path: "/search?q={query}&format=json" },
  {
    use: "deerflow.community.brave.",
    address: "https://api.search.brave.com",
    path: "/res/v1/web/search?q={query}",
    key: { header: "X-Subscription-Token", variable: "BRAVE_SEARCH_API_KEY" },
  },
  {
    use: "deerflow.community.serper.",
    address: "https://google.serper.dev",
    path: "/search?q={query}",
    key: { header: "X-API-KEY", variable: "SERPER_API_KEY" },
  },
] as const;

function importTools(tools: ConfigNode, taking: Taking): void {
  for (const tool of itemsAt(tools)) importTool(tool, taking);
}

function importTool(tool: ConfigNode, taking: Taking): void {
  const name = readText(nodeAt(tool, "name"))?.value ?? "?";
  const use = readText(nodeAt(tool, "use"))?.value ?? "nothing";
  const ours = use.startsWith("deerflow.") ? likeOurs(name) : null;
  if (ours === "web_search" && importSearch(tool, use, taking)) return;
  const engine = ours === "web_search" ? "; name its search engine in search.web" : "";
  const advice = ours === null ? "serve it over MCP, or write it in JavaScript" : `the built-in ${ours} is like it`;
  taking.leave(`tool "${name}"`, `it is Python code (${use}); ${advice}${engine}`, tool.origin);
}

/** False where this engine cannot be asked here. */
function importSearch(tool: ConfigNode, use: string, { variables, set, leave }: Taking): boolean {
  const engine = ENGINES.find((one) => use.startsWith(one.use));
  if (engine === undefined) return false;
  const address = readText(nodeAt(tool, "base_url"))?.value ?? engine.address;
  const url = `${address.replace(/\/+$/, "")}${engine.path}`;
  const said = readText(nodeAt(tool, "api_key"))?.value ?? null;
  const headers = "key" in engine ? { headers: { [engine.key.header]: keyOf(said, engine.key.variable) } } : {};
  set(["search", "web"], { url, ...headers }, tool.origin);
  const read = ["name", "group", "use", "base_url", "api_key"].map((key) => [key, () => {}] as const);
  takeKeys(tool, new Map(read), { leave }, (keys) => `${keys} of tool "web_search"`);
  return true;

  function keyOf(given: string | null, variable: string): string {
    const referred = given === null ? variable : /^\$(\w+)$/.exec(given)?.[1];
    if (referred === undefined) return variables.refer(variable, "web_search", given ?? "");
    variables.note(referred, "for web_search");
    return `\${${referred}}`;
  }
}

const MODEL_ROWS: KeyRows<Taking> = new Map<string, KeyRow<Taking>>(
  ["name", "model", "display_name", "description", "supports_vision", "context_window"].map((key) => [key, () => {}]),
);

function importModels(models: ConfigNode, taking: Taking): void {
  for (const [at, model] of itemsAt(models).entries()) importModel(model, at === 0, taking);
}

/** The first one is the one that is used. */
function importModel(model: ConfigNode, isFirst: boolean, taking: Taking): void {
  const { set, leave } = taking;
  const id = readText(nodeAt(model, "model")) ?? readText(nodeAt(model, "name"));
  const said = nodeAt(model, "supports_vision");
  const vision = readFlag(said);
  if (said !== undefined && !isNull(said) && (id === null || vision === null))
    leave("supports_vision", "set models.<id>.capabilities.vision for the model that it is about", said.origin);
  if (id === null) return;
  const provider = providerOf(model);
  if (isFirst) set(["model"], provider === undefined ? id.value : { provider, id: id.value }, model.origin);
  if (vision !== null) set(["models", id.value, "capabilities"], { vision: vision.value }, vision.origin);
  const window = readNumber(nodeAt(model, "context_window"));
  if (window !== null) set(["models", id.value, "contextWindow"], window.value, window.origin);
  // The provider is taken over from it.
  const rows = provider === undefined ? MODEL_ROWS : new Map([...MODEL_ROWS, ["use", () => {}] as const]);
  const why = "the environment says how models are reached, and the model's own defaults how it answers";
  takeKeys(model, rows, taking, (keys) => `${keys} of model "${id.value}"`, why);
}

/** Its skills are in two folders there. */
function importSkills(skills: ConfigNode, taking: Taking, what: string): void {
  const { set } = taking;
  const isEntry = (node: ConfigNode) => readFlag(nodeAt(node, "enabled")) !== null;
  const rows = new Map<string, KeyRow<Taking>>();
  const path = readText(nodeAt(skills, "path"));
  if (path !== null) {
    rows.set("path", () => {});
    for (const part of ["public", "custom"]) set(["skillDirectories"], `${path.value}/${part}`, path.origin);
  }
  for (const [name, node] of entriesAt(skills)) {
    if (!isEntry(node)) continue;
    rows.set(name, () => {});
    if (readFlag(nodeAt(node, "enabled"))?.value === false) set(["disabledSkills"], name, node.origin);
  }
  takeKeys(skills, rows, taking, (keys) => `${keys} of ${what}`);
}

const ALLOWLIST = "deerflow.guardrails.builtin:AllowlistProvider";

/** A list of tools is taken over; whatever else judges calls there is code. */
function importGuardrails(node: ConfigNode, { names, set, leave }: Taking, what: string): void {
  if (readFlag(nodeAt(node, "enabled"))?.value !== true) return;
  const use = readText(nodeAt(node, "provider", "use"))?.value ?? "nothing";
  if (use !== ALLOWLIST) {
    leave(what, `it is Python code (${use}); write rules into permissions, or a hook on preToolUse`, node.origin);
    return;
  }
  const at = (key: string) => nodeAt(node, "provider", "config", key);
  const [allowed, denied] = [namesAt(at("allowed_tools")), namesAt(at("denied_tools"))];
  if (allowed !== undefined) set(["includeTools"], names.allowed(allowed, undefined), node.origin);
  if (denied !== undefined) set(["permissions", "deny"], names.denied(denied), node.origin);
}
