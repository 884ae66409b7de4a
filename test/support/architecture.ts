import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import { checkFunctions, checkSchemaWalks, checkSleeps, checkValueNames } from "./code-rules.ts";

/** One broken rule at one place; `text` says what is wrong and what would be right. */
export interface Offence {
  readonly rule:
    | "import"
    | "node"
    | "test-import"
    | "name"
    | "default-export"
    | "size"
    | "row"
    | "place"
    | "circle"
    | "twice"
    | "read-back"
    | "long-function"
    | "sleep"
    | "schema-walk"
    | "retired-word";
  readonly path: string;
  readonly text: string;
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

interface Import {
  readonly line: number;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

/** Where a file of ours lives: `src/core/gates/mode.ts` is room `core`, folder `gates`. */
interface Place {
  readonly room: string;
  readonly folder: string | undefined;
}

/** What each room may import besides itself. */
const ROOMS: ReadonlyMap<string, readonly string[]> = new Map([
  ["core", []],
  ["system", ["core"]],
  ["doors", ["core"]],
  ["config", ["core", "system"]],
  ["sources", ["core", "system"]],
  ["runtime", ["core", "system", "config", "sources"]],
  ["surfaces", ["core", "system", "config", "sources", "runtime"]],
]);

const CORE_ORDER: readonly string[] = [
  "codes",
  "shape",
  "schema",
  "tool",
  "call",
  "rules",
  "catalog",
  "scene",
  "people",
  "limits",
  "filters",
  "events",
  "trust",
  "gates",
  "toolset",
  "code",
  "search",
  "dialects",
  "agent",
];
const RUNTIME_ORDER: readonly string[] = [
  "events",
  "store",
  "people",
  "credentials",
  "requests",
  "executor",
  "limits",
  "permissions",
  "hooks",
  "filters",
  "traces",
  "report",
  "audit",
  "doctor",
  "models",
  "loop",
  "agents",
  "session",
  "crib",
  "approvals",
  "rehearsal",
  "pins",
  "guard",
];
const CONFIG_ORDER: readonly string[] = [
  "shape",
  "layers",
  "import",
  "client-rules",
  "foreign",
  "trust",
  "plugins",
  "lock",
  "edit",
  ".",
];
const BUILTIN_ORDER: readonly string[] = [
  "parts",
  "files",
  "search",
  "web",
  "shell",
  "session",
  "agents",
  "definitions",
  ".",
];
const CLI_ORDER: readonly string[] = [
  "terminal",
  "command-line",
  "running",
  "configuration",
  "stored",
  "people",
  "guard",
  "servers",
  "ask",
  "trust",
  "plugins",
  "help",
  "agent",
  "clients",
  "up",
  ".",
];
const SESSION_ORDER: readonly string[] = [
  "sources",
  "search",
  "stored",
  "calls",
  "tools",
  "options",
  "conversation",
  ".",
];
const GATEWAY_ORDER: readonly string[] = [
  "wire",
  "shared",
  "servers",
  "tools",
  "views",
  "methods",
  "fronts",
  "transports",
  ".",
];
const COPILOT_ORDER: readonly string[] = [
  "wire",
  "state",
  "clients",
  "permissions",
  "tools",
  "models",
  "events",
  "sessions",
  "turns",
  "methods",
  ".",
];
const HTTP_ORDER: readonly string[] = ["api", "door", "people", "views", "runs", "inspector", "metrics"];
const DIALECTS_ORDER: readonly string[] = ["limits", "tools", "stream", "contract", "providers", "."];
const INSPECTOR_ORDER: readonly string[] = ["address", "live", "parts", "tools", "panels", "runs", "."];
const EVAL_ORDER: readonly string[] = [".", "rules", "scan"];
/** What is inside one of these may import itself and what stands before it; "." are the files that lie loose in it. */
const ORDERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["core", CORE_ORDER],
  ["core/dialects", DIALECTS_ORDER],
  ["runtime", RUNTIME_ORDER],
  ["runtime/session", SESSION_ORDER],
  ["config", CONFIG_ORDER],
  ["sources/builtin", BUILTIN_ORDER],
  ["surfaces/cli", CLI_ORDER],
  ["surfaces/gateway", GATEWAY_ORDER],
  ["surfaces/copilot", COPILOT_ORDER],
  ["surfaces/http", HTTP_ORDER],
  ["surfaces/inspector", INSPECTOR_ORDER],
  ["surfaces/eval", EVAL_ORDER],
]);

