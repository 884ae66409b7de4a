import { readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { type AuditWriterOptions, createAuditWriter } from "./audit-writer.ts";

async function openWriter(more: Partial<AuditWriterOptions> = {}) {
  const path = join(tempWorkspace().project, "audit.jsonl");
  writeFileSync(path, "");
  const told: string[] = [];
  const lost = { rows: 0 };
  const writer = await createAuditWriter({
    path,
    onError: (text) => void told.push(text),
    consequence: "calls go on without it",
    onRecovered: (text) => void told.push(text),
    head: () => ({ run: "run", seq: 0, hash: "" }),
    onLost: () => {
      lost.rows += 1;
    },
    onOpened: () => "opened\n",
    ...more,
  });
  return { path, writer, told, lost };
}

test("a row that cannot be made is given up, with a word about it, and the others are written", async () => {
  const { path, writer, told, lost } = await openWriter();
  writer.add(() => "one\n");
  writer.add(() => {
    throw new RangeError("Maximum call stack size exceeded");
  });
  writer.add(() => "two\n");
  await writer.close();
  expect(readFileSync(path, "utf8")).toBe("opened\none\ntwo\n");
  expect([told, lost.rows]).toEqual([["a row of the audit log could not be made"], 1]);
});

test("rows that cannot be written in the program's last moment keep nobody else from theirs", async () => {
  const { writer, told } = await openWriter({ openFile: (path) => open(path, "r") });
  writer.flushNow();
  expect(told).toEqual([expect.stringContaining("could not be written")]);
  await writer.close();
});

/** A row that takes longer to make than one turn of the loop is given for all of them. */
function heavy(text: string): () => string {
  return () => {
    const until = performance.now() + 1.5;
    while (performance.now() < until);
    return text;
  };
}

test("others have their turns while many rows are made, and all are written in order", async () => {
  const { path, writer } = await openWriter();
  const texts = Array.from({ length: 24 }, (_, at) => `${at}\n`);
  const rounds = new Set<number>();
  let turns = 0;
  let isOver = false;
  for (const row of texts.map(heavy))
    writer.add(() => {
      rounds.add(turns);
      return row();
    });
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await writer.flush();
  isOver = true;
  expect(rounds.size).toBeGreaterThan(4);
  await writer.close();
  expect(readFileSync(path, "utf8")).toBe(["opened\n", ...texts].join(""));
});

test("the program's last moment writes what was made and what was not, once", async () => {
  const { path, writer } = await openWriter();
  const texts = Array.from({ length: 12 }, (_, at) => `${at}\n`);
  for (const text of texts) writer.add(heavy(text));
  const flushed = writer.flush();
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  writer.add(() => "late\n");
  writer.flushNow();
  const all = ["opened\n", ...texts, "late\n"].join("");
  expect(readFileSync(path, "utf8")).toBe(all);
  await flushed;
  await writer.close();
  expect(readFileSync(path, "utf8")).toBe(all);
});
