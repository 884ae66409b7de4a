import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Notice } from "../../src/core/codes/reason.ts";
import { createSession, resumeSession } from "../../src/runtime/session/library.ts";
import { deleteSession, forkSession } from "../../src/runtime/session/stored/stored-sessions.ts";
import { eventsAfter, SESSION } from "../../src/runtime/store/contract-suite/sample-events.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { openStoreAt } from "../../src/runtime/store/open-store.ts";
import { openSqlite, type SqliteOptions } from "../../src/runtime/store/sqlite/open-sqlite.ts";
import { loadSqlite } from "../../src/runtime/store/sqlite/sqlite-engine.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { startBusySession } from "../support/busy-session.ts";
import { untilHolds } from "../support/poll.ts";
import { smallDisk } from "../support/small-disk.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

function prepare() {
  const { base } = tempWorkspace();
  const path = join(base, "sessions.db");
  const notices: Notice[] = [];
  const open = async (options: SqliteOptions = {}) => {
    const store = createStore(await openSqlite(path, { onNotice: (notice) => notices.push(notice), ...options }));
    onTestFinished(() => store.close());
    return store;
  };
  /** What somebody else does to the file. */
  const meddle = (sql: string): void => {
    const connection = loadSqlite()(path);
    connection.exec(sql);
    connection.close();
  };
  /** Makes noise of the first page of a table. */
  const spoil = (table: string): void => {
    const connection = loadSqlite()(path);
    const [row] = connection.all("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]);
    const [size] = connection.all("PRAGMA page_size", []);
    connection.close();
    const bytes = readFileSync(path);
    const start = (Number(row?.rootpage) - 1) * Number(size?.page_size);
    writeFileSync(path, bytes.fill(0xff, start, start + 200));
  };
  return { base, path, notices, open, meddle, spoil };
}

/** What was put aside, without what lies beside it. */
function asideOf(path: string): readonly string[] {
  return readdirSync(dirname(path)).filter((name) => /\.unreadable-[\dTZ-]+$/.test(name));
}

async function fill(open: ReturnType<typeof prepare>["open"], count = 200) {
  const store = await open();
  const journal = await store.create(SESSION);
  const events = eventsAfter(journal.end, count, { text: "x".repeat(2_000) });
  await journal.append(events);
  await store.close();
  return events;
}

describe("the file of a store", () => {
  test("takes the log over once nothing is written for a while, not in the middle of work", async () => {
    const { path, open } = prepare();
    const store = await open();
    const journal = await store.create(SESSION);
    const before = statSync(path).size;
    const write = async (times: number): Promise<void> => {
      for (let count = 0; count < times; count += 1)
        await journal.append(eventsAfter(journal.end, 30, { text: "x".repeat(2_000) }));
    };
    await write(90);
    // More than SQLite would leave there by itself.
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(1_100 * 4_096);
    expect(statSync(path).size).toBe(before);
    await write(20);
    await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(110 * 30 * 2_000), { timeout: 10_000 });
  });

  test("lies in the person's state folder, for nobody else to read, whatever the workspace brings (S6)", async () => {
    const { project, outside } = tempWorkspace();
    for (const planted of ["sessions.db", ".toolcrib/sessions.db", ".local/state/toolcrib/sessions/sessions.db"]) {
      mkdirSync(dirname(join(project, planted)), { recursive: true });
      symlinkSync("/etc/passwd", join(project, planted));
    }
    const before = readdirSync(project, { recursive: true });
    const store = await openStoreAt("sqlite:", { home: outside, env: {}, workspace: project });
    await store.create(SESSION);
    const folder = join(outside, ".local/state/toolcrib/sessions");
    const [name = ""] = readdirSync(folder);
    expect(name).toMatch(/^project-[0-9a-f]{8}$/);
    const files = readdirSync(join(folder, name));
    expect(files).toContain("sessions.db");
    for (const file of files) expect(statSync(join(folder, name, file)).mode & 0o077).toBe(0);
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    expect(readdirSync(project, { recursive: true })).toEqual(before);
    await store.close();
  });

  test.each(["", "-wal", "-shm", "-journal"])(
    "is refused where its name%s is a link, and nothing behind it changes",
    async (suffix) => {
      const { base, path, open } = prepare();
      const target = join(base, "precious");
      writeFileSync(target, "precious");
      symlinkSync(target, `${path}${suffix}`);
      await expect(open()).rejects.toMatchObject({ code: "store.refused" });
      expect(readFileSync(target, "utf8")).toBe("precious");
    },
  );

  test("is refused and not touched where it is of another program", async () => {
    const { path, open, meddle } = prepare();
    writeFileSync(path, "words ".repeat(100));
    await expect(open()).rejects.toMatchObject({ code: "store.refused" });
    expect(readFileSync(path, "utf8")).toBe("words ".repeat(100));
    writeFileSync(path, "");
    meddle("CREATE TABLE theirs (a)");
    const theirs = readFileSync(path);
    await expect(open()).rejects.toMatchObject({ code: "store.refused" });
    expect(readFileSync(path).equals(theirs)).toBe(true);
  });

  test("of a newer version is refused where this one must not write, and used where it may (S7)", async () => {
    const { path, open, meddle } = prepare();
    const events = await fill(open, 3);
    meddle("UPDATE meta SET value = '99' WHERE key = 'version'");
    const older = await open();
    expect(await older.read("one")).toEqual(events);
    meddle("UPDATE meta SET value = '99' WHERE key = 'oldest_writer'");
    const refusal = { code: "store.too-new", message: expect.stringMatching(/update Toolcrib here/) };
    await expect(older.hold("one")).rejects.toMatchObject(refusal);
    const before = contentOf(path);
    await expect(open()).rejects.toMatchObject(refusal);
    await expect(open()).rejects.toThrow(`the store at ${path} was written by a newer Toolcrib`);
    expect(contentOf(path)).toEqual(before);
  });

  test.each([
    ["cut in half", (path: string, size: number) => truncateSync(path, Math.floor(size / 2))],
    ["with noise for a beginning", (path: string) => writeFileSync(path, noise(readFileSync(path)))],
  ])("%s is put aside whole, and a new one begun (S7)", async (_, damage) => {
    const { path, open, notices } = prepare();
    await fill(open);
    damage(path, statSync(path).size);
    const damaged = readFileSync(path);
    const store = await open();
    expect(await store.sessions()).toEqual([]);
    await (await store.create(SESSION)).append(eventsAfter({ seq: 0, last: null }, 1));
    expect(notices.map(({ code }) => code)).toEqual(["store.put-aside"]);
    const aside = readdirSync(dirname(path)).find((name) => name.includes(".unreadable-"));
    expect(notices[0]?.text).toContain(aside);
    // A byte at a time, as vitest compares them, takes seconds.
    expect(readFileSync(join(dirname(path), aside ?? "")).equals(damaged)).toBe(true);
  });

  test("damaged inside says so and what to do, and is put aside when it is opened next (S7)", async () => {
    const { path, open, notices, spoil } = prepare();
    await fill(open);
    spoil("journal");
    const inUse = await open();
    const told = { code: "store.unavailable", message: expect.stringMatching(/damaged inside.*puts it aside/) };
    for (const id of ["two", "three"]) await expect(inUse.create({ ...SESSION, id })).rejects.toMatchObject(told);
    // A file in use is not replaced while somebody uses it.
    expect(asideOf(path)).toEqual([]);
    await inUse.close();
    const store = await open();
    await (await store.create({ ...SESSION, id: "two" })).append(eventsAfter({ seq: 0, last: null }, 1));
    await store.close();
    await (await open()).close();
    expect(notices.map(({ code }) => code)).toEqual(["store.put-aside"]);
    const [aside = ""] = asideOf(path);
    expect(notices[0]?.text).toContain(aside);
    expect(readFileSync(join(dirname(path), aside)).includes("x".repeat(1_000))).toBe(true);
  });

  test("damaged where it is looked at first is put aside at once (S7)", async () => {
    const { path, open, notices, spoil } = prepare();
    await fill(open);
    spoil("meta");
    const store = await open();
    await (await store.create(SESSION)).append(eventsAfter({ seq: 0, last: null }, 1));
    expect(notices.map(({ code }) => code)).toEqual(["store.put-aside"]);
    expect(asideOf(path)).toHaveLength(1);
  });

  test("that is only thought to be damaged stays where it is", async () => {
    const { path, open, notices } = prepare();
    const events = await fill(open, 3);
    writeFileSync(`${path}-damaged`, "");
    const store = await open();
    expect(await store.read("one")).toEqual(events);
    expect(notices).toEqual([]);
    expect(existsSync(`${path}-damaged`)).toBe(false);
  });

  test.runIf(process.platform !== "win32").each([
    ["empty", 0],
    ["of ours", 3],
  ])("that others could write to, %s, is closed to them with those beside it", async (_, count) => {
    const { path, open } = prepare();
    if (count > 0) await fill(open, count);
    const files = [path, `${path}-wal`, `${path}-shm`];
    for (const file of files) {
      if (!existsSync(file)) writeFileSync(file, "");
      chmodSync(file, 0o666);
    }
    await open();
    for (const file of files) expect(statSync(file).mode & 0o077).toBe(0);
  });

  test("that was never closed is whole again, also where its end is still in the log", async () => {
    const { path, open } = prepare();
    const store = await open();
    const journal = await store.create(SESSION);
    await journal.append(eventsAfter(journal.end, 50, { text: "x".repeat(2_000) }));
    const copy = prepare();
    for (const suffix of ["", "-wal"]) writeFileSync(`${copy.path}${suffix}`, readFileSync(`${path}${suffix}`));
    expect((await (await copy.open()).read("one")).length).toBe(50);
    expect(copy.notices).toEqual([]);
  });
});