/** Files through which a folder of `sources` is entered, besides the one that is named after it (`mcp/mcp-source.ts`). */
const ENTRIES: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "builtin",
    [
      "agent-source.ts",
      "parts/outcome.ts",
      "choose-builtins.ts",
      "definitions.ts",
      "definitions/touches.ts",
      "search/glob-pattern.ts",
      "session/file-memory.ts",
      "session/http-memory.ts",
    ],
  ],
  ["acp", ["acp-agent.ts", "asked-call.ts"]],
  ["extension", ["extension-spec.ts", "find-extensions.ts"]],
  [
    "mcp",
    [
      "mcp-result.ts",
      "server-spec.ts",
      "to-tools.ts",
      "header-parameters.ts",
      "oauth/auth-address.ts",
      "oauth/auth-client.ts",
      "oauth/begin-server-login.ts",
      "oauth/finish-server-login.ts",
      "oauth/log-in.ts",
      "oauth/login-store.ts",
      "oauth/revoke.ts",
      "oauth/tokens.ts",
    ],
  ],
  ["module", ["load-module-tool.ts", "parse-use.ts"]],
]);
/** Folders of `sources` that are there for all others. */
const SHARED_PARTS: readonly string[] = ["parts", "contract-suite"];

const CODE_FOLDERS = ["src", "test", "bench", "scripts", "bin"] as const;
const SKIPPED_FOLDERS: readonly string[] = ["test/fixtures", "node_modules"];
const CODE_FILE = /\.(?:tsx?|mts|js|mjs)$/;
const KEBAB_FOLDER = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const KEBAB_FILE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)+$/;
const VAGUE_NAME = /^(?:utils?|helpers?)(?:\.|$)/;
const CORE_BUILTINS: readonly string[] = ["node:crypto", "crypto"];
const MAX_SOURCE_LINES = 400;
const MAX_TEST_LINES = 600;
const MAX_FOLDER_FILES = 40;
const PAGE_TYPES = "src/surfaces/http/api/api.ts";
const PAGE_FOLDER = "src/surfaces/inspector/";

/** Every offence against ARCHITECTURE.md in the checkout at `root`, in path order. */
export function checkArchitecture(root: string): Offence[] {
  const files = CODE_FOLDERS.flatMap((folder) => listFiles(root, folder)).map((path) => ({
    path,
    text: readFileSync(join(root, path), "utf8"),
  }));
  const sources = files.filter(({ path }) => path.startsWith("src/") && !isTest(path));
  return [
    ...files.flatMap((file) => [
      ...checkName(file),
      ...checkSize(file),
      ...checkDefaultExport(file),
      ...checkPlace(file),
      ...checkImports(file),
      ...checkReadBack(file),
      ...checkWords(file),
    ]),
    ...checkFolderSizes(files),
    ...checkCircles(files),
    ...checkFolderCircles(files),
    ...checkTypeNames(files),
    ...checkValueNames(sources),
    ...sources.flatMap(checkFunctions),
    ...sources.flatMap(checkSchemaWalks),
    ...files.filter(({ path }) => isTest(path)).flatMap(checkSleeps),
    ...checkRows(files, readFileSync(join(root, "ARCHITECTURE.md"), "utf8")),
  ];
}

function checkName({ path }: SourceFile): Offence[] {
  const offences: Offence[] = [];
  const folders = path.split("/").slice(0, -1);
  const name = posix.basename(path);
  if (!KEBAB_FILE.test(name) || !folders.every((folder) => KEBAB_FOLDER.test(folder))) {
    offences.push({ rule: "name", path, text: "is not in kebab-case" });
  }
  const vague = [...folders, name].find((part) => VAGUE_NAME.test(part));
  if (vague !== undefined) {
    offences.push({ rule: "name", path, text: `"${vague}" says nothing; name the file after the concept it holds` });
  }
  return offences;
}

function checkSize({ path, text }: SourceFile): Offence[] {
  const lines = text.replace(/\n$/, "").split("\n").length;
  const cap = isTest(path) ? MAX_TEST_LINES : MAX_SOURCE_LINES;
  return lines <= cap ? [] : [{ rule: "size", path, text: `has ${lines} lines; the cap is ${cap}` }];
}

