import { basename, isAbsolute, join } from "node:path";
import { isCodeName } from "./file-facts.ts";
import type { HostProgram } from "./host-program.ts";

/** A path that an entry may name. */
export interface NamedPath {
  readonly path: string;
  /** It looks like a path or code, so it counts even while nothing is there. */
  readonly isExplicit: boolean;
  /** It is where an interpreter expects its program, which may be a folder or lack its extension. */
  readonly isScript: boolean;
  /** The program cannot start without it. */
  readonly isNeeded: boolean;
}

/** What separates words for a shell, and what may precede the name of a program. */
const BETWEEN_WORDS = /[\s"'`;|&<>(){}=,!]+/;

/** The words of a command line that may name a file, whatever runs it: a shell, an interpreter, the system. */
export function fileWords(line: string): readonly string[] {
  const words = line.split(BETWEEN_WORDS).filter((word) => word !== "");
  // Without a folder it is a program on the path, a branch or a name, unless it is given to a program to run.
  return words.filter((word, at) => !/[*?:]/.test(word) && (word.includes("/") || (at > 0 && word.includes("."))));
}

/** Programs that run the file after them, and options that take code to load. */
const TAKES_CODE =
  /^(?:node|nodejs|bun|bunx|deno|tsx|ts-node|npx|python[\d.]*|uv|pypy[\d.]*|ruby|perl|php|lua|bash|sh|zsh|ksh|run|exec|source|\.|-r|-m|--require|--import|--loader|--experimental-loader|--preload)$/;

/** Every word of the command line and of variables that may be a file or folder. */
export function namedPaths({ words, folder, env = new Map(), isLine = false }: HostProgram, home: string) {
  const named: NamedPath[] = [];
  const look = (given: readonly string[], isCommandLine: boolean): void => {
    let before = "";
    const folders = [folder];
    for (const [at, word] of given.entries()) {
      const isScript = TAKES_CODE.test(basename(before));
      const isCommand = isCommandLine && at === 0;
      for (const one of toPaths(word)) {
        if (isCommand && !one.includes("/")) continue;
        const isSpelled = /^(?:\.{0,2}|~)\//.test(one) || isCodeName(one) || (isCommand && one.includes("/"));
        // Where a variable leads is unknown, and a text with blanks may be code.
        const isExplicit = isSpelled && !/[\s$%\\]/.test(one);
        const mayBe = isExplicit || one.includes("/") || one.includes(".") || isScript;
        const isNeeded = isCommandLine && !isLine && (isCommand || (isScript && isFirst(given, at)));
        if (mayBe) named.push({ path: toNamedPath(one, folder, home), isExplicit, isScript, isNeeded });
        if (before === "-m") named.push(...toModule(one, folder));
        const elsewhere = isAbsolute(one) ? [] : folders.slice(1).map((other) => join(other, one));
        named.push(...elsewhere.map((path) => ({ path, isExplicit: false, isScript, isNeeded: false })));
        if (before === "cd") folders.push(toNamedPath(one, folder, home));
      }
      if (!word.startsWith("-") || TAKES_CODE.test(word)) before = word;
    }
  };
  look(words, true);
  look(words.join(" ").split(BETWEEN_WORDS), true);
  for (const value of env.values()) look(value.split(BETWEEN_WORDS), false);
  return named;
}

/** Packages that a program fetches and runs, without their versions. */
export function fetchedPackages({ words }: HostProgram): readonly string[] {
  const all = words.join(" ").split(BETWEEN_WORDS);
  return all.flatMap((word, at) => {
    const next = all.slice(at + 1).find((one) => !one.startsWith("-") && !/^(?:exec|dlx|x)$/.test(one));
    const isManager = /^(?:npm|pnpm|yarn|bun)$/.test(basename(all[at - 1] ?? ""));
    const isFetching = /^(?:npx|bunx|pnpx)$/.test(basename(word)) || (isManager && /^(?:exec|dlx|x)$/.test(word));
    return isFetching && next !== undefined ? [next.replace(/(?<=.)@[^/]*$/, "")] : [];
  });
}

/** Whether only options are between the program and this word. */
function isFirst(words: readonly string[], at: number): boolean {
  return words.slice(1, at).every((word) => word.startsWith("-"));
}

/** `server.py:app` names a file and something in it. */
function toPaths(word: string): readonly string[] {
  const path = word.startsWith("file://") ? word.slice("file://".length) : word;
  if (path === "" || path.startsWith("-") || /[*?\n\0]/.test(path) || path.includes("://") || path.startsWith("@"))
    return [];
  return path.includes(":") ? path.split(":").filter((part) => part !== "" && part !== "." && part !== "/") : [path];
}

function toModule(name: string, folder: string): readonly NamedPath[] {
  const path = join(folder, ...name.split("."));
  return [`${path}.py`, join(path, "__main__.py"), join(path, "__init__.py")].map((file) => ({
    path: file,
    isExplicit: false,
    isScript: false,
    isNeeded: false,
  }));
}

/** The absolute path; `~` is the user's own home. */
export function toNamedPath(value: string, folder: string, home: string): string {
  if (value.startsWith("~/")) return join(home, value.slice(2));
  return isAbsolute(value) ? join(value) : join(folder, value);
}
