import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { callLocal } from "./local-call.ts";
import { openLocalDoor } from "./local-door.ts";

function newSocket(): string {
  const home = mkdtempSync(join(tmpdir(), "toolcrib-door-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, "run");
  mkdirSync(folder, { mode: 0o700 });
  return join(folder, "s.sock");
}

async function openDoor(secret: string) {
  const socket = newSocket();
  const door = await openLocalDoor(socket, {
    secret,
    version: "1",
    status: () => ({ isHere: true }),
    keep: () => {},
    mcp: () => ({ remarks: [], serve: async () => {} }),
    run: async () => {},
    end: () => {},
    onError: () => {},
  });
  onTestFinished(() => door.close(null));
  return { socket, pid: process.pid };
}

test("a note that another process left behind leads to nobody, though its successor listens already", async () => {
  const note = await openDoor("new");
  expect(await callLocal({ ...note, secret: "old" }, { ask: "status" })).toBeNull();
  const found = await callLocal({ ...note, secret: "new" }, { ask: "status" });
  found?.socket.destroy();
  expect(found?.answer).toEqual({ isHere: true });
});

test("one that is being killed and closes without a word is one that does not listen any more", async () => {
  const socket = newSocket();
  const dying = createServer((client) => client.destroy()).listen(socket);
  onTestFinished(() => void dying.close());
  await new Promise((resolve) => dying.once("listening", resolve));
  expect(await callLocal({ socket, secret: "s", pid: process.pid }, { ask: "status" })).toBeNull();
});

test("one that hangs is reported", async () => {
  const socket = newSocket();
  const hanging = createServer(() => {}).listen(socket);
  onTestFinished(() => void hanging.close());
  await new Promise((resolve) => hanging.once("listening", resolve));
  await expect(callLocal({ socket, secret: "s", pid: 7 }, { ask: "status" }, 50)).rejects.toThrow(
    "the running Toolcrib (process 7) does not answer",
  );
});
