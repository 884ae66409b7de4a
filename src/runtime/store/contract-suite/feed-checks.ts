import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { FeedMessage } from "../store.ts";
import type { StoreWork } from "./store-work.ts";

const QUESTION = { id: "q1", kind: "permission", asked: { tool: "shell" } } as const;
const HOUR = 3_600_000;

export const feedChecks: Readonly<Record<string, StoreWork>> = {
  "tells the messages of a feed in order, to anyone who follows it in any process, each once": async (open) => {
    const [one, two] = [await open(), await open()];
    await one.post("news", "before");
    const [first] = await two.messages("news", 0);
    const received: FeedMessage[] = [];
    const done = new Promise<void>((resolve) => {
      two.follow("news", first?.seq ?? 0, (message) => {
        received.push(message);
        if (received.length === 20) resolve();
      });
    });
    const posts = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : two).post("news", { at }));
    const numbers = await Promise.all(posts);
    await one.post("other news", "not this");
    await done;
    assert.deepEqual(
      received.map(({ seq }) => seq),
      numbers.map(Number).toSorted((a, b) => a - b),
    );
    assert.deepEqual(received, await one.messages("news", first?.seq ?? 0));
  },
  "lets one of those who add behind the same message win": async (open) => {
    const [one, two] = [await open(), await open()];
    const last = Number(await one.post("news", "first"));
    const outcomes = await Promise.all([one.post("news", "a", last), two.post("news", "b", last)]);
    assert.equal(outcomes.filter((seq) => seq === null).length, 1);
    assert.equal((await one.messages("news", last)).length, 1);
  },
  "keeps questions that belong to no journal, until they are answered or closed": async (open) => {
    const [one, two] = [await open(), await open()];
    await one.ask("clients", { asked: [QUESTION, { ...QUESTION, id: "q2" }] });
    assert.deepEqual(
      (await two.questions({ sessionId: "clients" })).map(({ id }) => id),
      ["q1", "q2"],
    );
    const waiting = one.answerTo("q1", new AbortController().signal);
    assert.equal(await two.answer("q1", "yes", "ada"), "answered");
    assert.deepEqual(await waiting, { answer: "yes", by: "ada" });
    await two.ask("clients", { closed: ["q2"] });
    assert.deepEqual(await one.questions(), []);
    await one.ask("clients", { asked: [QUESTION] });
    assert.deepEqual(await one.questions(), []);
  },
  "takes away what is old, and nothing else": async (open) => {
    const store = await open();
    const clients = store.keyValues({ name: "clients", person: "", project: "" });
    const other = store.keyValues({ name: "grants", person: "", project: "" });
    await Promise.all([clients, other].map((each) => each.change("key", () => 1)));
    await store.post("news", "one");
    await store.ask("clients", { asked: [QUESTION, { ...QUESTION, id: "q2" }], closed: ["q2"] });
    const kinds = [
      { kind: "messages" },
      { kind: "key-values", name: "clients" },
      { kind: "questions", sessionId: "clients" },
    ] as const;
    for (const what of kinds) await store.expire(what, HOUR);
    assert.equal((await store.messages("news", 0)).length, 1);
    assert.equal(await clients.get("key"), 1);
    for (const what of kinds) await store.expire(what, 0);
    assert.deepEqual(await store.messages("news", 0), []);
    assert.equal(await clients.get("key"), undefined);
    assert.equal(await other.get("key"), 1);
    assert.equal(await store.answer("q1", "yes", "ada"), "answered");
    assert.equal(await store.answer("q2", "yes", "ada"), "unknown");
  },
  "lists the processes that have joined, until they close": async (open) => {
    const [one, two] = [await open(), await open()];
    one.join();
    two.join();
    while ((await two.machines()).length < 2) await setImmediate();
    await one.close();
    assert.deepEqual(
      (await two.machines()).map(({ id }) => id),
      [two.machine],
    );
  },
};
