import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const BASE = {
  tools: [
    { name: "view", traits: { readOnly: true } },
    { name: "edit" },
    { name: "exit_plan_mode" },
    { name: "search", source: "mcp", server: "web" },
  ],
  options: { agents: [{ name: "reviewer", tools: ["view"] }] },
};
const diff = (...argv: string[]) =>
  runCli(["diff", "--world", "-", ...argv], { stdin: JSON.stringify(BASE), columns: 100 });

test("what is seen more and less, and by which gate", async () => {
  const { status, out } = await diff("base", "mode=plan,exclude=web");
  expect(status).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "- edit: visible -> hidden
        mode now hides it: can change state, and the session is planning (mode=plan)
    + exit_plan_mode: hidden -> visible
        mode no longer hides it: leaves plan mode, and the mode is default (default)
    - web/search: visible -> hidden
        mode now hides it: can change state, and the session is planning (mode=plan)
        filter now hides it: excluded by "web" (exclude=web)

    3 tools differ: 1 seen more (+), 2 seen less (-), 0 otherwise (~)
    "
  `);
});

test("a client on one side is compared with a session of one's own, or two clients with each other", async () => {
  const tools = Array.from({ length: 120 }, (_, at) => ({ name: `t${at}`, source: "mcp", server: "s" }));
  const ask = (...argv: readonly string[]) =>
    runCli(["diff", "--world", "-", ...argv, "--json"], { stdin: JSON.stringify({ tools }) });
  const changesOf = async (...argv: readonly string[]) => JSON.parse((await ask(...argv)).out).changes;
  expect((await changesOf("client=cursor", "client=windsurf")).length).toBeGreaterThan(19);
  expect(await changesOf("client=cursor", "client=codex")).toEqual([]);
  expect(await changesOf("base", "client=cursor", "--client", "cursor")).toEqual([]);
  expect(await changesOf("base", "client=windsurf", "--client", "cursor")).toEqual(
    await changesOf("client=cursor", "client=windsurf"),
  );
  expect(await ask("base", "client=")).toMatchObject({ status: 2 });
});

test("no difference is said, status 0", async () => {
  const { status, out } = await diff("base", "mode=default");
  expect([status, out]).toEqual([0, "no difference: 4 tools, all with the same standing\n"]);
});

test("flags lie under both sides", async () => {
  expect((await diff("base", "exclude=edit", "--exclude", "edit")).out).toMatch(/^no difference/);
  const { out } = await diff("base", "exclude=web", "--exclude", "edit", "--json");
  expect(JSON.parse(out).changes.map(({ id }: { id: string }) => id)).toEqual(["web/search"]);
});

test("as JSON: standings before and after with the lines gained and lost", async () => {
  const { changes } = JSON.parse((await diff("agent=reviewer", "base", "--json")).out);
  expect(changes[0]).toMatchObject({ name: "edit", before: "hidden", after: "visible", redefined: false, gained: [] });
  expect(changes[0].lost[0]).toMatchObject({ gate: "agent", verdict: "hide", code: "agent.not-listed" });
});

test("a name that nobody knows in a side is told", async () => {
  expect((await diff("base", "exclude=vew")).err).toContain('did you mean "view"?');
});

test("two world files: tools that appear, vanish and are redefined", async () => {
  const { cwd } = createMachine({
    "a.json": JSON.stringify({ tools: [{ name: "view", description: "old" }, { name: "gone" }] }),
    "b.json": JSON.stringify({ tools: [{ name: "view", description: "new" }, { name: "fresh" }] }),
  });
  const { out } = await runCli(["diff", "a.json", "b.json"], { cwd });
  expect(out).toMatchInlineSnapshot(`
    "+ fresh: absent -> visible
    ~ view: still visible, its definition changed
    - gone: visible -> absent

    3 tools differ: 1 seen more (+), 1 seen less (-), 1 otherwise (~)
    "
  `);
});

test("two scenes of a configuration", async () => {
  const { cwd, home } = createMachine();
  const { out } = await runCli(["diff", "base", "include=view+grep", "--json"], { cwd, env: { HOME: home } });
  const ids = JSON.parse(out).changes.map(({ id }: { id: string }) => id);
  expect([ids.includes("edit"), ids.includes("view"), ids.includes("grep")]).toEqual([true, false, false]);
});

describe("mistakes", () => {
  test.each([
    ["agnet=x", 'a key of "agnet=x" cannot be "agnet"; did you mean "agent"?'],
    ["mode=plam", 'mode cannot be "plam"; did you mean "plan"?'],
    ["mode=plan,web", '"mode=plan,web": write key=value'],
    ["mode=plan,mode=default", '"mode=plan,mode=default": mode is given twice'],
  ])("%s", async (side, text) => {
    const { status, err } = await diff("base", side);
    expect(status).toBe(2);
    expect(err).toContain(text);
  });

  test("a base that neither side uses is refused", async () => {
    const { status, err } = await diff("a.json", "b.json");
    expect([status, err]).toEqual([
      2,
      "toolcrib: --world has no effect where both sides are world files or sessions\n",
    ]);
  });
});

test("a hidden tool that comes or goes is not seen more or less for it", async () => {
  const { cwd } = createMachine({
    "a.json": JSON.stringify({ tools: [{ name: "view" }, { name: "old" }], options: { excludeTools: ["old"] } }),
    "b.json": JSON.stringify({ tools: [{ name: "view" }, { name: "new" }], options: { excludeTools: ["new"] } }),
  });
  const { out } = await runCli(["diff", "a.json", "b.json"], { cwd });
  expect(out).toMatch(/^~ new: absent -> hidden$/m);
  expect(out).toMatch(/^~ old: hidden -> absent$/m);
  expect(out).toContain("2 tools differ: 0 seen more (+), 0 seen less (-), 2 otherwise (~)");
});
