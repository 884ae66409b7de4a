import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const HELLO = "replies:\n  - text: Hello Ada.\n";

test("list, why and diff answer what was true in a session then, with the lines of then (S9)", async () => {
  const { cwd, home } = createMachine({ "hello.yaml": HELLO, "toolcrib.yaml": "# Ours.\nexcludeTools:\n  - bash\n" });
  const run = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home } });
  const { err } = await run("run", "I am Ada", "--model", "scripted:hello.yaml", "--keep");
  const id = /session (\S+) is kept/.exec(err)?.[1] ?? "";
  const events = (await run("sessions", "export", id)).out.trim().split("\n").length;
  writeFileSync(join(cwd, "toolcrib.yaml"), "excludeTools: [grep]\n");
  await run("run", "Who am I?", "--resume", id);

  const then = await run("why", "bash", "--session", id, "--at", String(events));
  expect(then).toMatchObject({ status: 1, out: expect.stringContaining("toolcrib.yaml:3") });
  expect(then.out).toMatch(/^bash was hidden\n/);
  expect(then.out).not.toContain("remove");
  const told = await run("why", "bash", "--session", id.slice(0, 8));
  expect(told).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^bash was visible: it was sent to the model\n/),
  });
  const [, from = "", time = ""] = /from event (\d+) \((\S+)\) on/.exec(told.out.replaceAll("\n", " ")) ?? [];
  expect(Number(from)).toBeGreaterThan(events);
  expect(JSON.parse((await run("why", "grep", "--session", id, "--json")).out)).toMatchObject({
    past: { session: id, seq: Number(from) },
    tools: [{ standing: "hidden", toSee: null }],
  });
  const absent = (await run("why", "own__slow", "--session", id, "--at", from)).err.replace(/\s+/g, " ");
  expect(absent).toContain(`session ${id} had no tool "own__slow" at event ${from};`);
  expect(absent).toContain(`"toolcrib list --session ${id} --at ${from}"`);
  expect(await run("why", "grep", "--session", id)).toMatchObject({ status: 1, out: expect.stringContaining(":1") });
  const listed = JSON.parse((await run("list", "--session", id, "--at", String(events), "--json")).out);
  expect(listed.tools.find(({ name }: { name: string }) => name === "bash")).toMatchObject({
    standing: "hidden",
  });
  const narrow = await runCli(["list", "--session", id], { cwd, env: { HOME: home }, isTTY: true, columns: 50 });
  expect(narrow.out).toMatch(/about [\d,]+ tokens were sent$/m);
  expect(narrow.out.replaceAll("\n", " ")).toContain(`"toolcrib why TOOL --session ${id} --at ${from}" shows`);
  const changed = await run("diff", `${id}@${events}`, `${id}@${new Date(Date.now() + 1_000).toISOString()}`, "--json");
  const changes = JSON.parse(changed.out).changes.map(({ name }: { name: string }) => name);
  expect(changes).toEqual(expect.arrayContaining(["bash", "grep"]));

  // A second counts to its end: it is told as it is shown.
  const second = new Date(JSON.parse((await run("sessions", "list", "--json")).out).sessions[0].changed);
  const shown = `${second.toISOString().slice(0, 19)}Z`;
  expect(await run("why", "grep", "--session", id, "--at", shown)).toMatchObject({ status: 1 });
  const lines = (await run("sessions", "show", id)).out.trimEnd().split("\n");
  const [, asShown = ""] = /^ *\d+ {2}(\S+)/.exec(lines.at(-1) ?? "") ?? [];
  expect(asShown).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(await run("why", "grep", "--session", id, "--at", asShown)).toMatchObject({ status: 1 });
  expect(time.slice(11, 19) <= asShown).toBe(true);
  expect(await run("why", "bash", "--session", id, "--at", "1")).toMatchObject({
    status: 3,
    err: expect.stringContaining("had not asked a model by then"),
  });
  expect(await run("why", "bash", "--session", id, "--at", "999")).toMatchObject({
    status: 2,
    err: expect.stringMatching(/has \d+ events, and no event 999/),
  });
  for (const argv of [
    ["list", "--at", "3"],
    ["list", "--session", id, "--mode", "plan"],
    ["list", "--session", id, "--at", "soon"],
    ["list", "--session", id, "--at", "25:00:00"],
  ])
    expect(await run(...argv)).toMatchObject({ status: 2 });
});
