import type { ShellWord } from "../../core/rules/shell/command-line.ts";
import { decodeAnsiC } from "./ansi-c.ts";
import { joinWords, optionValues } from "./wrapped-words.ts";

type Words = readonly ShellWord[];

/**
 * Texts that a program may run as commands, as far as they can be seen. Only deny and ask rules look at them, so one too
 * many does little harm: a script is not parsed here, what looks like a command in it is taken out.
 * `given` is what it reads as a script.
 */
export function guessTexts(name: string, rest: Words, given: Words): Words {
  const options = GUESSED_OPTIONS.get(name);
  const values =
    options === undefined ? [] : optionValues(rest, options.split(" ")).flatMap((word) => [word, withoutKey(word)]);
  return [...values, ...(SCRIPTS.get(name)?.([...rest, ...given]) ?? [])];
}

/** Options whose value may be a command, or say `key=command`. */
const GUESSED_OPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ssh: "-o",
    scp: "-o",
    sftp: "-o",
    autossh: "-o",
    git: "-c --tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter --setup --exec",
    docker: "--entrypoint --health-cmd",
    podman: "--entrypoint --health-cmd",
    fd: "-x -X --exec --exec-batch",
    fdfind: "-x -X --exec --exec-batch",
    mapfile: "-C",
    readarray: "-C",
    complete: "-C -W",
    compgen: "-C -W",
    hash: "-p",
    npm: "-c --call",
    make: "-E --eval",
    fish: "--command -C --init-command",
    pwsh: "-c -Command",
    powershell: "-c -Command",
    bind: "-x",
    xterm: "-e",
    su: "--session-command",
  }),
);

/** `core.pager=less`, `ProxyCommand=nc`, `"\C-a":less`: the command stands behind the key. */
function withoutKey(word: ShellWord): ShellWord {
  return { ...word, text: word.text.replace(/^(?:[\w.-]+=!?|[A-Z]\w+ |"[^"]*"\s*:)/, "") };
}

const SCRIPTS: ReadonlyMap<string, (words: Words) => Words> = new Map([
  ...named("sed gsed", (words) => words.flatMap((word) => taken(word, SED))),
  ...named("awk gawk mawk nawk", (words) =>
    words.flatMap((word) => (RUNS_AWK.test(word.text) ? taken(word, STRING) : [])),
  ),
  ...named("vi vim view nvim ex gvim vimdiff less more man", (words) => words.flatMap((word) => taken(word, BANG))),
  ...named("gdb lldb sqlite3 psql mysql mariadb ftp", (words) => words.flatMap((word) => taken(word, SHELL_WORD))),
  ...named("expect tclsh wish", (words) => words.flatMap((word) => taken(word, TCL))),
  ...named("make gmake", (words) =>
    words.filter(({ text }) => /\s/.test(text)).flatMap((word) => [word, withoutKey(word)]),
  ),
  ...named("git", (words) => valuesOfConfig(words)),
]);

function named(names: string, find: (words: Words) => Words): readonly (readonly [string, (words: Words) => Words])[] {
  return names.split(" ").map((name) => [name, find] as const);
}

/** Programs whose input is such a script. */
export const READS_SCRIPTS = new Set(
  "gdb lldb sqlite3 psql mysql mariadb ftp expect tclsh wish make gmake ex ed".split(" "),
);

/** Longer texts are programs, which nobody writes on a command line. */
const MAX_SCRIPT = 4_000;
/** `e command`, and the replacement of `s///e`. */
const SED =
  /(?:^|[;{}\n!$/\d])\s*e\s+([^\n]+)|s([^\w\s])(?:\\.|(?!\2)[^\\\n])*\2((?:\\.|(?!\2)[^\\\n])*)\2[a-zA-Z0-9]*e/g;
const RUNS_AWK = /\||\bgetline\b|\bsystem\b/;
const STRING = /"((?:\\.|[^"\\])*)"/g;
const BANG = /!([^\n]+)/g;
const SHELL_WORD = /(?:\\!|^\s*!|[.\\]?\b(?:shell|system|sh)\b)\s*([^\n]+)/gm;
const TCL = /\b(?:spawn|exec|system)\s+([^\n;\]]+)/g;

function taken(word: ShellWord, pattern: RegExp): Words {
  return [...word.text.slice(0, MAX_SCRIPT).matchAll(pattern)].map((found) => {
    const text = found[1] ?? found[3] ?? "";
    return { ...word, text: text.replace(/\\(["\\])/g, "$1") };
  });
}

/** `git config core.editor x` keeps a command for later. */
function valuesOfConfig(words: Words): Words {
  const at = words.findIndex(({ text }) => text === "config");
  const operands = at === -1 ? [] : words.slice(at + 1).filter(({ text }) => !text.startsWith("-"));
  return operands.filter(({ text }) => /\s/.test(text)).map((word) => ({ ...word, text: word.text.replace(/^!/, "") }));
}

/** What `echo` and `printf` may print: the words as they stand, without options, with escapes decoded, in the format. */
export function guessPrinted(words: Words): Words {
  const [, ...rest] = words;
  const operands = rest.filter(({ text }, at) => !(at < 3 && /^-[neE]+$|^--$/.test(text)));
  const [format, ...values] = operands;
  if (format === undefined) return [];
  const texts = [joinWords(operands), joinWords(values), filled(format, values), ...values];
  return texts.flatMap((word) => [word, { ...word, text: decodeAnsiC(word.text).text }]);
}

function filled(format: ShellWord, values: Words): ShellWord {
  const left = [...values];
  const text = format.text.replace(/%[-0-9.]*[sbq]/g, () => left.shift()?.text ?? "");
  return { ...format, text };
}
