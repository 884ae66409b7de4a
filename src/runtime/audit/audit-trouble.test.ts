import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { letTimePass } from "../../../test/support/poll.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { openSession } from "../session/tools/session.ts";
import { toSetting } from "../session/tools/setting.ts";
import { type AuditHandle, openAuditFile } from "./audit-file.ts";
import { type AuditLog, type AuditLogOptions, openAuditLog } from "./audit-log.ts";
import { openAuditTail } from "./audit-tail.ts";
import { readAudit } from "./read-audit.ts";
import { refuseUnwritten } from "./session-audit.ts";
import { verifyAudit } from "./verify-audit.ts";

const NEVER = new AbortController().signal;
const reloaded = (at: number) => ({ type: "config.reloaded", text: `reload ${at}` }) as const;

async function openLog(path: string, more: Partial<AuditLogOptions> = {}) {
  const told: string[] = [];
  const log = await openAuditLog({
    ...{ path, ...more },
    onError: (text) => void told.push(text),
    onRecovered: (text) => void told.push(text),
  });
  onTestFinished(() => log.close());
  return { log, told };
}

async function textsOf(path: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { row } of readAudit(path, NEVER))
    texts.push(row === null ? "(no row)" : "text" in row ? row.text : "");
  return texts;
}

const problemsOf = async (path: string) =>
  (await verifyAudit(path, NEVER)).problems.map(({ file, line, text }) => `${file ?? ""} ${line} ${text}`.trim());

/** A disk with room for so many bytes, of which the last write takes as many as fit. */
function smallDisk(room: number) {
  const disk = { room };
  const openFile: AuditHandle = async (path, flags, mode) => {
    const file = await open(path, flags, mode);
    return new Proxy(file, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (key !== "write") return typeof member === "function" ? member.bind(target) : member;
        return async (bytes: Buffer) => {
          const fits = bytes.subarray(0, disk.room);
          if (fits.length === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
          disk.room -= fits.length;
          return target.write(fits);
        };
      },
    });
  };
  return { disk, openFile };
}

test("what finds no room on a full disk is written when there is some, from the byte on at which it stopped", async () => {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const { disk, openFile } = smallDisk(1_000);
  const { log, told } = await openLog(path, { openFile });
  for (let at = 0; at < 20; at += 1) {
    log.note(reloaded(at));
    await log.flush();
  }
  expect(readFileSync(path)).toHaveLength(1_000);
  expect(told).toEqual([expect.stringContaining("could not be written; calls go on without it")]);
  disk.room = 1_000_000;
  log.note(reloaded(20));
  await log.flush();
  expect(told.at(-1)).toBe(`the audit log ${path} is written again; no row is missing`);
  await log.close();
  expect((await textsOf(path)).slice(1, -1)).toEqual(Array.from({ length: 21 }, (_, at) => `reload ${at}`));
  expect(await problemsOf(path)).toEqual([]);
});

test("where the log is required, calls are refused while the disk is full, and run once it is not", async () => {
  const { cwd, home, load } = createWorkspace({ "notes.txt": "hello" });
  const { disk, openFile } = smallDisk(1_000_000);
  const { log, told } = await openLog(join(home, "audit.jsonl"), { openFile, isRequired: true });
  const setting = toSetting({
    ...{ version: "1", cwd, home, env: {}, workspace: cwd },
    audit: {
      watch: ({ id, on }) => log.watch({ session: { id, on }, label: "test", principal: "main" }),
      beforeRun: refuseUnwritten(log),
      close: log.close,
    },
  });
  const session = await openSession(await load(), setting);
  onTestFinished(() => session.close());
  const look = async () => (await session.call("view", { path: "notes.txt" })).resultType;
  expect(await look()).toBe("success");
  disk.room = 0;
  expect(await session.call("view", { path: "notes.txt" })).toMatchObject({
    resultType: "failure",
    textResultForLlm: "The call did not run, because the required log of calls cannot be written. Nothing was changed.",
  });
  expect(await look()).toBe("failure");
  expect(told).toEqual([expect.stringContaining("could not be written; calls are refused until it can be")]);
  disk.room = 1_000_000;
  expect(await look()).toBe("success");
  await session.close();
  const calls = [...readFileSync(join(home, "audit.jsonl"), "utf8").matchAll(/"type":"(call.*?)".*?"result":(.*?),/g)];
  expect(calls.map(([, type, result]) => `${type} ${result}`)).toEqual([
    ...["call.running null", 'call "success"'],
    ...["call.running null", 'call "failure"'],
    ...["call.running null", 'call "failure"'],
    ...["call.running null", 'call "success"'],
  ]);
});