test("ids that no store can keep are refused with a code, and are no session's", async () => {
  const { path, open } = prepare();
  const stores = [await open(), await openStoreAt("memory:", { home: path, env: {}, workspace: path })];
  for (const id of ["a\0b", "a\ud800", "a".repeat(501)])
    for (const store of stores) {
      await expect(store.create({ ...SESSION, id })).rejects.toMatchObject({ code: "store.invalid-id" });
      await expect(store.create({ ...SESSION, person: id })).rejects.toMatchObject({ code: "store.invalid-id" });
      await expect(store.hold(id)).rejects.toMatchObject({ code: "store.unknown-session" });
      expect([await store.read(id), await store.sessions({ id }), await store.questions({ sessionId: id })]).toEqual([
        [],
        [],
        [],
      ]);
      expect([await store.delete(id), await store.answer(id, true, "ada")]).toEqual([false, "unknown"]);
    }
  const options = { workspace: null, allowNoTools: true };
  await expect(createSession({ ...options, sessionId: "a\0b" })).rejects.toMatchObject({ code: "config.invalid" });
  const store = `sqlite:${path}`;
  const unknown = { code: "store.unknown-session" };
  await expect(resumeSession("a\0b", { ...options, store })).rejects.toMatchObject(unknown);
  await expect(forkSession("a\0b", { store })).rejects.toMatchObject(unknown);
  expect(await deleteSession("a\0b", { store })).toBe(false);
});

