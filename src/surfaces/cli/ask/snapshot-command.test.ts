import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const SERVERS = {
  far: { type: "http", url: "http://127.0.0.1:9/${SECRET}/mcp?key=${SECRET}" },
  near: { command: "node", args: ["-e", "0", "--token", "${SECRET}", "--api-key=canary-written"] },
};

test("a world can be handed around: no variable's value and no written secret is in it", async () => {
  const { cwd, home } = createMachine({ user: JSON.stringify({ mcpServers: SERVERS, excludeTools: ["web"] }) });
  const env = { HOME: home, SECRET: "canary-secret" };
  const { out } = await runCli(["snapshot", "--json", "--no-start"], { cwd, env });
  expect(out).not.toContain("canary");
  const { options } = JSON.parse(out);
  expect(options.servers).toMatchObject({
    far: { url: "http://127.0.0.1:9/${SECRET}/mcp" },
    near: { command: "node", args: ["-e", "0", "--token", "${SECRET}", "--api-key=***"] },
  });
});

test("it asks the same question again, also from a world", async () => {
  const { cwd, home, write } = createMachine({ user: JSON.stringify({ excludeTools: ["web"] }) });
  const env = { HOME: home };
  const { out } = await runCli(["snapshot", "--json", "--no-start"], { cwd, env });
  write("world.json", out);
  const again = await runCli(["snapshot", "--json", "--world", "world.json"], { cwd, env });
  expect(JSON.parse(again.out)).toEqual(JSON.parse(out));
});
