import { describe, expect, test } from "vitest";
import { HOSTILE_LINES, MANY_RULES } from "../../bench/hostile-lines.mjs";
import { decideCommand, decideSubject, readShell } from "./shell-world.ts";

/** How long each takes is what `npm run bench -- rules` measures; a line that took for ever would be seen here too. */
describe("a line that is made to be slow is asked about or denied", () => {
  const { files, ...others } = MANY_RULES;
  const allowing = { ...files, allow: ["Bash", ...files.allow] };
  test.each(Object.entries(HOSTILE_LINES))("%s", (_, line) => {
    const subject = readShell(line);
    expect(decideSubject(subject, allowing).decision).not.toBe("allow");
    for (const lists of Object.values(others)) expect(decideSubject(subject, lists, "bypass").decision).toBe("deny");
  });
});

test("a rule still means the first command of a line that takes too long to judge", () => {
  const line = `rm x;${"cd a;".repeat(30)}${"cat x;".repeat(1_200)}`;
  const deny = ["Bash(rm:*)", ...MANY_RULES.files.deny];
  expect(decideCommand(line, { deny, allow: ["Bash"] }).decision).toBe("deny");
  expect(decideCommand(line.slice(5), { deny, allow: ["Bash"] })).toMatchObject({
    decision: "ask",
    code: "permission.unreadable",
  });
});

test("an ordinary line is judged with any number of rules", () => {
  const files = Array.from({ length: 300 }, (_, at) => `src/part/file-${at}.ts`).join(" ");
  const lists = { deny: [...MANY_RULES.files.deny, ...MANY_RULES.commands.deny], allow: ["Bash"] };
  expect(decideCommand(`git add ${files} && git commit -m x`, lists).decision).toBe("allow");
});