/** A folder with more sources than a screen shows is a bag: nobody finds anything in it by its name. */
function checkFolderSizes(files: readonly SourceFile[]): Offence[] {
  const sizes = new Map<string, number>();
  for (const { path } of files.filter(isSource))
    sizes.set(posix.dirname(path), (sizes.get(posix.dirname(path)) ?? 0) + 1);
  return [...sizes]
    .filter(([, size]) => size > MAX_FOLDER_FILES)
    .map(([path, size]) => ({
      rule: "size",
      path,
      text: `has ${size} files; the cap is ${MAX_FOLDER_FILES}: give them folders`,
    }));
}

function checkDefaultExport({ path, text }: SourceFile): Offence[] {
  const match = /^\s*export\s+(?:default\b|\{[^}]*\bas\s+default\b)/m.exec(blankComments(text));
  if (match === null) return [];
  return [{ rule: "default-export", path, text: `line ${lineAt(text, match)}: default export; export it by name` }];
}

function checkPlace({ path }: SourceFile): Offence[] {
  const place = placeOf(path);
  if (place === undefined) return [];
  if (!ROOMS.has(place.room)) {
    const text = `"${place.room}" is no room of src; the rooms are ${[...ROOMS.keys()].join(", ")}`;
    return [{ rule: "place", path, text }];
  }
  return [...ORDERS].flatMap(([room, order]): Offence[] => {
    const part = partOf(room, path);
    if (part === undefined || order.includes(part)) return [];
    return [{ rule: "place", path, text: `${room} holds its files in these folders: ${order.join(", ")}` }];
  });
}

/** Tests may import what they like: they build real objects from wherever these live. */
function checkImports(file: SourceFile): Offence[] {
  if (!file.path.startsWith("src/") || isTest(file.path)) return [];
  return importsOf(file.text).flatMap((found): Offence[] => {
    const at = `line ${found.line}: `;
    if (!found.specifier.startsWith(".")) {
      const problem = builtinProblem(file.path, found.specifier);
      return problem === undefined ? [] : [{ rule: "node", path: file.path, text: at + problem }];
    }
    const target = posix.join(posix.dirname(file.path), found.specifier);
    if (isTest(target)) {
      return [{ rule: "test-import", path: file.path, text: `${at}imports ${target}; source never imports tests` }];
    }
    const problem = importProblem(file.path, target, found.typeOnly);
    return problem === undefined ? [] : [{ rule: "import", path: file.path, text: at + problem }];
  });
}

function builtinProblem(path: string, specifier: string): string | undefined {
  if (placeOf(path)?.room !== "core" || CORE_BUILTINS.includes(specifier)) return undefined;
  if (!specifier.startsWith("node:") && !builtinModules.includes(specifier)) return undefined;
  return `imports ${specifier}; core is pure and uses no Node module but node:crypto`;
}

function importProblem(path: string, target: string, typeOnly: boolean): string | undefined {
  if (!target.startsWith("src/")) return `imports ${target}, which is outside src`;
  const from = placeOf(path);
  const to = placeOf(target);
  if (to === undefined) return `imports ${target}; the public surface is for users, rooms import each other's files`;
  if (from === undefined) return undefined;
  if (path.startsWith(PAGE_FOLDER)) return pageProblem(target, typeOnly) ?? orderProblem(path, target);
  const closed = to.room === "sources" ? entryProblem(from, to, target) : undefined;
  if (closed !== undefined) return closed;
  if (from.room !== to.room) {
    const allowed = ROOMS.get(from.room);
    if (allowed === undefined || allowed.includes(to.room)) return undefined;
    return `imports ${target}; ${from.room} may import ${["itself", ...allowed].join(", ")}`;
  }
  return (from.room === "surfaces" ? surfaceProblem(from, to, target) : undefined) ?? orderProblem(path, target);
}

function orderProblem(path: string, target: string): string | undefined {
  for (const [room, order] of ORDERS) {
    const [from, to] = [partOf(room, path), partOf(room, target)];
    if (from === undefined || to === undefined || order.indexOf(to) <= order.indexOf(from)) continue;
    return `imports ${target}; the order in ${room} is ${order.join(", ")}, and ${to} comes after ${from}`;
  }
  return undefined;
}

/** In which part of a room a file is: a folder, or "." for a loose file. */
function partOf(room: string, path: string): string | undefined {
  if (!path.startsWith(`src/${room}/`)) return undefined;
  const [part = "", ...rest] = path.slice(`src/${room}/`.length).split("/");
  return rest.length === 0 ? "." : part;
}

