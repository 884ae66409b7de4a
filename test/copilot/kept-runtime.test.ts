import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openConnection } from "../../src/surfaces/copilot/wire/connection.ts";
import { ensureBuilt, ROOT, startCli } from "../support/built-cli.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

beforeAll(ensureBuilt);

/** A process of its own serves an app's session with a turn, until the app has gone, and returns what its model said. */
async function serveOnce(folder: string): Promise<string> {
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ replies: [{ text: "Good day." }] }));
  const env = { HOME: folder, COPILOT_HOME: join(folder, "home"), XDG_STATE_HOME: join(folder, "state") };
  const child = startCli(["--headless", "--stdio"], { cwd: folder, env });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("it has no streams");
  const gone = once(child, "exit");
  let said = "";
  const app = openConnection({
    ...{ input: stdout, output: stdin, onNote: () => {}, onRequest: () => null },
    onNotification(method, { event }) {
      const { type, data } = (event ?? {}) as { type?: string; data?: { content?: string } };
      if (method === "session.event" && type === "assistant.message") said = data?.content ?? "";
    },
  });
  const { sessionId } = (await app.request("session.create", { model: `scripted:${script}` })) as { sessionId: string };
  await app.request("session.sendAndWait", { sessionId, prompt: "Greet" });
  stdin.end();
  expect(await gone).toEqual([0, null]);
  return said;
}

test("what V8 has compiled for one app's session serves the next, unless it is damaged or could be another's", async () => {
  const { project: folder } = tempWorkspace();
  expect(await serveOnce(folder)).toBe("Good day.");
  const kept = join(folder, "state", "toolcrib", "guard", "kept");
  const [name = "", ...others] = readdirSync(kept);
  expect(others).toEqual([]);
  const file = join(kept, name);
  const { ino, mode } = statSync(file);
  expect(mode & 0o777).toBe(0o600);
  expect(await serveOnce(folder)).toBe("Good day.");
  expect(statSync(file).ino).toBe(ino);

  const whole = readFileSync(file);
  const damaged = Buffer.from(whole);
  damaged[whole.length >> 1] = (damaged[whole.length >> 1] ?? 0) ^ 0xff;
  writeFileSync(file, damaged);
  expect(await serveOnce(folder)).toBe("Good day.");
  expect(readFileSync(file).equals(damaged)).toBe(false);

  chmodSync(file, 0o622);
  expect(await serveOnce(folder)).toBe("Good day.");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("code that V8 keeps is ASCII, as it is read: a pattern of other letters would match other texts", () => {
  for (const name of ["alone.cjs", "copilot.cjs"]) {
    const text = readFileSync(join(ROOT, "dist", "command", name), "utf8");
    expect([...new Set(text.match(/[^\0-\x7f]/g))], name).toEqual([]);
  }
});
