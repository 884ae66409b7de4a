import { beforeAll, expect, test } from "vitest";
import { createShellReader, type ShellReader } from "../../system/shell/read-command-line.ts";
import type { Origin } from "../codes/origin.ts";
import { formatOrigin } from "../codes/origin.ts";
import { parseRule } from "./rule.ts";
import { findBrokenExamples } from "./rule-examples.ts";

const WORLD = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };
const ORIGIN: Origin = { kind: "file", file: "toolcrib.yaml", line: 7 };
let reader: ShellReader;

beforeAll(async () => {
  reader = await createShellReader();
});

interface Written {
  readonly rule: string;
  readonly match?: readonly string[];
  readonly noMatch?: readonly string[];
}

function check(list: "allow" | "ask" | "deny", { rule, match = [], noMatch = [] }: Written): readonly string[] {
  const place = (value: string) => ({ value, origin: ORIGIN });
  const explained = {
    rule: { value: parseRule(rule, ORIGIN), origin: ORIGIN },
    list,
    match: match.map(place),
    noMatch: noMatch.map(place),
  };
  return findBrokenExamples([explained], reader.read, WORLD).map(
    ({ text, origin }) => `${formatOrigin(origin)}: ${text}`,
  );
}

test.each([
  ["deny", "Bash(git push:*)", ["git -C x push", "env git push"], ["git pull", "echo git push"]],
  ["allow", "Bash(git log:*)", ["git log -3"], ["git log --output=x", "git log; ls"]],
  ["ask", "Bash(make:*)", ["cd x && make"], ["cmake"]],
  ["deny", "Read(**/.env)", ["sub/.env", "$ cat .env"], ["env", "$ cat env"]],
  ["allow", "Write(src/**)", ["src/a.ts"], ["b.ts", "src/.git/hooks/x"]],
  ["deny", "WebFetch(domain:*.evil.test)", ["https://a.evil.test/x"], ["https://evil.test.good.test"]],
  ["deny", "github/create_issue(title:secret*)", ['{"title":"secret plan"}'], ['{"title":"plan"}']],
] as const)("examples that hold are silent: %s %s", (list, rule, match, noMatch) => {
  expect(check(list, { rule, match, noMatch })).toEqual([]);
});

test.each([
  [
    "deny",
    { rule: "Bash(git push)", match: ["git push -f"] },
    'Bash(git push) says that it matches "git push -f", but it decides ask: ',
  ],
  [
    "allow",
    { rule: "Bash(ls:*)", noMatch: ["ls -la"] },
    'Bash(ls:*) says that it does not match "ls -la", but it decides allow: ',
  ],
  ["deny", { rule: "github/x", match: ["title"] }, 'says that it matches "title", which is no JSON object'],
] as const)("%s %j is broken, and says what is decided instead", (list, written, text) => {
  expect(check(list, written)).toEqual([expect.stringContaining(text)]);
  expect(check(list, written)[0]).toMatch(/^toolcrib\.yaml:7: /);
});

test("every broken example is told, not only the first", () => {
  expect(check("allow", { rule: "Bash(ls:*)", match: ["cat x", "ls", "rm x"] })).toHaveLength(2);
});
