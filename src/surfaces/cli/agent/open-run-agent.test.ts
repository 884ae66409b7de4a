import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startReplayServer } from "../../../../test/support/replay-server.ts";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const HELLO = "replies:\n  - text: Hello Ada.\n";

function machine(files: Readonly<Record<string, string>> = { "hello.yaml": HELLO }) {
  const { cwd, home } = createMachine(files);
  const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCli(["run", ...argv], { cwd, env: { HOME: home, ...env } });
  return { cwd, home, run };
}

const idIn = (err: string): string => /session (\S+) is kept/.exec(err)?.[1] ?? "";

test("without --keep nothing is stored", async () => {
  const { run, home } = machine();
  const { err } = await run(["I am Ada", "--model", "scripted:hello.yaml"]);
  expect(err).not.toContain("is kept");
  expect(existsSync(join(home, ".local", "state", "toolcrib", "sessions"))).toBe(false);
});

test("--keep says the id, and stores nothing in the repository (S6)", async () => {
  const { run, cwd, home } = machine();
  const before = readdirSync(cwd);
  const { status, out, err } = await run(["I am Ada", "--model", "scripted:hello.yaml", "--keep", "--format", "json"]);
  expect(status).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ session: idIn(err), text: "Hello Ada." });
  expect(readdirSync(cwd)).toEqual(before);
  expect(existsSync(join(home, ".local", "state", "toolcrib", "sessions"))).toBe(true);
});

const event = (data: object) => `event: x\ndata: ${JSON.stringify(data)}\n\n`;
const REPLY = [
  event({ type: "message_start", message: { usage: { input_tokens: 1 } } }),
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "Hello Ada." } }),
  event({ type: "content_block_stop", index: 0 }),
  event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }),
  event({ type: "message_stop" }),
].join("");

test.each([
  ["--resume with the beginning of the id", (id: string) => ["--resume", id.slice(0, 8)]],
  ["--continue", () => ["--continue"]],
])("%s sends the model what was said before, and stays with its model", async (_, flags) => {
  await using server = await startReplayServer([{ body: REPLY }, { body: REPLY }]);
  const { run } = machine();
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
  const first = await run(["I am Ada", "--model", "anthropic/claude-sonnet-4-5", "--keep"], env);
  const id = idIn(first.err);
  const second = await run(["Who am I?", ...flags(id)], env);
  expect(second).toMatchObject({ status: 0, out: "Hello Ada.\n" });
  expect(idIn(second.err)).toBe(id);
  const sent = server.seen[1]?.body;
  expect(sent).toMatchObject({ messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }] });
  expect(JSON.stringify(sent)).toMatch(/I am Ada.*Hello Ada\..*Who am I\?/);
});

test("a session that is not there, none at all, or two ways at once are errors that say so", async () => {
  const { run } = machine();
  expect(await run(["Hi", "--continue"])).toMatchObject({ status: 3, err: expect.stringContaining("run --keep") });
  const unknown = await run(["Hi", "--resume", "nope"]);
  expect(unknown).toMatchObject({ status: 3, err: expect.stringContaining('has the id "nope"') });
  const both = await run(["Hi", "--resume", "nope", "--continue"]);
  expect(both).toMatchObject({ status: 2, err: expect.stringContaining("either --resume ID or --continue") });
});

test("a resume that fails for want of a configuration leaves the session free", async () => {
  const { run } = machine();
  const { err } = await run(["I am Ada", "--model", "scripted:hello.yaml", "--keep"]);
  const failed = await run(["Hi", "--resume", idIn(err), "--config", "missing.yaml"]);
  expect(failed.status).toBe(3);
  expect(await run(["Hi", "--resume", idIn(err)])).toMatchObject({ status: 0, out: "Hello Ada.\n" });
});