/** What is inside a folder of `sources` is its own affair; what several of them need belongs into `sources/parts`. */
function entryProblem(from: Place, { folder }: Place, target: string): string | undefined {
  if (folder === undefined || SHARED_PARTS.includes(folder)) return undefined;
  if (from.room === "sources" && from.folder === folder) return undefined;
  const entries = [`${folder}-source.ts`, ...(ENTRIES.get(folder) ?? [])];
  if (entries.some((entry) => target === `src/sources/${folder}/${entry}`)) return undefined;
  return `imports ${target}; sources/${folder} is entered through ${entries.join(", ")}`;
}

/** What a result says is for readers: code that needs to know what happened looks at its data. */
const READ_BACK =
  /\btextResultForLlm\)?\s*\??\.\s*(?:match|matchAll|replace|replaceAll|search|startsWith|endsWith|includes|indexOf|lastIndexOf)\b|\.(?:test|exec)\(\s*[\w.]*\btextResultForLlm\b/g;

function checkReadBack({ path, text }: SourceFile): Offence[] {
  if (!path.startsWith("src/") || isTest(path)) return [];
  return [...text.matchAll(READ_BACK)].map((match) => ({
    rule: "read-back",
    path,
    text: `line ${lineAt(text, match)}: reads the words of a result; look at its outcome, code or structured part`,
  }));
}

/** Words that a reader stops at; the rooms below are free of them. */
const RETIRED_WORD = /\b(?:whoever|anew|dearer|held against|comes to|otherwise than)\b/i;
const RETIRED_NAME = /(?:[wW]hoever|[aA]new(?![a-z])|[dD]earer|sayLong)/;
const COMMENTS = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*$)|[;,{)] \/\/ .*$/gm;
const TITLES = /\b(?:test|describe)\b[\w.()]*\(\s*(?:"[^"\n]*"|`[^`]*`)/g;
const DECLARED = /\b(?:function\*?|class|interface|type|const|let)\s+(\w+)|^\s+(?:readonly )?(\w+)\??[:(]/gm;

/** Comments and names are plain English: the table of words in ARCHITECTURE.md says which words mean what. */
function checkWords({ path, text }: SourceFile): Offence[] {
  if (path === "test/architecture.test.ts") return []; // It holds examples.
  const said = [...text.matchAll(COMMENTS), ...(isTest(path) ? text.matchAll(TITLES) : [])].map((match) => ({
    match,
    word: RETIRED_WORD.exec(match[0].replace(/\s+\*?\s*/g, " "))?.[0],
  }));
  const named = [...text.matchAll(DECLARED)].map((match) => ({
    match,
    word: RETIRED_NAME.exec(match[1] ?? match[2] ?? "")?.[0],
  }));
  return [...said, ...named].flatMap(({ match, word }) =>
    word === undefined
      ? []
      : [{ rule: "retired-word", path, text: `line ${lineAt(text, match)}: "${word}" is retired; say it plainly` }],
  );
}

/** Files that lead back to themselves, types counted: neither can be read, moved or tested without the other. */
function checkCircles(files: readonly SourceFile[]): Offence[] {
  const graph = files.filter(isSource).map(({ path, text }) => [path, targetsOf(path, text)] as const);
  return circlesIn(new Map(graph));
}

/** The same for folders in one folder; loose files may be used by those beside them and use these, where no order says more. */
function checkFolderCircles(files: readonly SourceFile[]): Offence[] {
  const graph = new Map<string, string[]>();
  for (const { path, text } of files.filter(isSource))
    for (const target of targetsOf(path, text)) {
      const [from, to] = [path.split("/"), target.split("/")];
      const at = from.findIndex((part, index) => part !== to[index]);
      if (at < 0 || at >= Math.min(from.length, to.length) - 1) continue;
      const [own, other] = [from.slice(0, at + 1).join("/"), to.slice(0, at + 1).join("/")];
      graph.set(own, [...(graph.get(own) ?? []), other]);
    }
  return circlesIn(graph);
}

function circlesIn(graph: ReadonlyMap<string, readonly string[]>): Offence[] {
  return [...graph.keys()].flatMap((start): Offence[] => {
    const way = wayBack(graph, start);
    // Reported once for each circle, at its first file or folder in path order.
    if (way === null || way.some((path) => path < start)) return [];
    return [{ rule: "circle", path: start, text: `leads back to itself: ${[...way, start].join(" > ")}` }];
  });
}

function targetsOf(path: string, text: string): string[] {
  return importsOf(text).map(({ specifier }) => posix.join(posix.dirname(path), specifier));
}

function isSource({ path }: SourceFile): boolean {
  return path.startsWith("src/") && !isTest(path);
}

/** The shortest way from a file or folder back to itself. */
function wayBack(graph: ReadonlyMap<string, readonly string[]>, start: string): readonly string[] | null {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const next of graph.get(at) ?? []) {
      if (next === start) {
        const way = [at];
        for (let step = at; step !== start; ) {
          step = cameFrom.get(step) ?? start;
          way.unshift(step);
        }
        return way;
      }
      if (!graph.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      queue.push(next);
    }
  }
  return null;
}

/** A file straight in `src/surfaces` is shared by all of them, so it may not lean on one. */
function surfaceProblem(from: Place, to: Place, target: string): string | undefined {
  if (from.folder === to.folder || from.folder === "cli" || to.folder === undefined) return undefined;
  return `imports ${target}; surfaces do not import each other, only the cli starts the others`;
}

/** The page is browser code: of the rest of the project it sees the types of the API and nothing else. */
function pageProblem(target: string, typeOnly: boolean): string | undefined {
  if (target.startsWith(PAGE_FOLDER)) return undefined;
  if (target === PAGE_TYPES && typeOnly) return undefined;
  return `imports ${target}; the inspector's page is browser code and may import only types of ${PAGE_TYPES}`;
}

/** One word, one meaning: no two files export a type of the same name. */
function checkTypeNames(files: readonly SourceFile[]): Offence[] {
  const found = files
    .filter(isSource)
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(([, name = ""]) => ({ path, name })),
    );
  const homes = new Map<string, string>();
  return found.flatMap(({ path, name }): Offence[] => {
    const home = homes.get(name);
    if (home !== undefined) return [{ rule: "twice", path, text: `${name} is a type of ${home} already` }];
    homes.set(name, path);
    return [];
  });
}

