import { PROGRAMS } from "../programs/programs.ts";

/** What a value or an operand is: a word that `programs/words.txt` explains, or a pattern that harmless text fits. */
export type Kind = (typeof LETTERS)[keyof typeof LETTERS] | RegExp;

/** The meaning of the letters in compiled tables. */
const LETTERS = {
  t: "text",
  r: "file-read",
  q: "file-read-with-rule",
  z: "archive",
  w: "file-written",
  W: "file-written-with-rule",
  c: "file-copied",
  h: "file-sent",
  m: "file-moved",
  k: "link-target",
  g: "repository-file",
  G: "repository-file-changed",
  d: "folder",
  l: "code-run",
  L: "code-loaded",
  x: "shell-line",
  y: "maybe-command",
  p: "program",
  e: "program-up-to-mark",
  E: "program-in-one-word",
  j: "command-line",
  o: "maybe-program",
  s: "script",
  a: "environment-value",
  B: "shell-value",
  A: "program-value",
  v: "variable-name",
  b: "text-with-code",
  f: "text-or-file-sent",
  u: "address",
  U: "file-of-addresses",
  "!": "uncovered",
  "/": "sub-command",
} as const;

export interface Option {
  readonly name: string;
  readonly values: readonly Kind[];
  /** The value only counts if joined to the option. */
  readonly isOptional: boolean;
  /** Letters of marks, which `programs/words.txt` explains as well. */
  readonly marks: string;
}

export interface Slot {
  readonly kind: Kind;
  readonly isMany: boolean;
  /** The same for operands. */
  readonly marks: string;
}

export interface Program {
  /** `git log` for a sub-command. */
  readonly path: string;
  readonly options: ReadonlyMap<string, Option>;
  readonly slots: readonly Slot[];
  /** Letters of styles, which `programs/words.txt` explains as well. */
  readonly style: string;
  readonly language: string | null;
  readonly readsInput: boolean;
  /** It only reads, as long as everything it is given is known and harmless. */
  readonly isReader: boolean;
  /** Where to look up options that are not found here. */
  readonly parent: Program | null;
  /** It has an option that a prefix rule does not cover. */
  readonly hasRisk: boolean;
}

const MACRO = /\$[A-Z]+/g;
/** Tables are parsed when a program is first looked up. */
let text: string | null = null;
let macros: ReadonlyMap<string, string> = new Map();
/** The lines of each program. Searching for a few is quicker than building this, which most lines never need. */
let lines: ReadonlyMap<string, readonly string[]> | null = null;
let sought = 0;
const MOST_SOUGHT = 64;
const tables = new Map<string, ReadonlyMap<string, string>>();
const known = new Map<string, Program | null>();

/** The table of a program by its base name, ignoring versions and variants: `python3.11`, `vim.tiny`, `gcc-12`. */
export function programOf(name: string): Program | null {
  const [bare = ""] = name.split(/(?:\.(?:tiny|basic|nox|gtk3|exe|real|so.*)|-?\d[\d.]*)$/);
  return load(name) ?? (bare.length < 2 || bare === name ? null : load(bare));
}

/** The table of a sub-command. */
export function subOf({ path }: Program, name: string): Program | null {
  return name === "*" ? null : load(`${path} ${name}`);
}

/** The table for sub-commands without one of their own. */
export function otherSub({ path }: Program): Program | null {
  return load(`${path} *`);
}

function load(path: string): Program | null {
  const found = known.get(path);
  if (found !== undefined) return found;
  const line = linesOf(path.split(" ", 1)[0] ?? "")?.get(path);
  const made = line === undefined ? null : parse(path, line);
  // Names come from command lines: only known ones are cached.
  if (made !== null) known.set(path, made);
  return made;
}

/** The table lines of a program. */
function linesOf(name: string): ReadonlyMap<string, string> | null {
  const found = tables.get(name);
  if (found !== undefined) return found;
  const own = findLines(name);
  if (own.length === 0) return null;
  const made = new Map(own.flatMap((line) => pathsOf(line, name).map((path) => [path, line])));
  tables.set(name, made);
  return made;
}

function findLines(name: string): readonly string[] {
  if (name === "") return [];
  text ??= readText();
  if (lines === null && sought++ < MOST_SOUGHT) return seek(text, name);
  lines ??= index(text);
  return lines.get(name) ?? [];
}

function readText(): string {
  const all = PROGRAMS.join("");
  macros = new Map([...all.matchAll(/^(\$[A-Z]+) (.*)$/gm)].map(([, name = "", tokens = ""]) => [name, tokens]));
  return all;
}

function seek(all: string, name: string): readonly string[] {
  const found: string[] = [];
  for (let at = all.indexOf(name); at !== -1; at = all.indexOf(name, at + 1)) {
    const isWhole = "\n|,".includes(all[at - 1] ?? " ") && " ,|:".includes(all[at + name.length] ?? "\n");
    if (!isWhole) continue;
    const start = all.lastIndexOf("\n", at) + 1;
    if (all[start] !== "$" && !all.slice(start, at).includes(":")) found.push(all.slice(start, all.indexOf("\n", at)));
  }
  return found;
}

