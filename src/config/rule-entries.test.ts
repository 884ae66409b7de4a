import { expect, test } from "vitest";
import { createWorkspace } from "../../test/support/config-workspace.ts";
import { loadCommandReader } from "../runtime/permissions/command-reader.ts";
import { withServer } from "./edit/edit-servers.ts";
import { type ConfigInput, loadConfig, trustWorkspace } from "./load-config.ts";
import { loadOptions } from "./load-options.ts";
import { listValues } from "./shape/list-values.ts";

const WITH_EXAMPLES = `permissions:
  allow:
    - "Bash(ls:*)"
    - rule: Bash(git log:*)
      match: ["git log -1"]
      noMatch:
        - git push
        - git log --output=x
  deny:
    - { rule: "Read(**/.env)", match: [".env", "$ cat sub/.env"] }
`;

const withReader = (input: ConfigInput): ConfigInput => ({ ...input, loadCommandReader });

test("a rule may carry examples; it counts as if it stood alone, at its own line", async () => {
  const { input } = createWorkspace({ user: WITH_EXAMPLES });
  const { permissions } = await loadConfig(withReader(input()));
  expect(permissions.allow.map(({ value }) => value.text)).toEqual(["Bash(ls:*)", "Bash(git log:*)"]);
  expect(permissions.allow[1]?.origin).toMatchObject({ line: 4 });
  expect(permissions.deny[0]?.value).toMatchObject({ tool: "Read", specifier: "**/.env" });
});

test("wrong examples are one configuration error, each with its line and what the rule decides", async () => {
  const { input } = createWorkspace({
    user: WITH_EXAMPLES.replace("git push", "git log --stat").replace('".env"', '"env.txt"'),
  });
  const loading = loadConfig(withReader(input()));
  await expect(loading).rejects.toMatchObject({ code: "rule.invalid", names: ["env.txt", "git log --stat"] });
  await expect(loading).rejects.toThrow(
    /config\.yaml:10: Read\(\*\*\/\.env\) says that it matches "env\.txt", but it decides ask[^\n]*\n.*config\.yaml:7: Bash\(git log:\*\) says that it does not match "git log --stat", but it decides allow/,
  );
});

test.each([
  ["{ match: [x] }", '"rule" is missing'],
  ["{ rule: 'Bash(x' }", "cannot be read"],
  ["{ rule: Bash, matches: [x] }", 'unknown key "matches"'],
  ["{ rule: Bash, match: x }", "must be a list"],
])("%s is refused", async (entry, text) => {
  const { load } = createWorkspace({ user: `permissions: { deny: [${entry}] }` });
  await expect(load()).rejects.toThrow(text);
});

test("an allow rule with examples needs trust like any other, and a changed example is a change", async () => {
  const { input, write } = createWorkspace({ "toolcrib.yaml": WITH_EXAMPLES });
  const before = await loadConfig(withReader(input()));
  expect(before.permissions.allow).toEqual([]);
  expect(before.permissions.deny).toHaveLength(1);
  expect(before.trust.items.map(({ name }) => name)).toEqual(["Bash(ls:*)", "Bash(git log:*)"]);
  await trustWorkspace(input());
  expect((await loadConfig(withReader(input()))).permissions.allow).toHaveLength(2);
  write("toolcrib.yaml", WITH_EXAMPLES.replace("git log -1", "git log -2"));
  expect((await loadConfig(withReader(input()))).trust.state).toBe("changed");
});

test("every value is listed with its line, and an edit elsewhere in the file keeps it", async () => {
  const { input } = createWorkspace({ user: WITH_EXAMPLES });
  const rows = listValues(await loadConfig(withReader(input())));
  expect(rows.filter(({ path }) => path.startsWith("permissions.allow[1]"))).toMatchObject([
    { path: "permissions.allow[1].rule", value: "Bash(git log:*)", origin: { line: 4 } },
    { path: "permissions.allow[1].match[0]", value: "git log -1", origin: { line: 5 } },
    { path: "permissions.allow[1].noMatch[0]", value: "git push", origin: { line: 7 } },
    { path: "permissions.allow[1].noMatch[1]", origin: { line: 8 } },
  ]);
  expect(await withServer(WITH_EXAMPLES, "toolcrib.yaml", "s", { command: "x" })).toContain(WITH_EXAMPLES);
});

test("a program's own options are held to their examples too", async () => {
  const input = { cwd: "/nowhere", home: "/nobody", env: {}, systemPolicy: "/nowhere/policy.yaml", loadCommandReader };
  const permissions = { allow: [{ rule: "Bash(ls:*)", noMatch: ["ls -l"] }] };
  await expect(loadOptions({ permissions }, "createSession", input)).rejects.toMatchObject({ code: "rule.invalid" });
});
