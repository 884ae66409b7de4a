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
  expect(await run("why", "bash", "--session", id.slice(0, 8))).toMatchObject({ status: 0 });
  expect(await run("why", "grep", "--session", id)).toMatchObject({ status: 1, out: expect.stringContaining(":1") });
  const listed = JSON.parse((await run("list", "--session", id, "--at", String(events), "--json")).out);
  expect(listed.tools.find(({ name }: { name: string }) => name === "bash")).toMatchObject({
    standing: "hidden",
  });
  const changed = await run("diff", `${id}@${events}`, `${id}@${new Date(Date.now() + 1_000).toISOString()}`, "--json");
  const changes = JSON.parse(changed.out).changes.map(({ name }: { name: string }) => name);
  expect(changes).toEqual(expect.arrayContaining(["bash", "grep"]));

  // A second counts to its end: it is told as it is shown.
  const second = new Date(JSON.parse((await run("sessions", "list", "--json")).out).sessions[0].changed);
  const shown = `${second.toISOString().slice(0, 19)}Z`;
  expect(await run("why", "grep", "--session", id, "--at", shown)).toMatchObject({ status: 1 });
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
  ])
    expect(await run(...argv)).toMatchObject({ status: 2 });
});