test("a disk that stays full costs rows, never memory: their numbers and a word tell how many", async () => {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const { disk, openFile } = smallDisk(0);
  const { log, told } = await openLog(path, { openFile });
  await log.flush();
  for (let at = 0; at < 20_100; at += 1) log.note(reloaded(at));
  disk.room = 100_000_000;
  await log.flush();
  log.note(reloaded(7));
  await log.close();
  expect(told.at(-1)).toBe(`the audit log ${path} is written again; 100 rows are missing`);
  expect(await problemsOf(path)).toEqual([expect.stringMatching(/^20002 row 20101 .* follows row 20000: rows are/)]);
});

/** Waits until the log has looked at its place again, writing rows meanwhile. */
async function until(log: AuditLog, isDone: () => boolean): Promise<void> {
  await vi.waitFor(
    async () => {
      log.note(reloaded(0));
      await log.flush();
      expect(isDone()).toBe(true);
    },
    { timeout: 30_000, interval: 50 },
  );
}

test.each([
  ["moved away", (path: string) => renameSync(path, `${path}.saved`)],
  ["thrown away", (path: string) => rmSync(path)],
])("a log that was %s goes on in its place, and says so", async (_how, take) => {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const { log } = await openLog(path);
  log.note(reloaded(1));
  await log.flush();
  take(path);
  await until(log, () => readdirSync(join(path, "..")).includes("audit.jsonl"));
  await log.close();
  expect((await textsOf(path))[0]).toBe("somebody removed the previous file while Toolcrib wrote to it");
  expect(await problemsOf(path)).toEqual([expect.stringMatching(/^1 what run \w+ had written before was taken away$/)]);
});

test("a log that is taken away before anything was written to it begins in its place, with its own first row", async () => {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const { log } = await openLog(path);
  rmSync(path);
  // Whatever comes first is written only after the next look.
  await letTimePass(1_100);
  log.note(reloaded(1));
  await log.close();
  expect((await textsOf(path)).slice(0, 3)).toEqual([
    "Toolcrib began to write",
    "somebody removed the previous file while Toolcrib wrote to it",
    "reload 1",
  ]);
  expect(await problemsOf(path)).toEqual([]);
});

test("who writes to a file that another program puts aside follows into the next one", async () => {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const { log: quiet } = await openLog(path);
  quiet.note(reloaded(1));
  await quiet.flush();
  const [run = ""] = /"run":"\w+"/.exec(readFileSync(path, "utf8")) ?? [];
  const { log: busy } = await openLog(path, { fileBytes: 500 });
  busy.note(reloaded(2));
  await busy.flush();
  await until(quiet, () => readFileSync(path, "utf8").includes(run));
  await Promise.all([quiet.close(), busy.close()]);
  expect(await verifyAudit(path, NEVER)).toMatchObject({ runs: 2, open: 0, problems: [] });
});

test("two programs that find one file full put it aside once, and each goes on in the next one", async () => {
  for (let round = 0; round < 20; round += 1) {
    const path = join(tempWorkspace().project, "audit.jsonl");
    const both = await Promise.all([openLog(path, { fileBytes: 600 }), openLog(path, { fileBytes: 600 })]);
    for (let at = 0; at < 2; at += 1) {
      for (const { log } of both) for (let more = 0; more < 2; more += 1) log.note(reloaded(at));
      await Promise.all(both.map(({ log }) => log.flush()));
    }
    await Promise.all(both.map(({ log }) => log.close()));
    expect(both.flatMap(({ told }) => told)).toEqual([]);
    const { problems } = await verifyAudit(path, NEVER);
    expect(problems).toEqual([]);
  }
});

