import { PROGRAMS } from "../programs/programs.ts";

/** What a value or an operand is: a letter of `LETTERS`, or a pattern that harmless text fits. */
export type Kind = keyof typeof LETTERS | RegExp;

/** The letters of the tables. Whoever wrote a rule for the program meant the ones marked with `·`. */
const LETTERS = {
  t: "text ·",
  r: "a file that is read ·",
  q: "a file that is read where nobody expects it: needs a Read rule",
  z: "an archive: read, or written where one is made ·",
  w: "a file that is written, which is what the program is for ·",
  W: "a file that is written: needs a Write rule",
  c: "a file that is copied to the last operand ·",
  h: "the same to another machine, so that it has to lie in the workspace",
  m: "a file that is moved to the last operand ·",
  k: "what a link leads to",
  g: "a file of the repository, or a revision ·",
  G: "a file of the repository that is changed ·",
  d: "a folder to work in, which has to lie in the workspace",
  l: "a file of code that is run ·",
  L: "a file of code or settings that is loaded besides",
  x: "a command line for a shell",
  y: "text that may become a command: `key=command`, `EXEC:command`",
  p: "the program to run, with everything behind it",
  e: "the program to run, up to `;` or `+`",
  E: "the program to run, with the words that would else be one",
  j: "the command line to run: all words that are left",
  o: "any word may be the program to run",
  s: "a script in the language of the program",
  a: "NAME=value for the environment",
  B: "NAME=value for the shell alone",
  A: "NAME=value for the program itself",
  v: "the name of a variable",
  b: "text in which brackets run code",
  f: "text, or a file behind `@` that is sent away",
  u: "an address ·",
  U: "a file with addresses",
  "!": "what no prefix covers",
  "/": "the name of a sub-command",
} as const;

export interface Option {
  readonly name: string;
  readonly values: readonly Kind[];
  /** The value only counts if joined to the option. */
  readonly isOptional: boolean;
  /**
   * `!` asks, `@` goes through folders, `&` follows links there, `~` changes its operands, `^` stands for the first operand,
   * `$` for the last one, `:` makes the first one a command line, `.` means that nothing is run, `<` that the input is the script, `;` that no option follows.
   */
  readonly marks: string;
}

export interface Slot {
  readonly kind: Kind;
  readonly isMany: boolean;
  /** As those of options; `.` means that without an operand it is the current folder, and of a sub-command that there may be none. */
  readonly marks: string;
}

export interface Program {
  /** `git log` for a sub-command. */
  readonly path: string;
  readonly options: ReadonlyMap<string, Option>;
  readonly slots: readonly Slot[];
  /**
   * `z` it has no options, `1` options are whole words behind one dash, `j` values may be joined to those, `i` case does not count, `s` options
   * end at the first operand, `b` the first word is a bundle without a dash, `n` `--` is a word, `d` unknown words are
   * data, `h` options hold for sub-commands too, `T` allow rules see through it, `!` a rule has to spell
   * it out, `?` or at least the word before it, `+` words are added to what it runs, `o` options that it does not name are
   * many, and count for what they look like, `P` a rule for it means the project's own tools too, and `t` is one of these.
   */
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

const SAFE = new Set<unknown>([..."trqdzwcmgGluh/"]);

export function isRisk({ marks, values }: Option): boolean {
  return /[!~]/.test(marks) || values.some((kind) => !SAFE.has(kind));
}

/** `-abc=` are three options with a value each; where options are whole words it is one. Marks stand before `=` or behind. */
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
  if (text === "") return ["t"];
  const flags = style.includes("i") ? "si" : "s";
  return text.startsWith("/") && text.length > 1 ? [new RegExp(text.slice(1, -1), flags)] : [...text].filter(isLetter);
}

function isLetter(text: string): text is keyof typeof LETTERS {
  return Object.hasOwn(LETTERS, text);
}

function toSlot(token: string, style: string): Slot {
  const [, kind = "t", many, marks = ""] = /^(\/.+\/|.)(\*?)([!@&~.]*)$/.exec(token) ?? [];
  return { kind: toKinds(kind, style)[0] ?? "t", isMany: many === "*", marks };
}
