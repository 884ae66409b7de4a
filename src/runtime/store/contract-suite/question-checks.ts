import assert from "node:assert/strict";
import type { Store } from "../store.ts";
import { eventsAfter, SESSION } from "./sample-events.ts";
import type { StoreWork } from "./store-work.ts";

const QUESTION = { id: "q1", kind: "permission", asked: { tool: "shell", odd: "\0" } } as const;
const { signal: FOREVER } = new AbortController();

export const questionChecks: Readonly<Record<string, StoreWork>> = {
  "keeps questions with the events that ask them, for every process and after all have closed": async (open) => {
    const store = await open();
    await ask(store);
    await store.close();
    const later = await open();
    const [question, ...others] = await later.questions();
    assert.deepEqual({ ...question, created: 0 }, { ...QUESTION, sessionId: "one", created: 0 });
    assert.deepEqual(others, []);
    assert.deepEqual(await later.questions({ sessionId: "other" }), []);
    assert.equal((await later.read("one")).length, 1);
  },
  "counts the first answer, and tells later ones": async (open) => {
    const [one, two] = [await open(), await open()];
    await ask(one);
    const outcomes = await Promise.all([one.answer("q1", "yes", "ada"), two.answer("q1", "no", "bob")]);
    assert.deepEqual(outcomes.toSorted(), ["already_answered", "answered"]);
    const first = outcomes[0] === "answered" ? { answer: "yes", by: "ada" } : { answer: "no", by: "bob" };
    assert.deepEqual(await one.answerTo("q1", FOREVER), first);
    assert.deepEqual(await two.answerTo("q1", FOREVER), first);
    assert.equal(await two.answer("nobody's", "yes", "ada"), "unknown");
    assert.deepEqual(await two.questions(), []);
  },
  "wakes anyone who waits, in any process": async (open) => {
    const [one, two] = [await open(), await open()];
    await ask(one);
    const waiting = Promise.all([one.answerTo("q1", FOREVER), two.answerTo("q1", FOREVER)]);
    await two.answer("q1", { decision: "allow" }, "ada");
    const answer = { answer: { decision: "allow" }, by: "ada" };
    assert.deepEqual(await waiting, [answer, answer]);
  },
  "closes a question with the event that says so: anyone who waits is told that there is no answer": async (open) => {
    const [one, two] = [await open(), await open()];
    const journal = await ask(one);
    const waiting = Promise.all([one.answerTo("q1", FOREVER), two.answerTo("q1", FOREVER)]);
    await journal.append(eventsAfter(journal.end, 1), { closed: ["q1"] });
    assert.deepEqual(await waiting, [null, null]);
    assert.equal(await two.answer("q1", "yes", "ada"), "already_answered");
  },
  "keeps an answer that came before the question was closed": async (open) => {
    const store = await open();
    const journal = await ask(store);
    await store.answer("q1", "yes", "ada");
    await journal.append(eventsAfter(journal.end, 1), { closed: ["q1"] });
    assert.deepEqual(await store.answerTo("q1", FOREVER), { answer: "yes", by: "ada" });
  },
  "keeps a question that is given again, with what was answered": async (open) => {
    const store = await open();
    const journal = await store.create(SESSION);
    const events = eventsAfter(journal.end, 2);
    await journal.append(events.slice(0, 1), { asked: [QUESTION] });
    await store.answer("q1", "yes", "ada");
    await journal.append(events, { asked: [QUESTION, { ...QUESTION, id: "q2" }] });
    assert.deepEqual(
      (await store.questions()).map(({ id }) => id),
      ["q2"],
    );
  },
  "stops waiting when told so, and when the store closes": async (open) => {
    const store = await open();
    await ask(store);
    const stopping = new AbortController();
    const stopped = store.answerTo("q1", stopping.signal);
    const left = store.answerTo("q1", FOREVER);
    const ends = Promise.allSettled([stopped, left]);
    stopping.abort(new Error("enough"));
    await store.close();
    assert.deepEqual(
      (await ends).map(({ status }) => status),
      ["rejected", "rejected"],
    );
    await assert.rejects(stopped, /enough/);
  },
};

async function ask(store: Store) {
  const journal = await store.create(SESSION);
  await journal.append(eventsAfter(journal.end, 1), { asked: [QUESTION] });
  return journal;
}
