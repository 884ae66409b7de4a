import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadHandler } from "../../../../test/support/builtin-handler.ts";
import { makeFolder, makeHost, makeRun } from "../../../../test/support/builtin-host.ts";
import { createFileMemory } from "./file-memory.ts";

const never = new AbortController().signal;

function setUp() {
  const path = join(makeFolder(), "deep", "memory.jsonl");
  return { path, memory: createFileMemory(path) };
}

describe("a memory in a file", () => {
  test("gives back what was stored, newest first, also to a later session", async () => {
    const { path, memory } = setUp();
    expect(await memory.recall(null, never)).toEqual([]);
    await memory.store("build", "uses pnpm", never);
    await memory.store("style", "two\nlines, “quotes” 😀", never);
    expect(await createFileMemory(path).recall(null, never)).toEqual([
      { subject: "style", fact: "two\nlines, “quotes” 😀" },
      { subject: "build", fact: "uses pnpm" },
    ]);
  });

  test("is for its owner alone", async () => {
    const { path, memory } = setUp();
    await memory.store("a", "b", never);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("holds a fact once, however often it is stored", async () => {
    const { path, memory } = setUp();
    await Promise.all([1, 2, 3].map(() => memory.store("a", "b", never)));
    await createFileMemory(path).store("a", "b", never);
    expect(readFileSync(path, "utf8")).toBe('{"subject":"a","fact":"b"}\n');
  });

  test("ranks by words, with those of the subject first", async () => {
    const { memory } = setUp();
    await memory.store("deploy", "runs from the main branch", never);
    await memory.store("tests", "run before each deploy", never);
    await memory.store("colours", "the logo is blue", never);
    const found = await memory.recall("How do I deploy?", never);
    expect(found.map(({ subject }) => subject)).toEqual(["deploy", "tests"]);
  });

  test("passes over what is torn or not a fact, and starts the next fact on its own line", async () => {
    const { path, memory } = setUp();
    await memory.store("one", "1", never);
    await memory.store("two", "2", never);
    truncateSync(path, statSync(path).size - 7);
    appendFileSync(path, "");
    await memory.store("three", "3", never);
    writeFileSync(path, `null\n[1]\n{"subject":1,"fact":"x"}\n\u0000\n${readFileSync(path, "utf8")}`);
    expect(await memory.recall(null, never)).toEqual([
      { subject: "three", fact: "3" },
      { subject: "one", fact: "1" },
    ]);
  });

  test("loses nothing when several write at once", async () => {
    const { path } = setUp();
    const writers = Array.from({ length: 8 }, () => createFileMemory(path));
    await Promise.all(
      writers.flatMap((memory, writer) =>
        Array.from({ length: 20 }, (_, at) => memory.store(`${writer}`, `${at} ${"x".repeat(500)}`, never)),
      ),
    );
    expect(await createFileMemory(path).recall(null, never)).toHaveLength(160);
  });

  test("law: wherever a crash cuts the file, every fact before the cut and the next one are there", async () => {
    const { path, memory } = setUp();
    for (const subject of ["a", "b", "c"]) await memory.store(subject, "fact 😀", never);
    const whole = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), async (size) => {
        writeFileSync(path, whole.subarray(0, size));
        await memory.store("next", "fact", never);
        const subjects = (await memory.recall(null, never)).map(({ subject }) => subject).reverse();
        const complete = whole.subarray(0, size).toString("latin1").split("}").length - 1;
        expect(subjects).toEqual([...["a", "b", "c"].slice(0, complete), "next"]);
      }),
    );
  });
});

describe("the memory tools", () => {
  function tools() {
    const host = makeHost(null, { memory: setUp().memory });
    return async (name: string, args: Readonly<Record<string, unknown>>, more = {}) =>
      (await loadHandler(name))(args, makeRun(), { ...host, ...more });
  }

  test("store and recall", async () => {
    const call = tools();
    expect(await call("recall_memory", {})).toMatchObject({ textResultForLlm: "Nothing is remembered yet." });
    expect(await call("store_memory", { subject: " build ", fact: "uses pnpm" })).toMatchObject({
      resultType: "success",
      textResultForLlm: "Remembered: build.",
    });
    expect(await call("recall_memory", { query: "build" })).toMatchObject({ textResultForLlm: "- build: uses pnpm" });
    expect(await call("recall_memory", { query: "weather" })).toMatchObject({
      textResultForLlm: 'Nothing is remembered about "weather".',
    });
  });

  test("show thirty facts and count the rest", async () => {
    const call = tools();
    for (let at = 0; at < 33; at += 1) await call("store_memory", { subject: "s", fact: `fact ${at}` });
    const result = await call("recall_memory", {});
    expect(result?.textResultForLlm.split("\n")).toHaveLength(31);
    expect(result?.textResultForLlm).toContain("[3 more;");
  });

  test("refuse what is empty or too long, and a session without a memory", async () => {
    const call = tools();
    expect(await call("store_memory", { subject: "", fact: "x" })).toMatchObject({ resultType: "failure" });
    expect(await call("store_memory", { subject: "x", fact: "y".repeat(2001) })).toMatchObject({
      resultType: "failure",
    });
    for (const name of ["store_memory", "recall_memory"]) {
      expect(await call(name, { subject: "a", fact: "b" }, { memory: null })).toMatchObject({ resultType: "failure" });
    }
  });
});
