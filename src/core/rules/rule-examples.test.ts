import { beforeAll, expect, test } from "vitest";
import { createShellReader, type ShellReader } from "../../system/shell/read-command-line.ts";
import type { Origin } from "../codes/origin.ts";
import { checkExamples, toExplainedRule } from "./rule-examples.ts";

const WORLD = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };
const ORIGIN: Origin = { kind: "file", file: "toolcrib.yaml", line: 7 };
let reader: ShellReader;

beforeAll(async () => {
  reader = await createShellReader();
});

function check(list: "allow" | "ask" | "deny", value: unknown): void {
  checkExamples([toExplainedRule(value, list, ORIGIN)], reader.read, WORLD);
}

test("examples that hold are silent", () => {
  check("deny", {
    rule: "Bash(git push:*)",
    match: ["git -C x push", "env git push"],
    noMatch: ["git pull", "echo git push"],
  });
  check("allow", { rule: "Bash(git log:*)", match: ["git log -3"], noMatch: ["git log --output=x", "git log; ls"] });
  check("deny", { rule: "Read(**/.env)", match: ["cat .env"], noMatch: ["cat env"] });
  check("ask", "Bash(make:*)");
});

test.each([
  [
    "deny",
    { rule: "Bash(git push)", match: ["git push -f"] },
    'Bash(git push) does not match "git push -f", and says that it does',
  ],
  ["allow", { rule: "Bash(ls:*)", noMatch: ["ls -la"] }, 'Bash(ls:*) matches "ls -la", and says that it does not'],
  ["deny", { rule: 3 }, "a rule is text, or an object"],
  ["deny", { rule: "Bash(x)", match: "x" }, '"match" has to be a list of commands'],
] as const)("%s %j is refused with its place", (list, value, text) => {
  expect(() => check(list, value)).toThrow(`toolcrib.yaml:7: ${text}`);
});
