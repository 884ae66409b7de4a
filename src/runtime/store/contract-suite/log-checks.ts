import assert from "node:assert/strict";
import type { StoredLogBody, StoredLogRow } from "../stored-log.ts";
import type { StoreWork } from "./store-work.ts";

function row(run: string, seq: number, more: Partial<StoredLogRow> = {}): StoredLogRow {
  const place = { run, seq, at: 1_000 + seq, prev: `before ${seq}`, hash: `of ${seq}` };
  return { ...place, kind: "call", person: "", line: `line ${run} ${seq}`, ...more };
}

function body(run: string, seq: number, person: string): StoredLogBody {
  return { run, seq, at: 1_000 + seq, person, sealed: `sealed ${run} ${seq}` };
}

const names = (rows: readonly Pick<StoredLogRow, "run" | "seq">[]) => rows.map(({ run, seq }) => `${run}${seq}`);

export const logChecks: Readonly<Record<string, StoreWork>> = {
  "keeps the rows of several machines' logs, each once, newest first or one run in its order": async (open) => {
    const [one, two] = [await open(), await open()];
    const many = Array.from({ length: 40 }, (_, seq) => row("a", seq));
    await Promise.all([one.log.addRows("s", many), two.log.addRows("s", [...many.slice(20), row("b", 50)])]);
    await one.log.addRows("s", [row("a", 3, { line: "changed" })]);
    await one.log.addRows("other", [row("a", 3)]);
    assert.deepEqual(await two.log.runs("s"), ["a", "b"]);
    const newest = await two.log.rows("s", { limit: 3 });
    assert.deepEqual(names(newest), ["b50", "a39", "a38"]);
    const last = newest[2];
    assert.ok(last !== undefined);
    assert.deepEqual(names(await two.log.rows("s", { limit: 2, before: last })), ["a37", "a36"]);
    assert.deepEqual(names(await two.log.rows("s", { limit: 9, since: 1_039 })), ["b50", "a39"]);
    assert.deepEqual(await two.log.rows("s", { run: "a", after: 2, limit: 1 }), [row("a", 3)]);
  },
  "takes the content of old rows of one kind away, and leaves their places": async (open) => {
    const { log } = await open();
    await log.addRows("s", [row("a", 1, { person: "ann" }), row("a", 2, { person: "bob" }), row("a", 3)]);
    await log.addRows("s", [row("a", 0, { kind: "person" })]);
    assert.equal(await log.blankRows("s", { kind: "call", before: 1_003, except: ["bob"] }), 1);
    assert.equal(await log.blankRows("s", { kind: "call", before: 1_003, except: ["bob"] }), 0);
    const rows = await log.rows("s", { run: "a", after: -1, limit: 9 });
    assert.deepEqual(
      rows.map(({ line }) => line),
      ["line a 0", null, "line a 2", "line a 3"],
    );
    assert.deepEqual(rows[1], row("a", 1, { line: null, person: "" }));
    assert.deepEqual(names(await log.rows("s", { person: "bob", limit: 9 })), ["a2"]);
  },
  "keeps bodies apart from rows, and deletes those of one person or of a time": async (open) => {
    const { log } = await open();
    await log.addBodies("s", [body("a", 1, "ann"), body("a", 2, "bob"), body("a", 3, "ann"), body("b", 9, "")]);
    await log.addBodies("s", [{ ...body("a", 1, "ann"), sealed: "changed" }]);
    const all = [1, 2, 3].map((seq) => ({ run: "a", seq }));
    assert.deepEqual((await log.bodies("s", [...all, { run: "b", seq: 1 }])).map(({ sealed }) => sealed).sort(), [
      "sealed a 1",
      "sealed a 2",
      "sealed a 3",
    ]);
    assert.equal(await log.deleteBodies("s", { person: "ann", before: 1_003 }), 1);
    assert.equal(await log.deleteBodies("s", { before: 9_999, except: ["ann", "bob"] }), 1);
    assert.deepEqual(names(await log.bodies("s", all)).sort(), ["a2", "a3"]);
    assert.equal(await log.deleteBodies("other", { before: 9_999 }), 0);
  },
};
