import { basename, dirname, extname, join } from "node:path";

/** What a program may find at a path without an extension, or with another one than its source has. */
const ENDINGS = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".node", ".py", ".sh"];

/** The entry files of a folder. */
export const ENTRIES = ["package.json", ...ENDINGS.slice(0, 9).map((ending) => `index${ending}`), "__main__.py"];

/**
 * The further code that a file's code refers to. It is not executed for that: literal paths count, computed names are
 * unknown. `entry` is the file that was started.
 */
export function findImports(path: string, text: string, entry: string): readonly string[] {
  const folders = [...new Set([dirname(path), dirname(entry)])];
  switch (languageOf(path, text)) {
    case "javascript":
      return matchesOf(text, RELATIVE).flatMap(([, named = ""]) => candidates(join(dirname(path), named)));
    case "python":
      return findModules(text).flatMap((module) => folders.flatMap((folder) => toModuleFiles(module, folder)));
    case "shell":
      return matchesOf(text.replaceAll(/[ \t]+/g, " "), COMMANDS).flatMap(([, named = ""]) =>
        folders.map((folder) => join(folder, named)),
      );
    case null:
      return [];
  }
}

/** Names of packages that JavaScript loads, including those of Node itself. */
export function findPackages(path: string, text: string): readonly string[] {
  if (languageOf(path, text) !== "javascript") return [];
  const named = matchesOf(text, PACKAGE).map(([, first = "", rest = ""]) => first + rest);
  return [...new Set(named)].filter((name) => !name.startsWith("node:"));
}

const PACKAGE =
  /(?:\bfrom|\bimport|\brequire|\bresolve)\s{0,40}\(?\s{0,40}["'`](@[\w.~-]{1,100}\/|)([\w~-][\w.~:-]{0,200})(?=[/"'`])/g;

/** A path as written, and the files that a loader would try there. */
export function candidates(path: string): readonly string[] {
  const ending = extname(path);
  const bare = ENDINGS.includes(ending) ? [path.slice(0, -ending.length)] : [];
  return [
    path,
    ...[path, ...bare].flatMap((front) => ENDINGS.map((other) => front + other)),
    ...ENTRIES.map((name) => join(path, name)),
  ];
}

const MOST_MATCHES = 2_000;

function matchesOf(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(pattern)) if (found.push(match) >= MOST_MATCHES) break;
  return found;
}

/* These files are untrusted, so every pattern examines a bounded piece of text. */

/** Every string that is a relative path: of imports, `require`, workers and processes. */
const RELATIVE = /["'`](\.{1,2}\/[^"'`\n$]{1,300})["'`]/g;

/**
 * A path in command position, or after a word that takes one. Folders in variables, as in `"$(dirname "$0")/lib.sh"`,
 * count as the script's own.
 */
const COMMANDS =
  /(?<=(?:^|[;&|({`]|\b(?:then|do|else|exec|source|sudo|env|bash|sh|zsh|node|bun|deno|tsx|run|python3?|ruby|perl|php)|(?:^|\s)\.(?= )) ?["']?)(?:\$\([^()\n]{0,200}\)|\$\{[^}\n]{0,200}\}|\$\w{1,200})?["']?\/?((?:[\w.@~+-]{1,200}\/){0,40}[\w.@~+-]{1,200})/gm;

const IMPORT =
  /^[ \t]{0,80}(?:from[ \t]{1,40}(\.{0,20}\w[\w.]{0,200}|\.{1,20})[ \t]{1,40}import[ \t]{1,40}\(?([\w, \t]{0,400})|import[ \t]{1,40}([\w., \t]{1,400}))/gm;

function findModules(text: string): readonly string[] {
  return matchesOf(text, IMPORT).flatMap(([, from, members = "", plain]) => {
    if (from === undefined) return (plain ?? "").split(",").map((name) => name.trim().split(/\s+/)[0] ?? "");
    const front = from === "" || from.endsWith(".") ? from : `${from}.`;
    return [from, ...members.split(",").map((name) => front + (name.trim().split(/\s+/)[0] ?? ""))];
  });
}

function toModuleFiles(module: string, folder: string): readonly string[] {
  const [, dots = "", name = ""] = /^(\.*)(.*)$/.exec(module) ?? [];
  const base = join(folder, ...Array.from({ length: Math.max(0, dots.length - 1) }, () => ".."));
  const parts = name.split(".").filter((part) => part !== "");
  return parts.flatMap((_, at) => {
    const place = join(base, ...parts.slice(0, at + 1));
    return [`${place}.py`, join(place, "__init__.py"), join(place, "__main__.py")];
  });
}

type Language = "javascript" | "python" | "shell";

const LANGUAGES: ReadonlyMap<string, Language> = new Map<string, Language>([
  ...["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"].map((ending): [string, Language] => [
    `.${ending}`,
    "javascript",
  ]),
  ...["py", "pyw"].map((ending): [string, Language] => [`.${ending}`, "python"]),
  ...["sh", "bash", "zsh", "ksh"].map((ending): [string, Language] => [`.${ending}`, "shell"]),
]);

function languageOf(path: string, text: string): Language | null {
  const known = LANGUAGES.get(extname(path).toLowerCase());
  if (known !== undefined) return known;
  const [first = ""] = /^#!.*/.exec(text) ?? [];
  const words = first.slice(2).trim().split(/\s+/);
  const program = words.map((word) => basename(word)).find((word) => word !== "env" && !word.startsWith("-")) ?? "";
  if (/^(?:node|nodejs|bun|deno|tsx)$/.test(program)) return "javascript";
  if (program.startsWith("python")) return "python";
  return /^(?:ba|z|k|da|a)?sh$/.test(program) ? "shell" : null;
}
