import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`../../../../test/fixtures/${name}`, import.meta.url));
const SECRET = 'quite-"secret"-value';

/** One call of each kind in a folder of its own, where both programs know a secret. */
async function call(tool: string, args: object, level: string): Promise<readonly string[]> {
  const { cwd, home, write } = createWorkspace();
  const program = (file: string) => ({
    command: process.execPath,
    args: [fixture(file)],
    env: { SECRET_TOKEN: SECRET },
  });
  const config = {
    mcpServers: { echo: program("echo-server.cjs") },
    extensions: [{ name: "it", ...program("extension.mjs") }],
    permissions: { allow: ["echo/echo", "custom:echo"] },
  };
  write("user", JSON.stringify(config));
  const argv = ["call", tool, "--args", JSON.stringify(args), "--log-level", level];
  const { err } = await runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  return err.split("\n").filter((line) => / (?:sent|received) \{/.test(line));
}

describe("--log-level debug", () => {
  test("shows what goes to and comes from a server, one line each, without secrets, and cut", async () => {
    const lines = await call("echo/echo", { text: `${SECRET} ${"x".repeat(5_000)}`, apiKey: "k1" }, "debug");
    const sent = lines.find((line) => line.includes("mcp echo sent") && line.includes("tools/call"));
    expect(sent).toMatch(/^toolcrib: debug: mcp echo sent \{.*"text":"\[hidden\] x+…$/);
    expect(lines.some((line) => line.includes("mcp echo received"))).toBe(true);
    expect(lines.join("\n")).not.toMatch(/quite-|"k1"/);
    for (const line of lines) expect(line.length).toBeLessThan(2_200);
  });

  test("shows the messages of an extension", async () => {
    const lines = await call("custom:echo", { n: 1, password: "hush" }, "debug");
    expect(lines.some((line) => line.includes('extension it received {"jsonrpc":"2.0","id":"r"'))).toBe(true);
    const sent = lines.find((line) => line.includes('"method":"tools/call"'));
    expect(sent).toContain('extension it sent {"jsonrpc":"2.0"');
    expect(sent).toContain('"password":"[hidden]"');
  });

  test("is what it takes: other levels show none of it", async () => {
    expect(await call("echo/echo", { text: "hi" }, "info")).toEqual([]);
  });
});
