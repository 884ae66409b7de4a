import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { defaultOrigin, sourced } from "../../core/codes/origin.ts";
import { compileRules } from "../../core/rules/compile-rules.ts";
import { decide } from "../../core/rules/decide.ts";
import { parseRule } from "../../core/rules/rule.ts";
import { createShellReader, type ShellReader } from "./read-command-line.ts";

const CASES = new URL("../../../test/fixtures/security/shell-cases.jsonl", import.meta.url);
const WORLD = { cwd: "/home/dev/project", workspace: "/home/dev/project", home: "/home/dev", readLink: () => null };
let reader: ShellReader;

beforeAll(async () => {
  reader = await createShellReader();
});

/** Everything around the denied command is allowed, so that only the deny rule stands between it and the shell. */
const ALLOW = [
  ..."ls echo cat true : bash sh env sudo timeout nice nohup xargs find eval trap command time git tee read test [ [[ stdbuf setsid printf"
    .split(" ")
    .map((name) => `Bash(${name}:*)`),
  "Write(./**)",
];

/** A blank after "$(" keeps a subshell from turning into arithmetic, which runs nothing. */
type Transform = (command: string) => string;

const single = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const double = (text: string): string => `"${text.replace(/["\\$`]/g, "\\$&")}"`;
/** On the first word only, so that it stays the same command. */
const onName =
  (change: (name: string) => string): Transform =>
  (command) =>
    command.replace(/^[a-z]+/, change);

const TRANSFORMS: Readonly<Record<string, Transform>> = {
  "quotes in the name": onName((name) => `${name[0]}''${name.slice(1)}`),
  "double quotes in the name": onName((name) => `"${name}"`),
  "a backslash in the name": onName((name) => `\\${name}`),
  "ANSI-C quotes": onName((name) => `$'\\x${name.charCodeAt(0).toString(16)}'${name.slice(1)}`),
  "a joined line": onName((name) => `${name[0]}\\\n${name.slice(1)}`),
  "a path": onName((name) => `/usr/bin/../bin/${name}`),
  blanks: (command) => `  \t${command.replaceAll(" ", "   ")}  `,
  "a list": (command) => `ls && ${command} || true`,
  "a semicolon": (command) => `echo a;${command}`,
  "a pipe": (command) => `echo a|${command}`,
  "the background": (command) => `ls & ${command} &`,
  "a new line": (command) => `# nothing\nls\n\n${command}\n`,
  "a substitution": (command) => `echo $( ${command})`,
  "a quoted substitution": (command) => `echo "a $( ${command}) b"`,
  backquotes: (command) => (command.includes("`") || command.includes("\\") ? command : `echo \`${command}\``),
  "a process substitution": (command) => `cat <(${command})`,
  "a default value": (command) => (command.includes("}") ? command : `echo \${x:-$( ${command})}`),
  "a here-document": (command) => `cat <<EOT\n$( ${command})\nEOT`,
  "a here-string": (command) => `cat <<< "$( ${command})"`,
  "a loop": (command) => `for i in 1 2; do ${command}\ndone`,
  "a while loop": (command) => `while ${command}\ndo ls; done`,
  "a branch": (command) => `if true; then ${command}\nfi`,
  "an else branch": (command) => `if true; then ls; else ${command}\nfi`,
  "a case": (command) => `case a in a) ${command}\n;; esac`,
  "a function": (command) => `f() { ${command}\n}; f`,
  "a group": (command) => `{ ${command}\n}`,
  "a subshell": (command) => `( ${command}\n)`,
  "a negation": (command) => `! ${command}`,
  "an assignment": (command) => `FOO=1 ${command}`,
  "a harmless assignment": (command) => `CI=1 ${command}`,
  "a redirection before": (command) => `2>/dev/null ${command}`,
  eval: (command) => `eval ${single(command)}`,
  "sh -c": (command) => `sh -c ${single(command)}`,
  "bash -c in double quotes": (command) => `bash -c ${double(command)}`,
  "a trap": (command) => `trap ${single(command)} EXIT`,
  env: (command) => `env ${command}`,
  "env with values": (command) => `env -i A=b ${command}`,
  sudo: (command) => `sudo -u root -- ${command}`,
  timeout: (command) => `timeout -k 1 5s ${command}`,
  nice: (command) => `nice -n 5 ${command}`,
  nohup: (command) => `nohup ${command}`,
  xargs: (command) => `echo a | xargs -n1 ${command}`,
  find: (command) => `find . -exec ${command} \\;`,
  command: (command) => `command ${command}`,
  time: (command) => `time ${command}`,
};

/** These take words, not a whole line with operators in it. */
const WORDS_ONLY = new Set(
  "env|env with values|sudo|timeout|nice|nohup|xargs|find|command|time|an assignment|a harmless assignment|a redirection before|a negation|a path|quotes in the name|double quotes in the name|a backslash in the name|ANSI-C quotes|a joined line".split(
    "|",
  ),
);

const isSimple = (command: string): boolean => /^[a-z]+(?: [\w./-]+)*$/.test(command);

function decisionOn(command: string, deny: readonly string[]): string {
  const toRules = (texts: readonly string[]) => texts.map((text) => sourced(parseRule(text, defaultOrigin)));
  const rules = compileRules({ allow: toRules(ALLOW), ask: [], deny: toRules(deny) }, WORLD);
  const subject = { kind: "shell", line: reader.read(command) } as const;
  const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
  return decide(call, rules, { ...WORLD, mode: "default", allowReadOnly: false }).decision;
}

const DENIED = ["rm -rf x", "rm x", "rm", "git push origin main", "git push"];
const DENY = ["Bash(rm:*)", "Bash(git push:*)"];

describe("a denied command", () => {
  test.each(Object.keys(TRANSFORMS))("is denied inside %s", (name) => {
    for (const command of DENIED) expect(decisionOn(TRANSFORMS[name]?.(command) ?? "", DENY), command).toBe("deny");
  });

  test("is never allowed, whatever 20 transformations are put around it", () => {
    const names = fc.array(fc.constantFrom(...Object.keys(TRANSFORMS)), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(...DENIED), names, (command, chosen) => {
        let text = command;
        for (const name of chosen) {
          if (WORDS_ONLY.has(name) && !isSimple(text)) continue;
          text = TRANSFORMS[name]?.(text) ?? text;
        }
        expect(decisionOn(text, DENY), text).not.toBe("allow");
      }),
      { numRuns: 400 },
    );
  });

  test("each denied security case stays so inside every transformation of whole lines", () => {
    const cases: readonly { command: string; rules: { deny: string[] }; context?: object; expect: string }[] =
      readFileSync(CASES, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    const denied = cases.filter(({ expect: wanted, context }) => wanted === "deny" && context === undefined);
    expect(denied.length).toBeGreaterThan(40);
    for (const { command, rules } of denied)
      for (const [name, transform] of Object.entries(TRANSFORMS))
        if (!WORDS_ONLY.has(name))
          expect(decisionOn(transform(command), rules.deny), `${name}: ${command}`).not.toBe("allow");
  });
});