/** A log of many files, closed. */
async function manyFiles(rounds: number): Promise<{ readonly path: string; readonly kept: readonly string[] }> {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const { log } = await openLog(path, { fileBytes: 1_000 });
  for (let at = 0; at < rounds; at += 1) {
    for (let more = 0; more < 4; more += 1) log.note(reloaded(at));
    await log.flush();
  }
  await log.close();
  const names = readdirSync(join(path, "..")).filter((name) => /^audit\.jsonl\.\d+$/.test(name));
  const kept = names.map((name) => join(path, "..", name));
  return { path, kept: kept.sort((a, b) => numberOf(a) - numberOf(b)) };
}

function numberOf(name: string): number {
  return Number(/\d+$/.exec(name)?.[0]);
}

test("files that were put aside are looked at too: rows missing at their end, changed ones, and whole files", async () => {
  for (const rounds of [7, 30]) {
    const { path, kept } = await manyFiles(rounds);
    expect(await problemsOf(path)).toEqual([]);
    const [oldest = "", second = ""] = kept;
    const whole = readFileSync(second, "utf8");
    writeFileSync(second, `${whole.trimEnd().split("\n").slice(0, -1).join("\n")}\n`);
    expect(await problemsOf(path)).toEqual([expect.stringMatching(/^\S*\.\d+ 1 row \d+ .*rows are missing or moved$/)]);
    writeFileSync(second, whole.replace("reload", "relead"));
    expect((await problemsOf(path))[0]).toMatch(/^\S+\.\d+ \d+ was changed after it was written$/);
    writeFileSync(second, whole);
    rmSync(oldest);
    expect(await problemsOf(path)).toEqual([expect.stringContaining("what was before it is missing")]);
  }
});

test("a log whose writer was killed between two files is one chain all the same", async () => {
  const { path, kept } = await manyFiles(7);
  const full = `${path}.${numberOf(kept.at(-1) ?? "") + 1}`;
  renameSync(path, full);
  const { log } = await openLog(path);
  await log.close();
  expect(await problemsOf(path)).toEqual([]);
  const opened = readFileSync(path, "utf8").split("\n")[0] ?? "";
  const last = readFileSync(full, "utf8").trimEnd().split("\n").at(-1) ?? "{}";
  expect(JSON.parse(opened).prev).toBe(JSON.parse(last).hash);
});

test("anyone who follows a log misses no row when its files are full meanwhile", async () => {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const { log } = await openLog(path, { fileBytes: 2_000 });
  const tail = await openAuditTail(path, 0);
  const found: string[] = [];
  const read = async () => {
    for await (const row of tail.read(NEVER)) if (row.type === "config.reloaded") found.push(row.text);
  };
  for (let at = 0; at < 40; at += 1) {
    log.note(reloaded(at));
    await log.flush();
    // Now and then, so that a file is left in the middle, at its end, and more than one behind.
    if (at % 7 === 0) await read();
  }
  await log.close();
  await read();
  expect(found).toEqual(Array.from({ length: 40 }, (_, at) => `reload ${at}`));
});

test("what is being written when the program ends is not written twice", async () => {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const file = await openAuditFile(path);
  const written = file.append("under way\n");
  file.appendNow("at the end\n");
  await written;
  await file.close();
  expect(readFileSync(path, "utf8").split("\n").sort()).toEqual(["", "at the end", "under way"]);
});

test("a program that ends while its log is being closed loses no row of it, and writes none twice", async () => {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const before = process.listeners("exit");
  const { log, told } = await openLog(path);
  const [onExit] = process.listeners("exit").filter((one) => !before.includes(one));
  for (let at = 0; at < 2_000; at += 1) log.note(reloaded(at));
  const closing = log.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(process.listeners("exit")).toContain(onExit);
  onExit?.(0);
  const rows = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(rows).toHaveLength(2_002);
  await closing;
  expect(readFileSync(path, "utf8").trimEnd().split("\n")).toEqual(rows);
  expect(process.listeners("exit")).not.toContain(onExit);
  expect([told, await problemsOf(path)]).toEqual([[], []]);
});
