import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt, ROOT, runBuilt } from "../support/built-cli.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

// docs/decisions/kept-code.md says why what V8 has compiled of our commands is kept, and who is trusted with it.
beforeAll(ensureBuilt);

/** A home in which `toolcrib list` has one kept file, and what runs it once more. */
async function listedOnce() {
  const place = newPlace();
  await place.list();
  const [name = "", ...others] = readdirSync(place.kept);
  expect(others).toEqual([]);
  return { ...place, file: join(place.kept, name) };
}

function newPlace() {
  const { base: folder, project } = tempWorkspace();
  const own = join(folder, ".config", "toolcrib");
  mkdirSync(own, { recursive: true });
  const configure = (config: object): void => writeFileSync(join(own, "config.json"), JSON.stringify(config));
  const state = join(folder, "state");
  const kept = join(state, "toolcrib", "guard", "kept");
  const list = async (further: Readonly<Record<string, string>> = {}): Promise<void> => {
    const env = { HOME: folder, XDG_STATE_HOME: state, NODE_DISABLE_COMPILE_CACHE: "", ...further };
    const { status, out, err } = await runBuilt(["list"], { cwd: project, env });
    expect([status, /^visible +view /m.test(out), err]).toEqual([0, true, expect.not.stringMatching(/error/i)]);
  };
  return { configure, state, kept, list };
}

test("what V8 has compiled for a command serves the next, which writes nothing", async () => {
  const { list, file } = await listedOnce();
  const { ino, mode } = statSync(file);
  expect(mode & 0o777).toBe(0o600);
  await list();
  expect(statSync(file).ino).toBe(ino);
});

test("is made again where it is damaged, cut short, empty, or could be another's", async () => {
  const { list, file, kept } = await listedOnce();
  const whole = readFileSync(file);
  const isMadeAgain = async (): Promise<boolean> => {
    const { ino } = statSync(file);
    await list();
    return statSync(file).ino !== ino;
  };
  const damaged = Buffer.from(whole);
  damaged[whole.length >> 1] = (damaged[whole.length >> 1] ?? 0) ^ 0xff;
  writeFileSync(file, damaged);
  expect(await isMadeAgain()).toBe(true);
  truncateSync(file, whole.length >> 1);
  expect(await isMadeAgain()).toBe(true);
  truncateSync(file, 0);
  expect(await isMadeAgain()).toBe(true);
  chmodSync(file, 0o622);
  expect(await isMadeAgain()).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // A folder that others can write to holds nothing that counts, and gets nothing.
  chmodSync(kept, 0o777);
  expect(await isMadeAgain()).toBe(false);
});

test.runIf(process.getuid?.() === 0)("of another user is neither used nor replaced", async () => {
  const { list, file, kept } = await listedOnce();
  const { ino } = statSync(file);
  writeFileSync(file, "code of theirs");
  for (const path of [file, kept]) chownSync(path, 12_345, 12_345);
  await list();
  expect([statSync(file).ino, readFileSync(file, "utf8")]).toEqual([ino, "code of theirs"]);
});

test("counts for the same V8 options and the same code only", async () => {
  const { list, file } = await listedOnce();
  const { ino } = statSync(file);
  await list({ NODE_OPTIONS: "--interpreted-frames-native-stack" });
  const other = statSync(file).ino;
  expect(other).not.toBe(ino);
  await list();
  expect(statSync(file).ino).not.toBe(other);
});

test("is kept again with the parts that another run of the command needed", async () => {
  const { list, configure, file } = await listedOnce();
  const { ino } = statSync(file);
  configure({ mcpServers: { none: { command: "no-such-program-here" } } });
  await list();
  const { ino: larger } = statSync(file);
  expect(larger).not.toBe(ino);
  configure({});
  await list();
  expect(statSync(file).ino).toBe(larger);
});

test("nothing is kept where Node is told so, or where there is no room, and nobody hears of it", async () => {
  const { list, state, kept } = newPlace();
  await list({ NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(existsSync(kept)).toBe(false);
  mkdirSync(join(state, "toolcrib"), { recursive: true, mode: 0o700 });
  writeFileSync(join(state, "toolcrib", "guard"), "a file");
  await list();
  expect(readFileSync(join(state, "toolcrib", "guard"), "utf8")).toBe("a file");
});

test("two at once keep one whole file", async () => {
  const { list, kept } = newPlace();
  await Promise.all([list(), list(), list()]);
  const [name = "", ...others] = readdirSync(kept);
  expect(others).toEqual([]);
  const { ino } = statSync(join(kept, name));
  await list();
  expect(statSync(join(kept, name)).ino).toBe(ino);
});

test("the joined commands are ASCII and hold each part once", () => {
  const text = readFileSync(join(ROOT, "dist", "command", "commands.cjs"), "utf8");
  expect([...new Set(text.match(/[^\0-\x7f]/g))]).toEqual([]);
  expect(text.split('"run.js"($exports){')).toHaveLength(2);
});
