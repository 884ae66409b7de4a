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