/** `a,b c,d|e: tokens` is the table of `a c`, `a d`, `b c`, `b d` and `e`; `::` marks readers; `$NAME …` is a macro. */
function index(all: string) {
  const found = new Map<string, string[]>();
  for (const line of all.split("\n"))
    for (const head of headsOf(line))
      for (const name of namesOf(head)) if (found.get(name)?.push(line) === undefined) found.set(name, [line]);
  return found;
}

function headsOf(line: string): readonly string[] {
  return line.startsWith("$") || line === "" ? [] : line.slice(0, line.indexOf(":")).split("|");
}

function namesOf(head: string): readonly string[] {
  return (head.split(" ", 1)[0] ?? "").split(",");
}

function pathsOf(line: string, name: string): readonly string[] {
  const own = headsOf(line).filter((head) => namesOf(head).includes(name));
  return own.flatMap((head) => product([name, ...head.split(" ").slice(1)]));
}

function product([first = "", ...rest]: readonly string[]): readonly string[] {
  const names = first.split(",");
  return rest.length === 0 ? names : names.flatMap((name) => product(rest).map((behind) => `${name} ${behind}`));
}

function fill(text: string): string {
  return text.replace(MACRO, (name) => (macros.has(name) ? fill(macros.get(name) ?? "") : name));
}

function parse(path: string, line: string): Program {
  const [colons = "", ...tokens] = fill(line.slice(line.indexOf(":"))).split(" ");
  const isReader = colons === "::";
  const options = new Map<string, Option>();
  const slots: Slot[] = [];
  let [style, language, readsInput] = ["", null as string | null, false];
  for (const token of tokens) {
    if (token.startsWith("[")) style = token.slice(1, -1);
    else if (token.startsWith("{")) language = token.slice(1, -1);
    else if (token === "<") readsInput = true;
    else if (/^[-+]./.test(token) || token === "+=s")
      for (const option of toOptions(token, style)) options.set(option.name, option);
    else if (token !== "") slots.push(toSlot(token, style));
  }
  const [, above, own] = /^(.*) (\S+)$/.exec(path) ?? [];
  const parent =
    above === undefined ? null : own === "*" ? inherited(load(above)) : (load(`${above} *`) ?? inherited(load(above)));
  const hasRisk = parent?.hasRisk === true || [...options.values()].some(isRisk);
  return { path, options, slots, style, language, readsInput, isReader, parent, hasRisk };
}

function inherited(program: Program | null): Program | null {
  return program?.style.includes("h") === true ? program : null;
}

const SAFE: ReadonlySet<Kind> = new Set<Kind>([
  ...(["text", "file-read", "file-read-with-rule", "folder", "archive", "file-written", "file-copied"] as const),
  ...([
    "file-moved",
    "repository-file",
    "repository-file-changed",
    "code-run",
    "address",
    "file-sent",
    "sub-command",
  ] as const),
]);

export function isRisk({ marks, values }: Option): boolean {
  return /[!~]/.test(marks) || values.some((kind) => !SAFE.has(kind));
}

/** `-abc=` are three options with a value each; one if options are whole words. Marks come before or after `=`. */
function toOptions(token: string, style: string): readonly Option[] {
  const [, written = "", before = "", text] = /^(--|[-+][^=]*?)([!@&~^$:.<;]*)(?:=(.*))?$/.exec(token) ?? [];
  const [, kinds = "", behind = "", optional] = /^(\/.*\/|!|[a-zA-Z/]*)([!@&~^$:.<;]*)(\??)$/.exec(text ?? "") ?? [];
  const values = text === undefined ? [] : toKinds(kinds, style);
  const isCluster = /^-[^-]/.test(written) && !style.includes("1");
  const names = isCluster ? [...written.slice(1)].map((letter) => `-${letter}`) : [written];
  const known = { values, isOptional: optional === "?", marks: before + behind };
  return names.map((name) => ({ ...known, name: style.includes("i") ? name.toLowerCase() : name }));
}

function toKinds(text: string, style: string): readonly Kind[] {
  if (text === "") return ["text"];
  const flags = style.includes("i") ? "si" : "s";
  return text.startsWith("/") && text.length > 1
    ? [new RegExp(text.slice(1, -1), flags)]
    : [...text].filter(isLetter).map((letter) => LETTERS[letter]);
}

function isLetter(text: string): text is keyof typeof LETTERS {
  return Object.hasOwn(LETTERS, text);
}

function toSlot(token: string, style: string): Slot {
  const [, kind = "t", many, marks = ""] = /^(\/.+\/|.)(\*?)([!@&~.]*)$/.exec(token) ?? [];
  return { kind: toKinds(kind, style)[0] ?? "text", isMany: many === "*", marks };
}
