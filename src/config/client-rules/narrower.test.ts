import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createShellReader, type ShellReader } from "../../system/shell/read-command-line.ts";
import type { ClientRule } from "./client-rule.ts";
import { regexRule, wildcardRule, wordsRule } from "./command-words.ts";
import { compileClientRules } from "./read-client-rules.ts";
import { judgeSample } from "./sample-call.ts";

const WORLD = { cwd: "/w", home: "/h", workspace: "/w", readLink: () => null, allowReadOnly: false };
let shell: ShellReader;
beforeAll(async () => {
  shell = await createShellReader();
});

/** Words that rules and lines share, and some that only look like them. */
const WORDS = ["git", "status", "push", "npm", "run", "test", "run2", "gits", "-n", "--force", "x.txt", "build"];
const word = fc.constantFrom(...WORDS);
const command = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
const line = fc
  .tuple(command, fc.array(fc.tuple(fc.constantFrom(" && ", "; ", " | ", " || ", "\n"), command), { maxLength: 2 }))
  .map(([first, more]) => ({
    text: first + more.map(([mark, one]) => mark + one).join(""),
    commands: [first, ...more.map(([, one]) => one)],
  }));

async function allows(words: ReturnType<typeof wordsRule>, text: string): Promise<boolean> {
  if (typeof words === "string") return false;
  const rule: ClientRule = {
    ...{ client: "opencode", side: "user", list: "allow", said: "", change: null, origin: { kind: "default" } },
    rules: words.rules,
  };
  const rules = await compileClientRules([rule], WORLD);
  return judgeSample({ kind: "command", line: text }, rules, shell, WORLD).decision === "allow";
}

/** `matches` is how the client compares its pattern with one command. */
async function neverWider(
  words: ReturnType<typeof wordsRule>,
  { text, commands }: { readonly text: string; readonly commands: readonly string[] },
  matches: (one: string) => boolean,
): Promise<void> {
  if (await allows(words, text)) expect(commands.filter((one) => !matches(one))).toEqual([]);
}

describe("an allow that was taken over allows nothing that its pattern does not", () => {
  test("prefixes of words", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 3 }), line, async (words, asked) => {
        const prefix = words.join(" ");
        await neverWider(wordsRule(words, "prefix"), asked, (one) => `${one} `.startsWith(`${prefix} `));
      }),
      { numRuns: 600 },
    );
  });

  test("patterns with stars", async () => {
    const pattern = fc.array(fc.oneof(word, fc.constantFrom("*", "gi*", "*s", "te*")), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(pattern, line, async (pieces, asked) => {
        const text = pieces.join(" ");
        const escaped = text.replace(/[.+^${}()|[\]\\-]/g, "\\$&").replace(/\*/g, ".*");
        const source = escaped.endsWith(" .*") ? `${escaped.slice(0, -3)}( .*)?` : escaped;
        const meant = new RegExp(`^${source}$`, "s");
        await neverWider(wildcardRule(text, "allow"), asked, (one) => meant.test(one));
      }),
      { numRuns: 600 },
    );
  });

  test("regular expressions", async () => {
    const body = fc.constantFrom(
      "git (status|push)",
      "git (status|push)\\b",
      "npm run",
      "git .*",
      "(npm|git)",
      "[a-z]+ run",
    );
    const start = fc.constantFrom("^", "");
    const end = fc.constantFrom("", "$", ".*$", "( .*)?$");
    await fc.assert(
      fc.asyncProperty(start, body, end, line, async (from, middle, to, asked) => {
        const source = from + middle + to;
        const meant = new RegExp(source);
        await neverWider(regexRule(source, "", "allow"), asked, (one) => meant.test(one));
      }),
      { numRuns: 600 },
    );
  });
});

test("and does allow what it plainly means", async () => {
  expect(await allows(wordsRule(["git", "status"], "prefix"), "git status -s && git status")).toBe(true);
  expect(await allows(wildcardRule("npm run *", "allow"), "npm run build")).toBe(true);
  expect(await allows(wildcardRule("npm r*", "allow"), "npm run")).toBe(true);
  expect(await allows(regexRule("^git (status|diff)\\b", "", "allow"), "git diff x.txt")).toBe(true);
  expect(await allows(regexRule("^git (status|show\\b.*)$", "", "allow"), "git show x")).toBe(true);
});

describe("a deny that was taken over denies all that its pattern means", () => {
  test.each([
    [regexRule("^rm\\b", "", "deny"), ["rm x", "rm", "echo a; rm x", "env rm x"]],
    [regexRule("^rm", "", "deny"), ["rm x", "rmdir x"]],
    [regexRule("dangerous", "i", "deny"), ["echo Dangerous", "x | dangerous-thing"]],
    [wildcardRule("git push*", "deny"), ["git push", "git push origin", "git pushx", "cd x && git push"]],
    [wildcardRule("ls?", "deny"), ["lsx", "lsof"]],
    [wordsRule(["git", "push"], "prefix"), ["git push", "git -C x push"]],
  ])("%j", async (words, lines) => {
    if (typeof words === "string") throw new Error(words);
    const rule: ClientRule = {
      ...{ client: "vscode", side: "user", list: "deny", said: "", change: null, origin: { kind: "default" } },
      rules: words.rules,
    };
    const rules = await compileClientRules([rule], WORLD);
    for (const text of lines)
      expect([text, judgeSample({ kind: "command", line: text }, rules, shell, WORLD).decision]).toEqual([
        text,
        "deny",
      ]);
  });
});
