import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, isEmpty, isNull, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readFlag, readNames, readText } from "../../core/shape/read-node.ts";
import type { ImportContext, ImportedSetting } from "./import-servers.ts";

/** Many programs use the name `config.yaml`; this one is DeerFlow's if it mentions its tools. */
export function isDeerFlow(root: ConfigNode | null): boolean {
  if (root?.kind !== "map") return false;
  const uses = itemsAt(root, "tools").some((tool) => readText(nodeAt(tool, "use"))?.value.includes(":"));
  return uses || root.entries.has("tool_groups") || root.entries.has("subagents");
}

/** Our names for DeerFlow's own tools. */
const SAME: ReadonlyMap<string, string> = new Map([
  ["read_file", "view"],
  ["ls", "view"],
  ["view_image", "view_image"],
  ["write_file", "create"],
  ["str_replace", "edit"],
  ["bash", "bash"],
  ["glob", "glob"],
  ["grep", "grep"],
  ["web_fetch", "web_fetch"],
  ["ask_clarification", "ask_user"],
]);

/** DeerFlow's tools are Python code, which cannot be imported; its deferral, shell and agent settings carry over. */
export function importDeerFlow(
  root: ConfigNode,
  servers: ReadonlySet<string>,
  { leave }: Pick<ImportContext, "leave">,
): readonly ImportedSetting[] {
  const settings: ImportedSetting[] = [];
  const set = (path: readonly string[], value: unknown, origin: Origin) => settings.push({ path, value, origin });
  for (const tool of itemsAt(root, "tools")) {
    const name = readText(nodeAt(tool, "name"))?.value ?? "?";
    const use = readText(nodeAt(tool, "use"))?.value ?? "nothing";
    const same = use.startsWith("deerflow.") ? SAME.get(name) : undefined;
    const advice =
      same === undefined ? "serve it over MCP, or write it in JavaScript" : `the built-in ${same} is like it`;
    leave(`tool "${name}"`, `it is Python code (${use}); ${advice}`, tool.origin);
  }
  const hostShell = nodeAt(root, "sandbox", "allow_host_bash");
  const shell = readFlag(hostShell);
  if (shell !== null) set(["sandbox", "allowHostShell"], shell.value, shell.origin);
  else if (hostShell !== undefined && !isNull(hostShell))
    leave("sandbox.allow_host_bash", "it is neither true nor false; set sandbox.allowHostShell", hostShell.origin);
  for (const model of itemsAt(root, "models")) importVision(model, set, leave);
  const groups = nodeAt(root, "tool_groups");
  if (groups !== undefined && !isNull(groups) && !isEmpty(groups))
    leave(
      "tool_groups",
      "groups need no list here: give tools and servers a `group`, and name those that count in toolGroups",
      groups.origin,
    );
  const search = readFlag(nodeAt(root, "tool_search", "enabled"));
  if (search !== null) set(["toolSearch"], search.value ? "on" : "off", search.origin);
  for (const [name, node] of entriesAt(root, "subagents", "custom_agents")) {
    const text = (key: string) => readText(nodeAt(node, key))?.value;
    const list = (key: string) => readNames(nodeAt(node, key))?.value.map(({ value }) => value);
    const tools = (key: string) => {
      const named = list(key)?.map((tool) => toToolName(tool, servers));
      return named === undefined ? undefined : [...new Set(named)];
    };
    const model = text("model");
    const agent = {
      ...{ name, description: text("description"), prompt: text("system_prompt") },
      ...{ tools: tools("tools"), disallowedTools: tools("disallowed_tools") },
      ...{ toolGroups: list("tool_groups"), skills: list("skills") },
      model: model === "inherit" ? undefined : model,
    };
    const said = Object.entries(agent).filter(([, value]) => value !== undefined);
    set(["agents"], Object.fromEntries(said), node.origin);
  }
  const folder = readText(nodeAt(root, "skills", "path"));
  // Its skills are in two folders there.
  for (const part of folder === null ? [] : ["public", "custom"])
    set(["skillDirectories"], `${folder?.value}/${part}`, folder?.origin ?? root.origin);
  const disabled = entriesAt(root, "skills").filter(([, skill]) => readFlag(nodeAt(skill, "enabled"))?.value === false);
  for (const [name, { origin }] of disabled) set(["disabledSkills"], name, origin);
  for (const key of ["mcpInterceptors", "middlewares", "acp_agents"]) {
    const node = nodeAt(root, key);
    if (node !== undefined && !isNull(node) && !isEmpty(node)) leave(key, "there is nothing like it here", node.origin);
  }
  return settings;
}

/** Of a model, only vision affects tools; how to reach it is up to the host here. */
function importVision(
  model: ConfigNode,
  set: (path: readonly string[], value: unknown, origin: Origin) => void,
  leave: ImportContext["leave"],
): void {
  const said = nodeAt(model, "supports_vision");
  if (said === undefined || isNull(said)) return;
  const id = readText(nodeAt(model, "model")) ?? readText(nodeAt(model, "name"));
  const vision = readFlag(said);
  if (id !== null && vision !== null)
    set(["models", id.value], { capabilities: { vision: vision.value } }, vision.origin);
  else leave("supports_vision", "set models.<id>.capabilities.vision for the model that it is about", said.origin);
}

/** `server_tool` there is `server/tool` here; of two matching servers, the longer name is meant. */
function toToolName(name: string, servers: ReadonlySet<string>): string {
  const fitting = [...servers].filter((server) => name.startsWith(`${server}_`));
  const server = fitting.sort((a, b) => b.length - a.length)[0];
  return server === undefined ? (SAME.get(name) ?? name) : `${server}/${name.slice(server.length + 1)}`;
}
