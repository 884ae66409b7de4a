import { basename, join } from "node:path";
import { formatOrigin, type Origin, type Sourced } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { errorAt, isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type ConfigNode, isNull, listNode, type MapNode, mapNode, scalarNode } from "../../core/shape/node.ts";
import { throwProblems } from "../../core/shape/problems.ts";
import { checkShape } from "../../core/shape/read.ts";
import { fieldOf } from "../../core/shape/shape.ts";
import { quotePlainValues, splitFrontMatter } from "../../core/tool/front-matter.ts";
import { type Places, productFolder, showPath } from "../layers/find-files.ts";
import { parseDocument } from "../layers/parse-document.ts";
import type { Readers } from "../layers/readers.ts";
import { agentShape } from "../shape/agent-shape.ts";
import { toClaudeHooks } from "./claude-hooks.ts";
import { CLAUDE_MODES } from "./claude-permissions.ts";

/** An agent read from a Markdown file, in the shape of an entry of `agents`. */
export interface AgentFile {
  readonly node: MapNode;
  readonly file: string;
  readonly path: string;
  readonly side: "project" | "user";
  /** Settings about its calls that have no effect on an agent that was selected. */
  readonly unheeded: readonly Sourced<string>[];
  /** What is odd about its hooks. */
  readonly notices: readonly Notice[];
}

const PROJECT_FOLDERS = [join(".github", "agents"), join(".github", "chatmodes"), join(".claude", "agents")];

/** Every readable agent file, in order of precedence. A broken one is skipped with a notice. */
export async function readAgentFiles(
  places: Pick<Places, "cwd" | "home" | "env">,
  folders: readonly string[],
  readers: Readers,
): Promise<{ readonly agents: readonly AgentFile[]; readonly notices: readonly Notice[] }> {
  const projects = folders.filter((folder) => folder !== places.home);
  const sites = [
    ...projects.flatMap((folder) =>
      PROJECT_FOLDERS.map((name) => ({ folder: join(folder, name), side: "project" as const })),
    ),
    ...[productFolder(".claude", places), productFolder(".copilot", places)].map((folder) => ({
      folder: join(folder, "agents"),
      side: "user" as const,
    })),
  ];
  const agents: AgentFile[] = [];
  const notices: Notice[] = [];
  for (const { folder, side } of sites) {
    for (const name of await readers.listFolder(folder).catch(() => [])) {
      // A README describes the folder and is never an agent.
      if (!name.endsWith(".md") || /^readme\.md$/i.test(name)) continue;
      const path = join(folder, name);
      const file = showPath(path, places);
      try {
        const read = await readAgentFile(path, file, readers);
        agents.push({ ...read, file, path, side });
        notices.push(...read.notices);
      } catch (error) {
        notices.push(toNotice(error, file));
      }
    }
  }
  return { agents, notices };
}

/** One agent file. Throws if it cannot be read. */
export async function readAgentFile(
  path: string,
  file: string,
  readers: Readers,
): Promise<Pick<AgentFile, "node" | "unheeded" | "notices">> {
  const text = (await readers.readText(path)) ?? "";
  const origin: Origin = { kind: "file", file, line: 1 };
  const split = splitFrontMatter(text);
  if (split === null) throw errorAt("config.invalid", origin, "there is no front matter between two lines of ---");
  const front = (await readFront(split.front, file)) ?? mapNode([], origin);
  if (front.kind !== "map")
    throw errorAt("config.invalid", { ...origin, line: 2 }, "the front matter must be a map of keys");
  const name = basename(path).replace(/(?:\.agent|\.chatmode)?\.md$/, "");
  const notices: Notice[] = [];
  const node = toAgentNode(front, name, split.body, origin, notices);
  throwProblems(checkShape(node, agentShape));
  return { node, unheeded: unheededIn(front), notices };
}

/** The mode of a session is the person's; only an agent that works for another one has a mode of its own. */
function unheededIn({ entries }: MapNode): readonly Sourced<string>[] {
  const node = entries.get("permissionMode");
  const saysNothing = node === undefined || isNull(node) || (node.kind === "scalar" && node.value === "default");
  return saysNothing ? [] : [{ value: "permissionMode", origin: node.origin }];
}

