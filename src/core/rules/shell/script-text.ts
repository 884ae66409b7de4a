import type { ShellWord } from "./command-line.ts";
import { isPlainJq } from "./jq-script.ts";
import { CLIENTS, isPlainSql } from "./sql-text.ts";

/** Scripts on a command line: which can neither run, read nor write anything else, and which programs others start. */
interface Language {
  /** Whatever is not plainly harmless counts as harmful. */
  readonly isPlain?: (script: string) => boolean;
  /** What looks like a command in it. A false match does little harm, since only deny and ask rules use these. */
  readonly started: RegExp | ((script: string) => readonly string[]);
}

const SED_ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]*|\+\d+|~\d+)`;
const SED_SUBSTITUTE = String.raw`s([^\\\na-zA-Z0-9 ])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiIMm0-9]*`;
const SED_MAP = String.raw`y([^\\\na-zA-Z0-9 ])(?:(?!\2)[^\\\n]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2`;
const SED_COMMAND = new RegExp(
  String.raw`^\s*(?:${SED_ADDRESS}(?:\s*,\s*${SED_ADDRESS})?)?\s*!?\s*(?:${SED_SUBSTITUTE}|${SED_MAP}|[aic](?:\\\n|\\| )[^\n\\]*(?=\n|$)|[pdDgGhHnNxPz=]|[qQl]\s*\d*|[btT]\s*\w*|:\s*\w+|\{|\}|#[^\n]*)?\s*(?:[;\n]|(?=\})|$)`,
);
const SED_BLOCK = /^\s*(?:[\d$,]+|\/(?:[^/\\\n]|\\.)*\/)?\s*!?\s*\{/;
/** Commands of database clients that run programs, and what is piped or in backquotes. */
const SQL_STARTED = /(?:\\!|^\s*!|[.\\]?\b(?:shell|system|sh|program)\b|\bedit\b[^;]*,|[|`])\s*'?([^\n'`]+)/gim;

/** Without a word like these no program starts another. */
const MAY_START =
  /exec|spawn|system|passthru|cmd|open|run|call|command|process|sh|fork|start|eval|require|import|getline|script|%|\bq[xqw]|[`$]|^\s*[!|]/im;
const QUOTE = /["'`]/;
/** `%x(rm x)`, `qw{rm x}` */
const BRACKETED = /(?:%[a-zA-Z]*|\bq[xqw]?|^)\s*[^\w\s,;]([^)}\]>|!/~]*)/gm;
/** What may be between two strings that are passed together. */
const BETWEEN = /^[\s\w,:=.()[\]{}]{0,20}$/;
const MOST_STRINGS = 40;
const MOST_JOINED = 8;

/**
 * Strings of a program, each with the following ones, since arguments follow their program. Text between any two quotes
 * counts, so that no stray quote hides a string.
 */
function stringsIn(script: string): readonly string[] {
  if (!MAY_START.test(script)) return [];
  const pieces = script.split(QUOTE, 2 * MOST_STRINGS);
  const joined = pieces.map((first, at) => {
    const all = [first];
    for (let next = at + 2; all.length < MOST_JOINED && BETWEEN.test(pieces[next - 1] ?? ";"); next += 2)
      all.push(pieces[next] ?? "");
    return all.join(" ").trim();
  });
  return [...joined.slice(1), ...[...script.matchAll(BRACKETED)].map(([, text = ""]) => text)];
}

const LANGUAGES: ReadonlyMap<string, Language> = new Map<string, Language>([
  [
    "sed",
    {
      isPlain: isPlainSed,
      started:
        /(?:^|[;{}\n!$/\d])\s*e\s+([^\n]+)|s([^\w\s])(?:\\.|(?!\2)[^\\\n])*\2((?:\\.|(?!\2)[^\\\n])*)\2[a-zA-Z0-9]*e/g,
    },
  ],
  ["awk", { isPlain: isPlainAwk, started: /"((?:\\.|[^"\\])*)"/g }],
  ["jq", { isPlain: isPlainJq, started: /$^/g }],
  [
    "yq",
    {
      isPlain: (text) => !/(?<![.\w])(?:load\w*|env|strenv|envsubst|system|eval|import|include)\b|\$ENV/.test(text),
      started: /$^/g,
    },
  ],
  ...CLIENTS.map((client): readonly [string, Language] => [
    client,
    { isPlain: (text) => isPlainSql(client, text), started: SQL_STARTED },
  ]),
  ["editor", { started: /(?:!|\bsystem(?:list)?\(\s*["'])([^\n"']+)/g }],
  [
    "debugger",
    { started: (text) => [...matchesOf(/(?:\\!|^\s*!|\b(?:shell|system)\b)\s*([^\n]+)/gm, text), ...stringsIn(text)] },
  ],
  ["tcl", { started: /\b(?:spawn|exec|system|send)\s+(?:-\w+\s+)*["{]?([^\n;\]"}\\]+)/g }],
  ["m4", { started: /\be?syscmd\(\s*`?([^)']+)/g }],
  ["make", { started: /[:;\t(]\s*[@-]?([^\n:=]+)/g }],
  ["words", { started: /^(.*\S\s+\S.*)$/gs }],
  ["code", { started: stringsIn }],
]);

/** No honest one-liner is longer; also bounds the cost of the patterns above. */
const MAX_PLAIN = 1_000;
const MAX_SCRIPT = 4_000;

/** Whether a script only works on the program's input. */
export function isPlainScript(language: string | null, { text, isStatic }: ShellWord): boolean {
  const isPlain = LANGUAGES.get(language ?? "")?.isPlain;
  return isPlain !== undefined && isStatic && text.length <= MAX_PLAIN && isPlain(text);
}

/** The programs that a text starts, as far as that can be read. */
export function startedBy(language: string | null, word: ShellWord): readonly ShellWord[] {
  const started = LANGUAGES.get(language ?? "")?.started;
  if (started === undefined || (language === "awk" && !/\||\bgetline\b|\bsystem\b/.test(word.text))) return [];
  const script = word.text.slice(0, MAX_SCRIPT);
  const found = typeof started === "function" ? started(script) : matchesOf(started, script);
  return found.map((text) => ({ ...word, text: text.replace(/\\(["\\])/g, "$1") }));
}

function matchesOf(pattern: RegExp, script: string): readonly string[] {
  return [...script.matchAll(pattern)].map(([, program, , other = ""]) => program ?? other);
}

function isPlainSed(script: string): boolean {
  let rest = script;
  while (rest.trim() !== "") {
    const read = SED_COMMAND.exec(rest)?.[0] || (SED_BLOCK.exec(rest)?.[0] ?? "");
    if (read === "") return false;
    rest = rest.slice(read.length);
  }
  return true;
}

/** No pipes, files, calls that run programs or reach functions by name. A pattern containing one counts too. */
function isPlainAwk(script: string): boolean {
  const text = script.replace(/\|\|/g, "");
  // Only printed text can be redirected.
  const printed = text.indexOf("print");
  const isRedirected = printed !== -1 && text.slice(printed).replace(/>=/g, "").includes(">");
  return !isRedirected && !/[|@]|\bgetline\b|\bsystem\b|\b(?:ENVIRON|ARGV|PROCINFO|SYMTAB|FUNCTAB)\b/.test(text);
}