test("a full disk refuses what needs room, loses nothing stored, and is forgotten once there is room (S11)", async () => {
  const { path, open } = prepare();
  const disk = smallDisk(60);
  const store = await open({ open: disk.open });
  const journal = await store.create(SESSION);
  const data = { text: "x".repeat(20_000) };
  const stored = [];
  let refused = eventsAfter(journal.end, 1, data);
  for (;;) {
    const outcome = await journal.append(refused).then(
      () => null,
      (error: unknown) => error,
    );
    if (outcome !== null) {
      expect(outcome).toMatchObject({ code: "store.unavailable", message: expect.stringMatching(/disk.*; .*disk/) });
      break;
    }
    stored.push(...refused);
    refused = eventsAfter(journal.end, 1, data);
  }
  expect(stored.length).toBeGreaterThan(1);
  expect(await store.read("one")).toEqual(stored);
  disk.resize(1_000_000);
  await journal.append(refused);
  expect(await store.read("one")).toEqual([...stored, ...refused]);
  expect(existsSync(path)).toBe(true);
});

describe("two programs on one file", () => {
  beforeAll(ensureBuilt);

  test("write side by side, each its own sessions", async () => {
    const { base, path, open } = prepare();
    writeFileSync(join(base, "effects"), "");
    const programs = ["one", "two", "three"].map((id) => startBusySession(`sqlite:${path}`, id, join(base, "effects")));
    await Promise.all(programs.map((program) => program.heard("holds")));
    await untilHolds(() => programs.every(({ acknowledged }) => acknowledged.size >= 20));
    for (const { child } of programs) child.kill("SIGKILL");
    await Promise.all(programs.map(({ ended }) => ended));
    const store = await open();
    for (const [at, id] of ["one", "two", "three"].entries()) {
      const events = await store.read(id);
      expect(programs[at]?.said).toEqual(["holds 1"]);
      expect(events.length).toBeGreaterThan(0);
      for (const [seq, event] of programs[at]?.acknowledged ?? []) expect(events[seq - 1]?.id).toBe(event);
    }
  });
});

function contentOf(path: string): unknown {
  const connection = loadSqlite()(path);
  const tables = connection.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", []);
  const rows = tables.map(({ name }) => [name, connection.all(`SELECT * FROM ${String(name)}`, [])]);
  connection.close();
  return rows;
}

test("a file that is opened twice here keeps its log when another process opens and closes it", async () => {
  const { base } = tempWorkspace();
  const path = join(base, "sessions.db");
  const first = createStore(await openSqlite(path));
  onTestFinished(() => first.close());
  await first.keyValues({ name: "n", person: "", project: "" }).change("a", () => 1);
  const { ino } = statSync(`${path}-wal`);
  // Closed again at once, as the page does that lists sessions.
  await createStore(await openSqlite(path)).close();
  const program = `const Database = require("libsql"); const own = new Database(${JSON.stringify(path)});
    own.prepare("SELECT count(*) FROM sqlite_master").all(); own.close();`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(existsSync(`${path}-wal`) && statSync(`${path}-wal`).ino).toBe(ino);
});

/** All but the mark that says whose file it is. */
function noise(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => (at >= 68 && at < 72 ? byte : at < 4_096 ? (at * 7) % 251 : byte)));
}
