import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MOST_BYTES, MOST_LISTS, openStoredList } from "./stored-list.ts";

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-lists-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "lists", "one.json");
}

const MEMORY = { tools: [{ name: "a", inputSchema: { type: "object" } }], instructions: "be kind" };
const WRITTEN = { ...MEMORY, tools: MEMORY.tools.map((tool) => JSON.stringify(tool)) };

test("what a server listed is there at its next start, for its owner alone", async () => {
  const path = place();
  const first = await openStoredList(path);
  expect(first.earlier).toBeNull();
  first.save(WRITTEN);
  await first.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  chmodSync(path, 0o644);
  expect((await openStoredList(path)).earlier).toEqual(MEMORY);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  ["no JSON", "{"],
  ["no list", '{"version":1,"tools":{}}'],
  ["another version", '{"version":9,"tools":[]}'],
  ["nothing but depth", "[".repeat(100_000)],
  ["too large", `{"version":1,"tools":["${"x".repeat(MOST_BYTES)}"]}`],
])("a file that is broken (%s) is none, and the next list replaces it", async (_, text) => {
  const path = place();
  const first = await openStoredList(path);
  first.save(WRITTEN);
  await first.close();
  writeFileSync(path, text);
  const second = await openStoredList(path);
  expect(second.earlier).toBeNull();
  second.save(WRITTEN);
  await second.close();
  expect((await openStoredList(path)).earlier).toEqual(MEMORY);
});

test("a list that is too large is not kept, nor is the one before it", async () => {
  const path = place();
  const stored = await openStoredList(path);
  stored.save(WRITTEN);
  stored.save({ ...WRITTEN, instructions: "x".repeat(MOST_BYTES) });
  await stored.close();
  expect((await openStoredList(path)).earlier).toBeNull();
});

test("lists of entries that are long gone are removed, however many are written at once", async () => {
  const path = place();
  const folder = dirname(path);
  mkdirSync(folder);
  for (let at = 0; at < MOST_LISTS; at += 1) {
    writeFileSync(join(folder, `old-${at}.json`), "{}");
    utimesSync(join(folder, `old-${at}.json`), at, at);
  }
  const names = Array.from({ length: 20 }, (_, at) => `new-${at}.json`);
  const lists = await Promise.all(names.map((name) => openStoredList(join(folder, name))));
  for (const list of lists) list.save(WRITTEN);
  await Promise.all(lists.map((list) => list.close()));
  const kept = new Set(readdirSync(folder));
  expect(kept.size).toBe(MOST_LISTS);
  expect(names.filter((name) => !kept.has(name))).toEqual([]);
  expect([kept.has("old-19.json"), kept.has("old-20.json")]).toEqual([false, true]);
});

test("a folder that cannot be written fails nobody", async () => {
  const path = place();
  writeFileSync(dirname(path), "a file");
  const stored = await openStoredList(path);
  stored.save(WRITTEN);
  await stored.close();
  expect(stored.earlier).toBeNull();
});
