import { splitWords } from "./split-words.ts";
import type { ToolText } from "./tool-text.ts";

/** Requests for the tools of one public server: which words name the product, and what people ask of each tool. */
interface Chapter {
  /** Any of these in a tool's text shows that it is about this product. */
  readonly about: ReadonlySet<string>;
  readonly tools: ReadonlyMap<string, Asked>;
}

interface Asked {
  /** Its names and requests as written in the text. */
  readonly line: string;
  readonly requests: readonly string[];
}

/** What people ask of well-known tools; each tool is looked up together with its server's other tools. */
export interface RequestBook {
  match<T extends ToolText>(tools: Iterable<T>): ReadonlyMap<T, readonly string[]>;
}

/**
 * Reads one text per server: a line `about: WORDS`, and a line `NAME, OTHER NAME: REQUEST; REQUEST` for each tool. A
 * server's name is free text, so tools are recognised by their own names. A name alone is not enough, because others
 * use it as well: the product must be named or most of the server's tools must be in the same text, and the description
 * must share words with the requests.
 */
export function readRequestBook(texts: Iterable<string>): RequestBook {
  const byName = new Map<string, Chapter[]>();
  for (const chapter of [...texts].map(readChapter))
    for (const name of chapter.tools.keys()) byName.set(name, [...(byName.get(name) ?? []), chapter]);
  return { match: (tools) => new Map(groupByServer(tools).flatMap((server) => matchServer(server, byName))) };
}

const MAX_WORDS = 400;

function readChapter(text: string): Chapter {
  const tools = new Map<string, Asked>();
  let about: ReadonlySet<string> = new Set();
  for (const line of text.split("\n")) {
    const [, names = "", rest = ""] = /^([^#:][^:]*):\s*(.*)$/.exec(line) ?? [];
    if (names === "about") about = toTerms(rest);
    else if (names !== "") {
      const asked = { line, requests: rest.split(";").map((request) => request.trim()) };
      for (const name of names.split(",")) tools.set(toKey(name), asked);
    }
  }
  return { about, tools };
}

/** `createIssue`, `create-issue` and `github__create_issue` are one name. */
function toKey(name: string): string {
  return splitWords(name.replace(/^.*__/, ""), 32)
    .flatMap(({ plain, whole }) => (whole ? [] : [plain]))
    .join(" ");
}

function toTerms(text: string): ReadonlySet<string> {
  return new Set(splitWords(text, MAX_WORDS).map(({ term }) => term));
}

function groupByServer<T extends ToolText>(tools: Iterable<T>): readonly (readonly T[])[] {
  const servers = new Map<string, T[]>();
  for (const tool of tools) {
    const known = servers.get(tool.server ?? "");
    if (known === undefined) servers.set(tool.server ?? "", [tool]);
    else known.push(tool);
  }
  return [...servers.values()];
}

/** This many tools of a server, and at least half of them, identify it. */
const ENOUGH_SIBLINGS = 3;

function matchServer<T extends ToolText>(
  tools: readonly T[],
  byName: ReadonlyMap<string, readonly Chapter[]>,
): readonly (readonly [T, readonly string[]])[] {
  const keyed = tools.map((tool) => ({ tool, key: toKey(tool.name) }));
  const counts = new Map<Chapter, number>();
  for (const { key } of keyed)
    for (const chapter of byName.get(key) ?? []) counts.set(chapter, (counts.get(chapter) ?? 0) + 1);
  return keyed.flatMap(({ tool, key }) => {
    const rated = (byName.get(key) ?? []).map((chapter) => {
      const count = counts.get(chapter) ?? 0;
      const isKin = count >= ENOUGH_SIBLINGS && count * 2 >= tools.length;
      return { asked: chapter.tools.get(key), score: rate(tool, key, chapter, isKin) + count / tools.length / 10 };
    });
    const [best] = rated.filter(({ score }) => score >= 1).sort((a, b) => b.score - a.score);
    return best?.asked === undefined ? [] : [[tool, best.asked.requests] as const];
  });
}

/** At least 1 if the tool is the chapter's; higher if more of its description matches the requests. */
function rate(tool: ToolText, key: string, { about, tools }: Chapter, isKin: boolean): number {
  const said = readTool(tool);
  const isNamed = [...about].some((term) => said.all.has(term));
  const asked = toTerms(tools.get(key)?.line ?? "");
  const shared = [...said.description].filter((term) => asked.has(term) || about.has(term)).length;
  if (shared === 0 || !(isNamed || isKin)) return 0;
  return (isNamed ? 2 : 1) + shared / said.description.size;
}

interface Said {
  /** The first words of the description. */
  readonly description: ReadonlySet<string>;
  /** These, and the words of its names, its server and its parameters. */
  readonly all: ReadonlySet<string>;
}

const FIRST_WORDS = 24;

function readTool({ name, server, description, title, inputSchema }: ToolText): Said {
  const first = new Set(splitWords(description.slice(0, 1_000), FIRST_WORDS).map(({ term }) => term));
  const properties: unknown =
    typeof inputSchema === "object" && inputSchema !== null ? Reflect.get(inputSchema, "properties") : null;
  const parameters = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const names = [name, server ?? "", title ?? "", ...parameters.slice(0, 32)].join(" ");
  return { description: first, all: new Set([...first, ...toTerms(names)]) };
}
