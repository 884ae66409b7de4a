import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeHost, makeRun } from "../../../test/support/builtin-host.ts";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { createMachine, runCli } from "../../../test/support/run-cli.ts";
import { toToolResult } from "../../core/call/tool-result.ts";
import { wantedSkills } from "../../runtime/session/sources/file-sources.ts";
import { trustWorkspace } from "../load-config.ts";

const tool = (name: string, run: object) => JSON.stringify({ name, description: name, run });
const FILES = {
  "toolcrib.yaml": "skillDirectories: [skills]\npermissions: { allow: [view] }\n",
  "skills/kit/SKILL.md": "---\nname: kit\n---\nUse it.",
  "skills/kit/tools/one.json": tool("one", { command: ["node", "lib/one.mjs"] }),
  "skills/kit/tools/two.json": tool("two", { use: "./lib/two.mjs:two" }),
  "skills/kit/tools/far.json": tool("far", { mcp: "server/tool" }),
  "skills/kit/lib/one.mjs": "console.log('first')",
  "skills/kit/lib/two.mjs": "export const two = 2",
  "skills/other/skill.json": JSON.stringify({ name: "other", tools: ["./say.json"] }),
  "skills/other/say.json": tool("say", { command: ["node", "-e", "console.log('said')"] }),
  "skills/other/tools/none.json": tool("none", { command: ["node"] }),
};
const ALL = ["kit/far", "kit/one", "kit/two", "other/say"];

const standings = (config: Awaited<ReturnType<ReturnType<typeof createWorkspace>["load"]>>) =>
  config.trust.items.filter(({ what }) => what === "skill program").map(({ name, standing }) => `${name} ${standing}`);

test("tools of a project's skills are items of trust, and a folder that was trusted before brings none", async () => {
  const workspace = createWorkspace(FILES);
  await trustWorkspace(workspace.input(), ({ what }) => what !== "skill program");
  const before = await workspace.load();
  expect(before.skillDirectories).toHaveLength(1);
  expect(before.skillPrograms.size).toBe(0);
  expect(standings(before)).toEqual(ALL.map((name) => `${name} new`));
  expect(before.notices[0]?.text).toContain("skill program kit/one (skills/kit/tools/one.json)");
  await trustWorkspace(workspace.input(), ({ name }) => name === "kit/one");
  expect([...(await workspace.load()).skillPrograms.keys()]).toEqual([
    join(workspace.cwd, "skills/kit/tools/one.json"),
  ]);
  await trustWorkspace(workspace.input());
  expect((await workspace.load()).trust.state).toBe("trusted");
});

test.each([
  ["a definition", "skills/kit/tools/one.json", tool("one", { command: ["node", "evil.mjs"] }), ["kit/one"]],
  ["a definition of a server's tool", "skills/kit/tools/far.json", tool("far", { mcp: "evil/x" }), ["kit/far"]],
  ["a program", "skills/kit/lib/one.mjs", "evil", ["kit/one", "kit/two"]],
  ["a file that was not there", "skills/kit/lib/package.json", "{}", ["kit/one", "kit/two"]],
  ["a listed definition", "skills/other/say.json", tool("say", { command: ["evil"] }), ["other/say"]],
  ["the skill's text", "skills/kit/SKILL.md", "---\nname: kit\n---\nOther.", []],
])("when %s changes, what may run it waits, and the others go on", async (_, path, text, waiting) => {
  const workspace = createWorkspace(FILES);
  await trustWorkspace(workspace.input());
  workspace.write(path, text);
  expect(standings(await workspace.load())).toEqual(
    ALL.map((name) => `${name} ${waiting.includes(name) ? "changed" : "trusted"}`),
  );
});

