import { basename, join } from "node:path";
import { formatOrigin, type Origin, type Sourced } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { errorAt, isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type ConfigNode, isNull, listNode, type MapNode, mapNode, scalarNode } from "../../core/shape/node.ts";
import { throwProblems } from "../../core/shape/problems.ts";
import { checkShape } from "../../core/shape/read.ts";
import { fieldOf } from "../../core/shape/shape.ts";
import { quotePlainValues, splitFrontMatter } from "../../core/tool/front-matter.ts";
import { agentShape } from "../shape/agent-shape.ts";
import { type Places, productFolder, showPath } from "./find-files.ts";
import { parseDocument } from "./parse-document.ts";
import type { Readers } from "./readers.ts";

/** An agent read from a Markdown file, in the shape of an entry of `agents`. */
export interface AgentFile {
  readonly node: MapNode;
  readonly file: string;
  readonly path: string;
  readonly side: "project" | "user";
  /** Settings about its calls that have no effect here. */
  readonly unheeded: readonly Sourced<string>[];
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
        agents.push({ ...(await readAgentFile(path, file, readers)), file, path, side });
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
): Promise<Pick<AgentFile, "node" | "unheeded">> {
  const text = (await readers.readText(path)) ?? "";
  const origin: Origin = { kind: "file", file, line: 1 };
  const split = splitFrontMatter(text);
  if (split === null) throw errorAt("config.invalid", origin, "there is no front matter between two lines of ---");
  const front = (await readFront(split.front, file)) ?? mapNode([], origin);
  if (front.kind !== "map")
    throw errorAt("config.invalid", { ...origin, line: 2 }, "the front matter must be a map of keys");
  const name = basename(path).replace(/(?:\.agent|\.chatmode)?\.md$/, "");
  const node = toAgentNode(front, name, split.body, origin);
  throwProblems(checkShape(node, agentShape));
  return { node, unheeded: unheededIn(front) };
}

/** Claude's own mode and hooks of an agent, which make its calls stricter there. */
function unheededIn({ entries }: MapNode): readonly Sourced<string>[] {
  return ["permissionMode", "hooks"].flatMap((key) => {
    const node = entries.get(key);
    const saysNothing = node === undefined || isNull(node) || (node.kind === "scalar" && node.value === "default");
    return saysNothing ? [] : [{ value: key, origin: node.origin }];
  });
}

/** What somebody who selects an agent must know about its file. */
export function noticeUnheeded(name: string, files: readonly AgentFile[], used: Origin): readonly Notice[] {
  const file = files.find((candidate) => used.kind === "file" && candidate.file === used.file);
  return (file?.unheeded ?? []).map(({ value: key, origin }) => ({
    level: "warning",
    code: "agent.unheeded",
    text: `${key} of agent "${name}" is not heeded here; ${ADVICE.get(key) ?? ""}`,
    names: [name, key],
    origin,
  }));
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["permissionMode", "set the mode of the run with --mode or permissions.mode"],
  ["hooks", "hooks of the configuration and of .claude/settings.json are run"],
]);

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
function toAgentNode(front: MapNode, name: string, body: string, origin: Origin): MapNode {
  const entries = new Map<string, ConfigNode>([["name", scalarNode(name, origin)]]);
  for (const [spelling, node] of front.entries) {
    const key = spelling.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const shape = fieldOf(agentShape, key);
    if (shape === undefined || isNull(node)) continue;
    if (key === "prompt") continue;
    if (key === "mcpServers") entries.set(key, toServers(node));
    else if (key === "model") entries.set(key, toModelId(node));
    else entries.set(key, shape.kind === "list" ? toNameList(node) : node);
  }
  if (body !== "") entries.set("prompt", scalarNode(body, origin));
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
