import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const SCRIPT = "console.error('please set B_TOKEN'); process.exit(1)";
const CONFIG = `mcpServers:\n  it: { command: ${JSON.stringify(process.execPath)}, args: ["-e", ${JSON.stringify(SCRIPT)}] }\n`;

test.each([["servers"], ["doctor"]])(
  "%s names what was held back from a server that failed, never its value, and how to pass it on",
  async (command) => {
    const { cwd, home } = createMachine({ user: CONFIG });
    const secrets = { A_SECRET: "value-of-a", B_TOKEN: "value-of-b", DB: "postgres://app:value-of-c@db/x" };
    const env = { HOME: home, PATH: process.env.PATH ?? "", ...secrets };
    const { out, err } = await runCli([command], { cwd, env });
    const text = out.replace(/\s+/g, " ");
    // What its error stream asks for comes first.
    expect(text).toContain("not passed on to it: B_TOKEN, A_SECRET, DB.");
    expect(text).toContain("inheritEnv: [B_TOKEN]");
    expect(out + err).not.toContain("value-of");
    const json = await runCli([command, "--json"], { cwd, env });
    expect(json.out).toContain("B_TOKEN");
    expect(json.out).not.toContain("value-of");
  },
);

test("nothing is said where nothing was held back, or where the entry passes it on", async () => {
  const { cwd, home } = createMachine({ user: CONFIG.replace("command:", "inheritEnv: [B_TOKEN], command:") });
  const env = { HOME: home, PATH: process.env.PATH ?? "", B_TOKEN: "value-of-b" };
  const { out } = await runCli(["servers"], { cwd, env });
  expect(out).toContain("failed");
  expect(out).not.toContain("not passed on");
});

test("one server is shown by its name alone, with the line that says why it crashed", async () => {
  const crash = ["-e", "throw new Error('no key')"];
  const entry = (args: readonly string[]) =>
    `{ command: ${JSON.stringify(process.execPath)}, args: ${JSON.stringify(args)} }`;
  const { cwd, home } = createMachine({ user: `mcpServers:\n  it: ${entry(crash)}\n  other: ${entry(crash)}\n` });
  const env = { HOME: home, PATH: process.env.PATH ?? "" };
  const { status, out } = await runCli(["servers", "it"], { cwd, env });
  expect([status, out]).toEqual([1, expect.stringContaining('It said last: "Error: no key"')]);
  expect(out).not.toContain("other");
  expect((await runCli(["servers", "nope"], { cwd, env })).status).toBe(2);
});