/** Each folder that holds code has a row, and each row a folder: a map with gaps or ghosts misleads. */
function checkRows(files: readonly SourceFile[], architecture: string): Offence[] {
  const rows = new Set<string>();
  for (const [, folder] of architecture.matchAll(/^\|\s*`(src\/[^`]+?)\/?`\s*\|/gm)) if (folder) rows.add(folder);
  const folders = new Set(files.map(({ path }) => posix.dirname(path)).filter((folder) => folder.startsWith("src/")));
  const missing = [...folders].filter((folder) => !rows.has(folder));
  const ghosts = [...rows].filter((folder) => !folders.has(folder));
  return [
    ...missing.map(
      (path): Offence => ({ rule: "row", path, text: `has no row in ARCHITECTURE.md; add "| \`${path}\` |"` }),
    ),
    ...ghosts.map((path): Offence => ({ rule: "row", path, text: "has a row in ARCHITECTURE.md and holds no code" })),
  ];
}

/** Finds `import … from`, `export … from`, bare `import "…"` and `import("…")`, with literal specifiers. */
function importsOf(source: string): Import[] {
  const text = blankComments(source);
  const statement = /^[ \t]*(?:import|export)\b(?<clause>[^;"'`]*?\bfrom|)\s*(["'])(?<specifier>[^"'\n]+)\2/gm;
  const expression = /\bimport\s*\(\s*(["'])(?<specifier>[^"'\n]+)\1/g;
  return [...text.matchAll(statement), ...text.matchAll(expression)]
    .map((match) => ({
      line: lineAt(text, match),
      specifier: match.groups?.specifier ?? "",
      typeOnly: /^\s*type\b/.test(match.groups?.clause ?? ""),
    }))
    .sort((a, b) => a.line - b.line);
}

/** Comments that start a line become blanks; line numbers stay. Others are left: `"src/**"` looks like one. */
function blankComments(text: string): string {
  return text.replace(/^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm, (comment) => comment.replace(/[^\n]/g, " "));
}

function lineAt(text: string, match: RegExpExecArray): number {
  const start = match.index + (match[0].length - match[0].trimStart().length);
  return text.slice(0, start).split("\n").length;
}

function placeOf(path: string): Place | undefined {
  const [top, room, ...rest] = path.split("/");
  if (top !== "src" || room === undefined || rest.length === 0) return undefined;
  return { room, folder: rest.length > 1 ? rest[0] : undefined };
}

function isTest(path: string): boolean {
  return path.startsWith("test/") || /\.test(?:-d)?\.ts$/.test(path);
}

function listFiles(root: string, folder: string): string[] {
  if (SKIPPED_FOLDERS.includes(folder)) return [];
  let entries: import("node:fs").Dirent[];
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return listFiles(root, path);
      return CODE_FILE.test(entry.name) ? [path] : [];
    });
}
