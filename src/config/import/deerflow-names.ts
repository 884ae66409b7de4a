import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import { itemsAt, readNames, readText } from "../../core/shape/read-node.ts";
import type { ImportContext } from "./import-servers.ts";

/** Our names for DeerFlow's own tools; null where there is nothing like it. */
const OURS: ReadonlyMap<string, string | null> = new Map([
  ["read_file", "view"],
  ["ls", "view"],
  ["view_image", "view_image"],
  ["write_file", "create"],
  ["str_replace", "edit"],
  ["bash", "bash"],
  ["glob", "glob"],
  ["grep", "grep"],
  ["web_fetch", "web_fetch"],
  ["web_search", "web_search"],
  ["ask_clarification", "ask_user"],
  ["write_todos", "todo"],
  ["describe_skill", "skill"],
  ["task", "task"],
  ["invoke_acp_agent", "task"],
  ["present_files", null],
  ["tool_search", null],
  ["skill_manage", null],
  ["setup_agent", null],
  ["update_agent", null],
]);
/** Our other tools that do the same as one that is denied. */
const ALSO_DENIED = ["apply_patch", "str_replace_based_edit_tool"];
const WRITES: ReadonlySet<string> = new Set(["write_file", "str_replace"]);
/** What agents have whatever their groups are. */
const WITHOUT_GROUP = ["view_image", "ask_clarification", "write_todos", "describe_skill", "task"];

/** What names in DeerFlow's files mean here. */
export interface DeerFlowNames {
  toOurs(name: string): string | null;
  /** Tools for an agent; undefined for all. Groups only ever narrow. */
  allowed(tools: readonly string[] | undefined, groups: readonly string[] | undefined): readonly string[] | undefined;
  denied(tools: readonly string[]): readonly string[];
  /** The id of a model, with the provider where it is known. */
  modelOf(name: string): string;
}

/** What DeerFlow's files are read into. */
export interface Taking extends ImportContext {
  readonly names: DeerFlowNames;
  /** Names of agents that are taken over. */
  readonly agents: Set<string>;
  set(path: readonly string[], value: unknown, origin: Origin): void;
}

/** The built-in tool that does the same as one of DeerFlow's own; null where none does. */
export function likeOurs(name: string): string | null {
  return OURS.get(name) ?? null;
}

export function deerFlowNames(root: ConfigNode, servers: ReadonlySet<string>): DeerFlowNames {
  const text = (node: ConfigNode, key: string) => readText(nodeAt(node, key))?.value;
  const groups = new Map(itemsAt(root, "tools").map((tool) => [text(tool, "name") ?? "", text(tool, "group") ?? ""]));
  const models = new Map(itemsAt(root, "models").map((model) => [text(model, "name") ?? "", toModel(model)]));
  /** `server_tool` there is `server/tool` here; of two matching servers, the longer name is meant. */
  const toOurs = (name: string): string | null => {
    const fitting = [...servers].filter((server) => name.startsWith(`${server}_`));
    const server = fitting.sort((a, b) => b.length - a.length)[0];
    if (server !== undefined) return `${server}/${name.slice(server.length + 1)}`;
    const ours = OURS.get(name);
    return ours === undefined ? name : ours;
  };
  const all = (names: readonly string[]) => [...new Set(names.flatMap((name) => toOurs(name) ?? []))];
  return {
    toOurs,
    allowed(tools, only) {
      if (only === undefined) return tools && all(tools);
      const isIn = (name: string) => only.includes(groups.get(name) ?? "");
      // Its groups are about the tools of the configuration alone.
      if (tools !== undefined) return all(tools.filter((name) => !groups.has(name) || isIn(name)));
      const inGroups = [...groups.keys()].filter(isIn);
      return [...all([...inGroups, ...WITHOUT_GROUP]), ...[...servers].map((server) => `${server}/*`)];
    },
    denied: (tools) => [...new Set([...all(tools), ...(tools.some((name) => WRITES.has(name)) ? ALSO_DENIED : [])])],
    modelOf: (name) => models.get(name) ?? name,
  };
}

const PROVIDERS = new Map([
  ["langchain_anthropic", "anthropic"],
  ["langchain_openai", "openai"],
  ["langchain_google_genai", "gemini"],
  ["langchain_deepseek", "deepseek"],
  ["langchain_groq", "groq"],
  ["langchain_mistralai", "mistral"],
  ["langchain_ollama", "ollama"],
  ["langchain_xai", "xai"],
]);

/** The provider of a model; undefined where its address decides. */
export function providerOf(model: ConfigNode): string | undefined {
  const text = (key: string) => readText(nodeAt(model, key))?.value;
  const provider = PROVIDERS.get(text("use")?.split(/[.:]/)[0] ?? "");
  const isElsewhere = ["base_url", "api_base", "openai_api_base"].some((key) => text(key) !== undefined);
  return isElsewhere && provider !== "ollama" ? undefined : provider;
}

function toModel(model: ConfigNode): string {
  const [id, name] = [nodeAt(model, "model"), nodeAt(model, "name")].map((node) => readText(node)?.value);
  const provider = providerOf(model);
  return `${provider === undefined ? "" : `${provider}/`}${id ?? name ?? ""}`;
}

/** A list of names; undefined if there is none. */
export function namesAt(node: ConfigNode | undefined): readonly string[] | undefined {
  return readNames(node)?.value.map(({ value }) => value);
}
