import { beforeAll, describe, expect, test } from "vitest";
import { createShellReader, type ShellReader } from "../../../system/shell/read-command-line.ts";
import { compileRules } from "../compile-rules.ts";
import { decide, type RuleContext } from "../decide.ts";
import { confine, fromSymlinks } from "../paths.ts";
import { parseRule } from "../rule.ts";

const ORIGIN = { kind: "default" } as const;
const PLACE = {
  cwd: "/home/dev/w",
  workspace: "/home/dev/w",
  home: "/home/dev",
  readLink: fromSymlinks([["out", "/etc"]], "/home/dev/w"),
};
const CONFINEMENT = confine(PLACE, () => ["/usr", "/etc", "/home/dev/.nvm"]);
let reader: ShellReader;
beforeAll(async () => {
  reader = await createShellReader();
});

type Lists = Partial<Record<"deny" | "ask" | "allow", readonly string[]>>;

interface Context extends Partial<Pick<RuleContext, "mode" | "sandboxed" | "confinement">> {
  readonly plain?: boolean;
}

function decideLine(command: string, lists: Lists, given: Context = {}): string {
  return explainLine(command, lists, given).decision;
}

function explainLine(command: string, { deny = [], ask = [], allow = [] }: Lists, given: Context = {}) {
  const { plain = false, ...context } = given;
  const parse = (list: readonly string[]) => list.map((text) => ({ value: parseRule(text, ORIGIN), origin: ORIGIN }));
  const rules = compileRules({ deny: parse(deny), ask: parse(ask), allow: parse(allow) }, PLACE);
  const subject = { kind: "shell", line: reader.read(command) } as const;
  const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
  return decide(call, rules, {
    ...PLACE,
    ...(plain ? {} : { confinement: CONFINEMENT }),
    mode: "default",
    allowReadOnly: true,
    ...context,
  });
}

const SECRETS = ["Read(.env)", "Read(**/*.key)", "Read(./secrets/**)", "Read(~/.ssh/**)"];

describe("in a sandbox that covers what must not be read", () => {
  test.each([
    "rg x",
    "grep -rn TODO .",
    "find . -name '*.ts'",
    "wc -l src/*.ts",
    "cat *",
    "for f in src/*; do head -1 $f; done",
    "cat $(git ls-files)",
    "shopt -s dotglob; cat *",
    "cd src && cat *",
  ])("%s needs no question because of Read deny rules", (command) => {
    const allow = ["Bash(shopt -s dotglob)", "Bash(cat:*)", "Bash(head:*)", "Bash(git ls-files)"];
    expect(decideLine(command, { deny: SECRETS, allow })).toBe("allow");
    expect(decideLine(command, { deny: SECRETS, allow }, { plain: true })).toBe("ask");
  });

  test.each(["cat .env", "cat secrets/a", "cat < .env", "head a.key", "cat .en*", "cat ~/.ssh/id"])(
    "%s is denied as it is elsewhere",
    (command) => expect(decideLine(command, { deny: SECRETS })).toBe("deny"),
  );

  test.each(["rg x", "cat *", "cat $x"])("%s is asked about where an ask rule names files", (command) => {
    expect(decideLine(command, { deny: SECRETS, ask: ["Read(**/*)"] })).toBe("ask");
  });

  test("what lies outside and is shown is not covered", () => {
    const allow = ["Bash(grep:*)", "Bash(cat:*)"];
    expect(decideLine("grep -r x /etc", { deny: SECRETS, allow })).toBe("ask");
    expect(decideLine("grep -r x out", { deny: SECRETS, allow })).toBe("ask");
    expect(decideLine("cat $x", { deny: SECRETS, allow })).toBe("allow");
    for (const rule of ["Read(//etc/**)", "Read(//etc/passwd)", "Read(~/.nvm/x)", "Read(~/**)", "Read(//**)"])
      expect(decideLine("cat $x", { deny: [rule], allow }), rule).not.toBe("allow");
  });
});

