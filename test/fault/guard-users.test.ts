import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BIN, ensureBuilt, finish } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";

beforeAll(ensureBuilt);

const USER = 47110;
const SETTINGS = '{ "model": "opus", "unknown": [1] }\n';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The home of another user, with settings of Claude Code, where that user can reach it. */
function newHome() {
  const root = mkdtempSync(join(tmpdir(), "guard-users-"));
  folders.push(root);
  chmodSync(root, 0o755);
  const home = join(root, "home");
  const settings = join(home, ".claude", "settings.json");
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(settings, SETTINGS);
  for (const path of [home, join(home, ".claude"), settings]) chownSync(path, USER, USER);
  const guard = (uid: number, ...words: readonly string[]) => {
    const as = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", process.execPath, BIN, "guard", ...words];
    return finish(spawn("setpriv", as, { cwd: root, env: { HOME: home, PATH: "/usr/bin:/bin" } }));
  };
  return { home, settings, guard };
}

describe("guard at the files of another user", needs("setpriv", "a checkout that others may enter"), () => {
  test("changes nothing as root, neither with install nor with remove, and says as whom to run it", async () => {
    const { home, settings, guard } = newHome();
    const refused = { status: 1, err: expect.stringContaining(`${home} belongs to another user (${USER}; this is 0)`) };
    expect(await guard(0, "install")).toMatchObject(refused);
    expect(await guard(USER, "install")).toMatchObject({ status: 0 });
    const written = readFileSync(settings, "utf8");
    expect(written).toContain("hook.sh claude-code");
    expect(await guard(0, "remove")).toMatchObject(refused);
    expect([readFileSync(settings, "utf8"), statSync(settings).uid]).toEqual([written, USER]);
    expect(await guard(USER, "remove")).toMatchObject({ status: 0 });
    expect([readFileSync(settings, "utf8"), statSync(settings).uid]).toEqual([SETTINGS, USER]);
  });

  test("names the file that cannot be written in a read-only home, and leaves all as it was", async () => {
    const { home, settings, guard } = newHome();
    chmodSync(join(home, ".claude"), 0o555);
    const found = await guard(USER, "install", "claude-code", "gemini-cli");
    expect(found).toMatchObject({ status: 1, out: "" });
    expect(found.err).toContain(`${settings} could not be written (EACCES); nothing was changed`);
    chmodSync(home, 0o555);
    expect((await guard(USER, "install", "gemini-cli")).err).toMatch(/home\/\S+ could not be written \(EACCES\)/);
    expect(readFileSync(settings, "utf8")).toBe(SETTINGS);
    expect((await guard(USER, "remove")).out).toBe("No client has the hook.\n");
  });

  test("says of a file that it may not read that nobody knows what it holds", async () => {
    const { settings, guard } = newHome();
    chownSync(settings, 0, 0);
    chmodSync(settings, 0o600);
    const { status, out } = await guard(USER, "status");
    expect(status).toBe(1);
    expect(out).toMatch(/^claude-code .* user +NOT READ$/m);
    expect(out).toContain("cannot be read (EACCES)");
    expect((await guard(USER, "install")).err).toContain("settings.json: cannot be read (EACCES)");
  });
});
