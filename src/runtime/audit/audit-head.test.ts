import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { openAuditLog } from "./audit-log.ts";
import { verifyAudit } from "./verify-audit.ts";

async function openLog(path: string) {
  const log = await openAuditLog({
    path,
    onError: (text) => {
      throw new Error(text);
    },
  });
  onTestFinished(() => log.close());
  return log;
}

const problemsOf = async (path: string) =>
  (await verifyAudit(path, new AbortController().signal)).problems.map(({ text }) => text);

describe("the head beside the log", () => {
  const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");

  test("is written with every flush, so that no row that was flushed can be cut off unnoticed", async () => {
    const path = join(tempWorkspace().project, "audit.jsonl");
    const log = await openLog(path);
    for (let at = 0; at < 5; at += 1) {
      for (let more = 0; more < 9; more += 1) log.note({ type: "config.reloaded", text: `reload ${at}` });
      await log.flush();
      const whole = readFileSync(path, "utf8");
      expect(await problemsOf(path)).toEqual([]);
      writeFileSync(path, `${linesOf(path).slice(0, -1).join("\n")}\n`);
      expect(await problemsOf(path)).toEqual([expect.stringMatching(/the last 1 rows of run .* are missing/)]);
      writeFileSync(path, whole);
    }
    await log.close();
    expect(await problemsOf(path)).toEqual([]);
  });

  test("that is missing or cannot be read fails", async () => {
    const path = join(tempWorkspace().project, "audit.jsonl");
    const log = await openLog(path);
    await log.close();
    for (const text of ["", "{", '{"run":1}\n', "[3]"]) {
      writeFileSync(`${path}.head`, text);
      expect(await problemsOf(path), text).toEqual([expect.stringContaining("rows missing at its end cannot be told")]);
    }
    rmSync(`${path}.head`);
    expect(await problemsOf(path)).toEqual([expect.stringContaining("there is no head beside the log")]);
  });

  test("that is older than the log fails, and one more line does not make it older", async () => {
    const path = join(tempWorkspace().project, "audit.jsonl");
    const log = await openLog(path);
    await log.flush();
    const older = readFileSync(`${path}.head`, "utf8");
    log.note({ type: "config.reloaded", text: "reload" });
    await log.close();
    const newest = readFileSync(`${path}.head`, "utf8");
    writeFileSync(`${path}.head`, older);
    expect(await problemsOf(path)).toEqual([expect.stringMatching(/the head of run .* is older than its last row/)]);
    writeFileSync(`${path}.head`, newest + older);
    expect(await problemsOf(path)).toEqual([]);
    writeFileSync(path, `${linesOf(path).slice(0, -2).join("\n")}\n`);
    expect(await problemsOf(path)).toEqual([expect.stringMatching(/the last 2 rows of run .* are missing/)]);
  });

  test("keeps the lines of all who write at the same time, and lets the older half go when there are many", async () => {
    const path = join(tempWorkspace().project, "audit.jsonl");
    const many = Array.from({ length: 1_500 }, (_, at) => JSON.stringify({ run: `old${at}`, seq: 1, hash: "h" }));
    const early = await openLog(path);
    await early.flush();
    writeFileSync(`${path}.head`, `${readFileSync(`${path}.head`, "utf8")}${many.join("\n")}\n`);
    const logs = await Promise.all([openLog(path), openLog(path), openLog(path)]);
    for (let at = 0; at < 20; at += 1) {
      for (const log of [early, ...logs]) log.note({ type: "config.reloaded", text: `reload ${at}` });
      await Promise.all([early, ...logs].map((log) => log.flush()));
    }
    await Promise.all([early, ...logs].map((log) => log.close()));
    const heads = linesOf(`${path}.head`).map((line) => JSON.parse(line));
    expect(heads.length).toBeLessThan(600);
    expect(heads.filter(({ run }) => !run.startsWith("old"))).toHaveLength(4);
    const cut = linesOf(path);
    writeFileSync(path, `${cut.slice(0, -4).join("\n")}\n`);
    const problems = await problemsOf(path);
    expect(problems.filter((text) => /^the last \d+ rows/.test(text))).toHaveLength(4);
    expect(problems.at(-1)).toMatch(/^all rows of run old\d+ and of \d+ more are missing/);
  });

  test("remembers what was cut, or that it was gone, after the next run has begun", async () => {
    const path = join(tempWorkspace().project, "audit.jsonl");
    for (let run = 0; run < 2; run += 1) await (await openLog(path)).close();
    const [rows, heads] = [readFileSync(path, "utf8"), readFileSync(`${path}.head`, "utf8")];
    writeFileSync(path, `${linesOf(path).slice(0, 2).join("\n")}\n`);
    await (await openLog(path)).close();
    expect(await problemsOf(path)).toEqual([expect.stringMatching(/^all rows of run \w+ are missing$/)]);
    writeFileSync(path, rows);
    writeFileSync(`${path}.head`, heads);
    rmSync(`${path}.head`);
    await (await openLog(path)).close();
    expect(await problemsOf(path)).toEqual([expect.stringMatching(/^there is no head of run \w+ and of 1 more/)]);
  });
});