/** What somebody who selects an agent must know about its file. */
export function noticeUnheeded(name: string, files: readonly AgentFile[], used: Origin): readonly Notice[] {
  const file = files.find((candidate) => used.kind === "file" && candidate.file === used.file);
  return (file?.unheeded ?? []).map(({ value: key, origin }) => ({
    level: "warning",
    code: "agent.unheeded",
    text: `${key} of agent "${name}" holds when it works for another agent, and not here; set the mode of the run with --mode or permissions.mode`,
    names: [name, key],
    origin,
  }));
}

/** The front matter of a file, as people write it. */
export async function readFront(front: string, file: string): Promise<ConfigNode | null> {
  try {
    return await parseDocument(front, file, 2);
  } catch (error) {
    const quoted = quotePlainValues(front);
    if (quoted === front) throw error;
    return parseDocument(quoted, file, 2);
  }
}

/** Our keys in the products' spellings; all their other keys mean nothing here and are no mistake. */
function toAgentNode(front: MapNode, name: string, body: string, origin: Origin, notices: Notice[]): MapNode {
  const entries = new Map<string, ConfigNode>([["name", scalarNode(name, origin)]]);
  for (const [spelling, node] of front.entries) {
    const key = spelling.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const shape = fieldOf(agentShape, key);
    if (shape === undefined || isNull(node)) continue;
    if (key === "prompt") continue;
    if (key === "mcpServers") entries.set(key, toServers(node));
    else if (key === "model") entries.set(key, toModelId(node));
    else if (key === "permissionMode") entries.set(key, toMode(node));
    else if (key === "hooks") continue;
    else entries.set(key, shape.kind === "list" ? toNameList(node) : node);
  }
  if (body !== "") entries.set("prompt", scalarNode(body, origin));
  const hooks = toClaudeHooks(front, notices);
  if (hooks !== null) entries.set("hooks", hooks);
  const isolation = front.entries.get("isolation");
  if (isolation !== undefined && !isNull(isolation)) entries.set("worktree", toWorktree(isolation));
  return mapNode(entries, origin);
}

/** `Read, Grep, Bash(git log:*, …)` is a list; commas in parentheses belong to their entry. */
export function toNameList(node: ConfigNode): ConfigNode {
  if (node.kind !== "scalar" || typeof node.value !== "string") return node;
  const parts = [""];
  let depth = 0;
  for (const letter of node.value) {
    if (letter === "(") depth += 1;
    if (letter === ")") depth -= 1;
    if (letter === "," && depth <= 0) parts.push("");
    else parts.push((parts.pop() ?? "") + letter);
  }
  const names = parts.map((part) => part.trim()).filter((part) => part !== "");
  return listNode(
    names.map((part) => scalarNode(part, node.origin)),
    node.origin,
  );
}

/** Claude also accepts a list, of names of configured servers and of maps; names need nothing here. */
function toServers(node: ConfigNode): ConfigNode {
  if (node.kind !== "list") return node;
  const maps = node.items.flatMap((item) => (item.kind === "map" ? [...item.entries] : []));
  return mapNode(maps, node.origin);
}

/** In our spelling; one that is unknown stays as written, and refuses the file. */
function toMode(node: ConfigNode): ConfigNode {
  const mode = node.kind === "scalar" ? CLAUDE_MODES.get(String(node.value)) : undefined;
  return mode === undefined ? node : scalarNode(mode, node.origin);
}

function toWorktree(node: ConfigNode): ConfigNode {
  if (node.kind === "scalar" && node.value === "worktree") return scalarNode(true, node.origin);
  throw errorAt("config.invalid", node.origin, 'isolation must be "worktree", the only one there is here');
}

/** `inherit` is no model, and of several the first counts. */
function toModelId(node: ConfigNode): ConfigNode {
  const first = node.kind === "list" ? (node.items[0] ?? scalarNode(null, node.origin)) : node;
  return first.kind === "scalar" && first.value === "inherit" ? scalarNode(null, node.origin) : first;
}

function toNotice(error: unknown, file: string): Notice {
  const known = isToolcribError(error);
  const origin: Origin = (known ? error.origin : null) ?? { kind: "file", file, line: null };
  const why = error instanceof Error ? error.message : String(error);
  return {
    level: "warning",
    code: "agent.file-invalid",
    text: `the agent file is left out: ${known ? why.replaceAll("\n", "; ") : `${formatOrigin(origin)}: ${why}`}`,
    names: [file],
    origin,
  };
}