test("a person's own skills need no trust, and a link out of a skill cannot be trusted", async () => {
  const own = createWorkspace({ ...FILES, "toolcrib.yaml": "", user: "skillDirectories: [~/work/skills]\n" });
  expect((await own.load()).trust.items).toEqual([]);
  const linked = createWorkspace(FILES);
  symlinkSync(linked.home, join(linked.cwd, "skills/kit/lib/out"));
  const config = await linked.load();
  expect(standings(config)).toEqual(["kit/far new", "other/say new"]);
  expect(config.notices.filter(({ code }) => code === "skill.invalid-tool").map(({ names }) => names[0])).toEqual([
    "kit/one",
    "kit/two",
  ]);
});

test("a trusted tool runs, one that changed waits alone, and trust shows what it would run", async () => {
  const { cwd, home, write } = createMachine(FILES);
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  await cli("trust", "--only", "skills", "--only", "view", "--yes");
  const waits = await cli("why", "one");
  expect(waits.out + waits.err).toContain('the tool "one" of the skill "kit" waits until what it runs is trusted');
  expect((await cli("call", "say", "--args", "{}", "--yes")).status).not.toBe(0);
  const { out } = await cli("trust", "--yes");
  expect(out).toContain("skill program: kit/one (skills/kit/tools/one.json)  [new]\n      runs: node lib/one.mjs\n");
  expect(out).toContain("      use: ./lib/two.mjs:two\n");
  expect(out).toContain("      mcp: server/tool\n");
  expect(await cli("call", "say", "--args", "{}", "--yes")).toMatchObject({
    status: 0,
    out: expect.stringContaining("said"),
  });
  write(
    "skills/other/say.json",
    tool("say", { command: ["node", "-e", "console.log('\u001b[2Jevil')", "x".repeat(900)] }),
  );
  expect((await cli("call", "say", "--args", "{}", "--yes")).status).not.toBe(0);
  expect((await cli("why", "one")).out).not.toContain("waits until");
  const changed = (await cli("trust", "--only", "other/say", "--yes")).out;
  expect(changed).toContain("skill program: other/say (skills/other/say.json)  [changed]");
  expect(changed).toMatch(/runs: node -e "console\.log\('\\u001b\[2Jevil'\)" x+ … \(cut: \d+ more characters\)\n/);
});

test("trust shows the command of a found extension, its secrets masked and hidden characters written out", async () => {
  const manifest = { command: "node\u202e", args: ["--token", "abc", "main.mjs"], env: { A_KEY: "hush" } };
  const { cwd, home } = createMachine({
    ".toolcrib/extensions/b/extension.json": JSON.stringify(manifest),
    ".toolcrib/extensions/a.mjs": "",
  });
  const { out } = await runCli(["trust", "--yes"], { cwd, env: { HOME: home } });
  expect(out).toContain("a.mjs)\n      runs: node .toolcrib/extensions/a.mjs\n");
  expect(out).toContain('      runs: "node\\u{202e}" --token *** main.mjs\n      env.A_KEY: ***\n');
});

test("a program that is swapped after the configuration was read is not run", async () => {
  const workspace = createWorkspace(FILES);
  await trustWorkspace(workspace.input());
  const config = await workspace.load();
  const { cwd, home } = workspace;
  const place = { cwd, home, host: makeHost(cwd), onInvoked: () => {}, callMcp: async () => toToolResult("") };
  const [wanted] = wantedSkills(config, place, () => {});
  const source = await wanted?.open();
  const proof = join(home, "ran");
  const run = async () => {
    const one = (await source?.list(AbortSignal.timeout(20_000)))?.find(({ name }) => name === "one");
    return one === undefined ? undefined : source?.run(one, {}, makeRun());
  };
  try {
    expect(await run()).toMatchObject({ resultType: "success", textResultForLlm: expect.stringContaining("first") });
    workspace.write("skills/kit/lib/one.mjs", `require("fs").writeFileSync(${JSON.stringify(proof)}, "")`);
    expect(await run()).toMatchObject({
      resultType: "failure",
      textResultForLlm: expect.stringMatching(/its files changed since they were trusted.*toolcrib trust/),
    });
    expect(existsSync(proof)).toBe(false);
  } finally {
    await source?.close();
  }
});
