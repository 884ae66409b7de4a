import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { misbehaving } from "../support/mcp-sources.ts";
import { newMachine, runHere, startUp } from "../support/running-up.ts";

/** A project with a server that starts only with this key, beside a Toolcrib that was started without it. */
async function startWithout() {
  const machine = newMachine();
  const script = join(machine.home, "demanding.cjs");
  const [real = ""] = misbehaving().args ?? [];
  writeFileSync(
    script,
    `if (!["one", "two"].includes(process.env.KEY_OF_IT)) throw new Error("wrong key");
process.stderr.write("started with " + process.env.KEY_OF_IT + ", other " + process.env.OTHER_KEY + "\\n");
require(${JSON.stringify(real)});
`,
  );
  const entry = { command: process.execPath, args: [script], env: { KEY_OF_IT: "${LATER_KEY}" } };
  writeFileSync(join(machine.cwd, "toolcrib.yaml"), JSON.stringify({ mcpServers: { it: entry } }));
  await runHere(["trust", "--yes"], machine);
  await startUp(machine);
  return (env: Readonly<Record<string, string>>, ...argv: readonly string[]) =>
    runHere(argv, { cwd: machine.cwd, env: { ...machine.env, ...env } });
}

const ADVICE = "Set LATER_KEY in your shell, then run: toolcrib servers restart it";

test("a variable that is set later counts after servers restart, and every answer says that until then", async () => {
  const cli = await startWithout();
  const set = { LATER_KEY: "one", OTHER_KEY: "of-nobody" };
  expect((await cli(set, "status")).out).toContain(ADVICE);
  expect((await cli(set, "doctor")).out.replaceAll(/\s+/g, " ")).toContain("toolcrib servers restart NAME");
  const without = await cli({}, "servers", "restart", "it");
  expect(without.err).toContain("Of the Toolcrib that runs here");
  expect(without.out.replaceAll(/\s+/g, " ")).toContain(ADVICE);

  const restarted = await cli(set, "servers", "restart", "it");
  expect(restarted.err).toContain("It has LATER_KEY of this shell from now on, until it ends.");
  expect(restarted).toMatchObject({ status: 0, out: expect.stringContaining("connected") });
  expect(restarted.out + restarted.err).not.toContain("one,");
  expect((await cli({}, "status")).out).not.toContain("is left out");
  expect((await cli({}, "servers", "it")).out).toContain("connected");
  // Nothing else of the shell went along.
  expect((await cli({}, "servers", "logs", "it")).out).toContain("started with one, other undefined");
});

test("a key that was changed counts after servers restart, and no other command takes one", async () => {
  const cli = await startWithout();
  await cli({ LATER_KEY: "one" }, "servers", "restart", "it");
  await cli({ LATER_KEY: "two" }, "servers", "it");
  expect((await cli({}, "servers", "logs", "it")).out).not.toContain("two");
  const { err } = await cli({ LATER_KEY: "two" }, "servers", "restart", "it");
  expect(err).toContain("It has LATER_KEY of this shell");
  expect((await cli({}, "servers", "logs", "it")).out).toContain("started with two");
});