describe("what a command writes in the sandbox is up to rules about writing", () => {
  test.each(["sort -o out.txt in.txt", "sed -i s/a/b/ src/a.ts", "cat a.txt > out.txt", "tree -o out.txt src"])(
    "%s",
    (command) => {
      expect(decideLine(command, {})).toBe("ask");
      expect(decideLine(command, { allow: ["Edit(**)"] })).toBe("allow");
      expect(decideLine(command, { allow: ["Edit(**)"] }, { plain: true })).toBe("ask");
      expect(decideLine(command, { allow: ["Edit(docs/**)"] })).toBe("ask");
      expect(decideLine(command, { allow: ["Edit(**)"], ask: ["Edit(**/*)"] })).toBe("ask");
      expect(decideLine(command, { allow: ["Edit(**)"], deny: ["Write(**/*)"] })).toBe("deny");
      expect(decideLine(command, {}, { mode: "accept-edits" })).toBe("allow");
      expect(decideLine(command, { allow: ["Edit(**)"] }, { mode: "plan" })).toBe("deny");
    },
  );

  test.each([
    "sort -o ../out.txt in.txt",
    "sort -o AGENTS.md in.txt",
    "sort -o $x in.txt",
    "sort --compress-program=./run a",
    "sed -i -f run.sed a.ts",
    "sed -i s/a/id/e a.ts",
    "rm a.txt",
    "make > out.txt",
  ])("%s is asked about all the same", (command) => {
    expect(decideLine(command, { allow: ["Edit(**)"] })).toBe("ask");
    expect(decideLine(command, {}, { mode: "accept-edits" })).toBe("ask");
  });
});

describe("where commands in the sandbox need no question", () => {
  const sandboxed = { sandboxed: ORIGIN };

  test.each(["npm install", "python3 x.py > out.txt", "curl -o a.tgz http://x.test", "X=1 ./run", "cat a | sh"])(
    "%s runs",
    (command) => {
      expect(decideLine(command, {}, sandboxed)).toBe("allow");
      expect(decideLine(command, {}, { ...sandboxed, plain: true })).toBe("ask");
      expect(decideLine(command, {})).toBe("ask");
    },
  );

  test("deny and ask rules, protected paths and lines that nobody can read still count", () => {
    const lists = { deny: ["Bash(rm:*)"], ask: ["Bash(git push:*)", "Write(dist/**)"] };
    expect(decideLine("echo; rm x", lists, sandboxed)).toBe("deny");
    expect(decideLine("npm run build && git push", lists, sandboxed)).toBe("ask");
    expect(decideLine("npm run build > dist/log", lists, sandboxed)).toBe("ask");
    expect(decideLine("$run x", lists, sandboxed)).toBe("ask");
    expect(decideLine("echo x > .npmrc", lists, sandboxed)).toBe("ask");
    expect(decideLine("cat $x", { deny: ["Read(//etc/**)"] }, sandboxed)).toBe("ask");
  });

  test("a program is asked about where files that rules deny to be read are not covered", () => {
    const open = { ...sandboxed, confinement: { covers: () => false } };
    expect(decideLine("python3 x.py", { deny: SECRETS }, sandboxed)).toBe("allow");
    expect(decideLine("python3 x.py", { deny: SECRETS }, open)).toBe("ask");
    expect(decideLine("python3 x.py", { deny: ["Bash(rm:*)"] }, open)).toBe("allow");
  });

  test("so is what a rule allows, by name or as a whole, unless it only reads what it names", () => {
    const open = { confinement: { covers: () => false, missed: "there are too many" } };
    for (const line of ["python3 x.py", "npm test", "npm test | tail -3", "node -e 1"])
      for (const allow of [["Bash"], [`Bash(${line})`], ["Bash(npm:*)", "Bash(node:*)", "Bash(python3:*)"]])
        expect(explainLine(line, { deny: SECRETS, allow }, open)).toMatchObject({
          decision: "ask",
          text: "files that Read rules deny cannot all be hidden from commands: there are too many",
        });
    expect(decideLine("cat src/a.ts | wc -l", { deny: SECRETS, allow: ["Bash"] }, open)).toBe("allow");
    expect(decideLine("rg x", { deny: SECRETS }, open)).toBe("ask");
  });

  test("planning and not asking stay what they are", () => {
    expect(decideLine("npm install", {}, { ...sandboxed, mode: "plan" })).toBe("deny");
    expect(decideLine("npm install", {}, { ...sandboxed, mode: "dont-ask" })).toBe("allow");
    expect(decideLine("npm install", { ask: ["Bash(npm:*)"] }, { ...sandboxed, mode: "dont-ask" })).toBe("deny");
  });
});
