import { basename, join } from "node:path";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { errorAt } from "../../core/codes/toolcrib-error.ts";
import { type ConfigNode, isNull, mapNode, nodeAt, scalarNode } from "../../core/shape/node.ts";
import { splitFrontMatter } from "../../core/tool/front-matter.ts";
import { type Places, productFolder, showPath } from "../layers/find-files.ts";
import type { Layer } from "../layers/read-layers.ts";
import type { Readers } from "../layers/readers.ts";
import { readFront, toNameList } from "./agent-files.ts";

type Here = Pick<Places, "cwd" | "home" | "env">;

/** Prompts in files of other products, one layer per folder, nearest folder first. */
export async function readCommandLayers(
  folders: readonly string[],
  here: Here,
  readers: Readers,
  notices: Notice[],
): Promise<readonly Layer[]> {
  const projects = folders.filter((folder) => folder !== here.home);
  const sites = [
    ...projects.flatMap((folder) =>
      [join(".claude", "commands"), join(".github", "prompts")].map((name) => ({
        ...{ kind: "project" as const, folder, place: join(folder, name) },
      })),
    ),
    { kind: "user" as const, folder: here.home, place: join(productFolder(".claude", here), "commands") },
  ];
  const layers = await Promise.all(
    sites.map(async ({ kind, folder, place }): Promise<readonly Layer[]> => {
      const names = await readers.listFolder(place).catch(() => []);
      const files = names.filter((name) => /\.md$/.test(name) && !/^readme\.md$/i.test(name));
      const paths = files.map((name) => join(place, name));
      const root = await readCommands(paths, (path) => showPath(path, here), readers, notices);
      return root === null ? [] : [{ kind, source: null, folder, root: mapNode([["commands", root]], root.origin) }];
    }),
  );
  return layers.flat();
}

/** The prompts of Markdown files by name; null if there are none. A broken file only loses itself. */
export async function readCommands(
  paths: readonly string[],
  shown: (path: string) => string,
  readers: Readers,
  notices: Notice[],
): Promise<ConfigNode | null> {
  const entries: [string, ConfigNode][] = [];
  for (const path of paths) {
    const file = shown(path);
    const origin: Origin = { kind: "file", file, line: 1 };
    try {
      entries.push([nameOf(path, origin), await readCommand(path, origin, readers)]);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const text = `the prompt in ${file} is left out: ${why}`;
      notices.push({ level: "warning", code: "command.file-invalid", text, names: [file], origin });
    }
  }
  const [first] = entries;
  return first === undefined ? null : mapNode(entries, { ...first[1].origin });
}

function nameOf(path: string, origin: Origin): string {
  const name = basename(path).replace(/(?:\.prompt)?\.md$/, "");
  if (/^[\w-]+$/.test(name)) return name;
  throw errorAt("config.invalid", origin, `its name can hold letters, digits, - and _ only`);
}

/** What VS Code's files say about tools and agents limits a prompt; what Claude's say permits tools, which only rules do here. */
async function readCommand(path: string, origin: Origin, readers: Readers): Promise<ConfigNode> {
  const written = (await readers.readText(path)) ?? "";
  const split = splitFrontMatter(written);
  const front = split === null ? null : await readFront(split.front, origin.kind === "file" ? origin.file : path);
  const prompt = (split?.body ?? written).trim();
  if (prompt === "") throw errorAt("config.invalid", origin, "it says nothing");
  const said = (key: string, from: string): [string, ConfigNode][] => {
    const node = nodeAt(front ?? undefined, from);
    return node?.kind === "scalar" && node.value !== null ? [[key, scalarNode(String(node.value), node.origin)]] : [];
  };
  const tools = nodeAt(front ?? undefined, "tools");
  const limits = [
    ...(isNull(tools) || tools === undefined ? [] : [["tools", toNameList(tools)] as const]),
    // Its older name is `mode`.
    ...[...said("agent", "mode"), ...said("agent", "agent")].slice(-1),
  ];
  return mapNode(
    [
      ...(path.endsWith(".prompt.md") ? limits : []),
      ...said("description", "description"),
      ...said("argumentHint", "argument-hint"),
      ["prompt", scalarNode(prompt, origin)] as const,
    ],
    origin,
  );
}
