import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { callLocal } from "./local-call.ts";
import { prepareSocket } from "./socket-folder.ts";

const isRoot = process.getuid?.() === 0;

/** The folder that is looked at first, and the one that is taken where that will not do. */
function newPlaces() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-socket-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const runtime = join(home, "runtime");
  mkdirSync(runtime, { mode: 0o700 });
  const prepare = () => prepareSocket({ home, env: { XDG_RUNTIME_DIR: runtime } }, join(home, "work"), "key");
  return { home, first: join(runtime, "toolcrib"), second: join(home, ".local", "state", "toolcrib", "run"), prepare };
}

const ask = (folder: string) => callLocal({ socket: join(folder, "key.sock"), secret: "s", pid: 1 }, { ask: "status" });

test("a folder of its own is made for its owner alone", async () => {
  const { first, prepare } = newPlaces();
  expect(await prepare()).toBe(join(first, "key.sock"));
  expect(lstatSync(first).mode & 0o777).toBe(0o700);
});

test("a symbolic link is neither used nor spoken to", async () => {
  const { home, first, second, prepare } = newPlaces();
  const elsewhere = join(home, "elsewhere");
  mkdirSync(elsewhere, { mode: 0o700 });
  symlinkSync(elsewhere, first);
  expect(dirname(await prepare())).toBe(second);
  await expect(ask(first)).rejects.toThrow(`${first} is a symbolic link, so nothing in it is spoken to`);
});

test.runIf(isRoot)("a folder of somebody else is neither used nor spoken to", async () => {
  const { first, second, prepare } = newPlaces();
  mkdirSync(first, { mode: 0o700 });
  chownSync(first, 12_345, 12_345);
  expect(dirname(await prepare())).toBe(second);
  await expect(ask(first)).rejects.toThrow(`${first} belongs to somebody else, so nothing in it is spoken to`);
});

test("a folder that others can enter is not spoken to, and put right by the next start", async () => {
  const { first, prepare } = newPlaces();
  mkdirSync(first);
  chmodSync(first, 0o755);
  await expect(ask(first)).rejects.toThrow(`${first} can be entered by others, so nothing in it is spoken to`);
  expect(dirname(await prepare())).toBe(first);
  expect(lstatSync(first).mode & 0o777).toBe(0o700);
});

test("where no folder will do, every one is named with what is wrong", async () => {
  const { home, prepare } = newPlaces();
  const long = join(home, "x".repeat(90));
  const env = { XDG_RUNTIME_DIR: "/", XDG_STATE_HOME: long };
  await expect(prepareSocket({ home, env }, "/", "key")).rejects.toThrow(
    /lies in the workspace; .* is too long for a socket/,
  );
  expect(await prepare()).toContain("key.sock");
});
