import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { needs } from "../../../test/support/machine.ts";
import { type ShellWord, UNKNOWN_TEXT } from "../../core/rules/shell/command-line.ts";
import { createShellReader } from "./read-command-line.ts";

/** One call of `show` as it is written down. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they stand between the calls
const CALL = /(\d+):([^\u0003]*)\u0003/g;
const RUNS = Number(process.env.RUNS ?? 150);
const { read } = await createShellReader();

const NAMES = ["x", "y", "f"];
const TEXTS = [
  "a",
  "-o",
  "src/b.ts",
  "'a b'",
  "'a -o c'",
  "./*",
  "*.ts",
  "src/*.ts",
  "{a,-b}",
  "{1..3}",
  "''",
  "~/h",
  "HEAD~1",
];
const USES = [
  '"$x"',
  "$x",
  '"$y"',
  "$y",
  '"$f"',
  "$f",
  '"./$x"',
  "./$y",
  '"${x:-d}"',
  '"${f%.ts}.js"',
  '"${y%b}"',
  '-n"$x"',
  "--to=$y",
  '"$x$y"',
  '"$HOME/z"',
  '"$PWD"',
  '"$(pwd)/z"',
  "a$HOME",
  '"$@"',
  "$#",
  '"$(echo -o)"',
  "`echo a -o`",
  "{$x,k}",
];
const SETS = [
  "%=%v",
  '%="$y/k"',
  "%=$x",
  "%+=%v",
  "unset %",
  "read -r % <<< %v",
  "printf -v % %s %v",
  "export %=%v",
  "%=%v show",
  "declare %=%v",
  ': "${%:=-o}"',
  "{ %=%v; }",
  "(%=%v)",
  "true",
  "false",
  "IFS=b",
  "%=$(echo -o)",
  "g() { %=%v; }",
  "g",
  "pwd() { echo -o; }",
  "cd src",
];

/** Lines that set variables in many ways and show what comes of them. */
const commands: fc.Arbitrary<string> = fc.letrec<{ list: string; command: string }>((tie) => ({
  list: fc
    .array(fc.tuple(tie("command"), fc.constantFrom("; ", "; ", " && ", " || ", "\n", " | ", " & ")), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.map(([command, end], at) => command + (at === parts.length - 1 ? "" : end)).join("")),
  command: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.tuple(fc.constantFrom(...USES), fc.constantFrom(...USES)).map(([a, b]) => `show ${a} ${b}`),
    fc
      .tuple(fc.constantFrom(...SETS), fc.constantFrom(...NAMES), fc.constantFrom(...TEXTS))
      .map(([set, name, text]) => set.replace("%v", text).replace("%", name)),
    fc
      .tuple(
        fc.constantFrom(...NAMES),
        fc.array(fc.constantFrom(...TEXTS, '"$y"', "$x", '"$x"/*'), { minLength: 1, maxLength: 3 }),
        tie("list"),
      )
      .map(([name, values, list]) => `for ${name} in ${values.join(" ")}; do ${list}; done`),
    tie("list").map((list) => `if true; then ${list}; fi`),
    tie("list").map((list) => `if false; then :; else ${list}; fi`),
    tie("list").map((list) => `( ${list} )`),
    tie("list").map((list) => `case a in a) ${list};; esac`),
  ),
})).list;

/** Every word as the shell may make it; what was read as one word, as no option or as several has to be so. */
function toPattern({ text, isStatic, hasGlob, hasTilde, nature }: ShellWord, home: string): string {
  if (nature === "several") return "(?:[^\\u0004]*\\u0004)*";
  const known = hasTilde ? text.replace(/^~/, home) : text;
  const escaped = known.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // The current folder is read as `.`, and bash says its whole name.
  const open = isStatic
    ? escaped.replace(/^\\\.(?=\/|$)/, `(?:\\.|${home}(?:/src)?)`)
    : escaped.replaceAll(UNKNOWN_TEXT, "[^\\u0004]*").replaceAll("\\*", hasGlob ? "[^\\u0004]*" : "\\*");
  // A pattern of the shell may become several words, each of which fits.
  return `${nature === "operand" ? "(?!-)" : ""}${open}\\u0004${hasGlob ? `(?:${open}\\u0004)*` : ""}`;
}

function toPatterns(line: string, home: string): readonly RegExp[] {
  const shown = read(line).commands.filter(({ words }) => words[0]?.text === "show");
  return shown.map(({ words: [, ...words] }) => {
    return new RegExp(`^${words.map((word) => toPattern(word, home)).join("")}$`, "s");
  });
}

describe("what is known of the words of a line", () => {
  test("is what bash makes of them", { ...needs("bash"), timeout: 300_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), "toolcrib-values-"));
    mkdirSync(join(folder, "src"));
    for (const name of ["src/b.ts", "src/a -o.ts", "-w.ts", "k.ts"]) writeFileSync(join(folder, name), "");
    const lines = fc.sample(commands, { seed: 13, numRuns: RUNS });
    const env = { PATH: process.env.PATH, HOME: folder, x: "-o e", y: "--to z", f: "-f" };
    // Each call is written at once, so that those in pipes and in the background do not mix.
    const show =
      "show() { local all=; [ $# = 0 ] || printf -v all '%s\\4' \"$@\"; printf '%s\\3' \"$line_at:$all\" >&9; }; exec 9>&1\n";
    const script = lines.map((line, at) => `line_at=${at}\n( eval ${quote(line)} ) >/dev/null 2>&1 </dev/null`);
    const { stdout } = spawnSync("bash", ["-s"], {
      input: show + script.join("\n"),
      cwd: folder,
      env,
      encoding: "utf8",
    });
    rmSync(folder, { recursive: true });
    const calls = [...stdout.matchAll(CALL)].map(([, at, words = ""]) => ({ line: lines[Number(at)] ?? "", words }));
    expect(calls.length).toBeGreaterThan(RUNS);
    const fits = new Map(lines.map((line) => [line, toPatterns(line, folder)]));
    expect(calls.filter(({ line, words }) => fits.get(line)?.some((one) => one.test(words)) !== true)).toEqual([]);
  });
});

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
