import assert from "node:assert/strict";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { eventsAfter, ODD_DATA, SESSION } from "./sample-events.ts";
import type { StoreWork } from "./store-work.ts";

const LARGE = "large ".repeat(40_000);

export const journalChecks: Readonly<Record<string, StoreWork>> = {
  "gives back every event as it was, in order, to any process and after all have closed": async (open) => {
    const store = await open();
    const journal = await store.create(SESSION);
    const first = eventsAfter(journal.end, 3, ODD_DATA);
    await journal.append(first);
    const second = eventsAfter(journal.end, 1, { ...ODD_DATA, large: LARGE });
    await journal.append(second);
    const all = JSON.parse(JSON.stringify([...first, ...second]));
    assert.deepEqual(await (await open()).read("one"), all);
    await store.close();
    const later = await open();
    assert.deepEqual(await later.read("one"), all);
    assert.deepEqual(await later.read("one", { after: 1, limit: 2 }), all.slice(1, 3));
    assert.deepEqual(await later.read("other"), []);
  },
  "keeps unknown types and marks of newer versions": async (open) => {
    const store = await open();
    const journal = await store.create(SESSION);
    const [event] = eventsAfter(journal.end, 1);
    assert.ok(event);
    const newer = { ...event, type: "later.kind", critical: true as const, also: "kept" };
    await journal.append([newer]);
    assert.deepEqual(await store.read("one"), [newer]);
  },
  "stores what JSON cannot say as well as it can": async (open) => {
    const store = await open();
    const journal = await store.create(SESSION);
    const circle: Record<string, unknown> = { id: "call", big: 10n };
    circle.self = circle;
    await journal.append(eventsAfter(journal.end, 1, circle));
    const [event] = await store.read("one");
    assert.deepEqual(event?.data, { id: "call", big: "10", self: "[seen before]" });
  },
  "stores events that are given again once, with those behind them": async (open) => {
    const store = await open();
    const journal = await store.create(SESSION);
    const events = eventsAfter(journal.end, 4);
    // As if the acknowledgement of the first append had been lost.
    const before = journal.end;
    await journal.append(events.slice(0, 2));
    assert.deepEqual(before, { seq: 0, last: null });
    await journal.append(events);
    await journal.append(events.slice(3));
    assert.deepEqual(await store.read("one"), events);
    assert.deepEqual(journal.end, { seq: 4, last: events[3]?.id });
    await assert.rejects(journal.append(eventsAfter({ seq: 2, last: null }, 1)), /does not follow/);
    assert.deepEqual(await store.read("one"), events);
  },
  "stores all appends of one tick, in their order": async (open) => {
    const store = await open();
    const journals = await Promise.all(["a", "b", "c"].map((id) => store.create({ ...SESSION, id })));
    const wanted = journals.map((journal) => eventsAfter(journal.end, 20));
    await Promise.all(journals.flatMap((journal, at) => (wanted[at] ?? []).map((event) => journal.append([event]))));
    for (const [at, id] of ["a", "b", "c"].entries()) assert.deepEqual(await store.read(id), wanted[at]);
  },
  "refuses an id twice, and one that is not there": async (open) => {
    const store = await open();
    await store.create(SESSION);
    await assert.rejects(store.create(SESSION), hasCode("store.exists"));
    await assert.rejects(store.hold("nobody"), hasCode("store.unknown-session"));
    assert.equal(await store.delete("nobody"), false);
  },
  "lists sessions of a person and a project, newest first": async (open) => {
    const store = await open();
    for (const [id, person, project] of [
      ["a", "ada", "/x"],
      ["b", "ada", "/y"],
      ["c", "bob", "/x"],
    ] as const) {
      await store.create({ id, person, project });
      await passTime(5);
    }
    const journal = await (await open()).create({ id: "d", person: "ada", project: "/x" });
    await journal.append(eventsAfter(journal.end, 2));
    const ids = async (filter = {}) => (await store.sessions(filter)).map(({ id }) => id);
    assert.deepEqual(await ids(), ["d", "c", "b", "a"]);
    assert.deepEqual(await ids({ person: "ada", project: "/x" }), ["d", "a"]);
    assert.deepEqual(await ids({ limit: 1 }), ["d"]);
    await passTime(5);
    for (const id of ["ab", "aB", "b_", "b%"]) await (await store.create({ ...SESSION, id, project: "/z" })).release();
    assert.deepEqual((await ids({ idPrefix: "a" })).sort(), ["a", "aB", "ab"]);
    assert.deepEqual(await ids({ idPrefix: "a", project: "/x" }), ["a"]);
    assert.deepEqual(await ids({ idPrefix: "b_" }), ["b_"]);
    assert.equal((await ids({ idPrefix: "a", limit: 2 })).includes("a"), false);
    assert.deepEqual(await ids({ idPrefix: "\0" }), []);
    await passTime(5);
    await journal.append(eventsAfter(journal.end, 1));
    const [newest] = await store.sessions();
    assert.equal(newest?.events, 3);
    assert.ok(newest && newest.changed >= newest.created && Math.abs(newest.changed - Date.now()) < 60_000);
  },
  "deletes all of a session, and what others use stays": async (open) => {
    const store = await open();
    const part = new Map([["hash", "text"]]);
    const [one, two] = [await store.create(SESSION), await store.create({ ...SESSION, id: "two" })];
    await one.append(eventsAfter(one.end, 1, { large: LARGE }), {
      asked: [{ id: "q", kind: "permission", asked: {} }],
    });
    await one.keep(new Map([...part, ["own", "mine"]]));
    await two.keep(part);
    await one.release();
    assert.equal(await store.delete("one"), true);
    assert.deepEqual(await store.read("one"), []);
    assert.deepEqual(await store.questions(), []);
    assert.deepEqual(await store.parts(["hash", "own"]), part);
    await two.release();
    await store.delete("two");
    assert.deepEqual(await store.parts(["hash"]), new Map());
    assert.deepEqual(await store.sessions(), []);
    const again = await store.create(SESSION);
    assert.deepEqual(again.end, { seq: 0, last: null });
  },
  "prunes what nobody changed for long, the oldest first, and nothing that is held or waits for an answer": async (
    open,
  ) => {
    const store = await open();
    const oldest = await store.create(SESSION);
    await oldest.keep(new Map([["part", "text"]]));
    await oldest.release();
    await store.create({ ...SESSION, id: "held" });
    await (await store.create({ ...SESSION, id: "asked" })).release();
    await store.ask("asked", { asked: [{ id: "question", kind: "permission", asked: {} }] });
    await passTime(5);
    for (const id of ["later", "elsewhere"])
      await (await store.create({ ...SESSION, id, project: id === "later" ? SESSION.project : "/other" })).release();
    await passTime(30);
    const left = async () => (await store.sessions()).map(({ id }) => id).sort();
    const { project } = SESSION;
    assert.equal(await store.prune(60_000), 0);
    assert.equal(await store.prune(20, { project, limit: 1 }), 1);
    assert.deepEqual(await left(), ["asked", "elsewhere", "held", "later"]);
    assert.equal(await store.prune(20, { project }), 1);
    assert.deepEqual(await left(), ["asked", "elsewhere", "held"]);
    await store.answer("question", "yes", "ada");
    assert.equal(await store.prune(20), 2);
    assert.deepEqual(await left(), ["held"]);
    assert.deepEqual(await store.parts(["part"]), new Map());
  },
  "keeps the newest snapshot of the process that holds the journal": async (open) => {
    const store = await open();
    const journal = await store.create(SESSION);
    assert.equal(await journal.loadSnapshot(), null);
    for (const seq of [1, 2]) await journal.saveSnapshot({ seq, text: `at ${seq}` });
    await journal.release();
    const next = await store.hold("one");
    await journal.saveSnapshot({ seq: 9, text: "too late" });
    assert.deepEqual(await next.loadSnapshot(), { seq: 2, text: "at 2" });
  },
  "keeps parts by their hash": async (open) => {
    const journal = await (await open()).create(SESSION);
    const many = new Map(Array.from({ length: 1_200 }, (_, at) => [`hash ${at}`, `text ${at}`]));
    await journal.keep(many);
    await journal.keep(new Map([["hash 1", "text 1"]]));
    assert.deepEqual(await (await open()).parts([...many.keys(), "unknown"]), many);
  },
  "closes twice, and then says so": async (open) => {
    const store = await open();
    const journal = await store.create(SESSION);
    await store.close();
    await store.close();
    await assert.rejects(journal.append(eventsAfter(journal.end, 1)), isToolcribError);
  },
};

export function hasCode(code: string): (error: unknown) => boolean {
  return (error) => isToolcribError(error) && error.code === code;
}

export function passTime(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
