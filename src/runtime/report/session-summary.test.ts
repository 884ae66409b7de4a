import { expect, onTestFinished, test } from "vitest";
import { createStore } from "../store/create-store.ts";
import { createMemoryBackEnd } from "../store/memory-back-end.ts";
import { summarizeAll } from "./session-summary.ts";

test("however many sessions are listed, a few are read at the same time, and they keep their order", async () => {
  const store = createStore(createMemoryBackEnd());
  onTestFinished(() => store.close());
  for (let at = 0; at < 50; at += 1) {
    const journal = await store.create({ id: `s${at}`, person: "", project: "" });
    await journal.release();
  }
  let [reading, most] = [0, 0];
  const counted: typeof store = {
    ...store,
    async read(...given) {
      reading += 1;
      most = Math.max(most, reading);
      await new Promise((resolve) => setImmediate(resolve));
      reading -= 1;
      return store.read(...given);
    },
  };
  const sessions = await store.sessions();
  const summaries = await summarizeAll(counted, sessions);
  expect(summaries.map(({ id }) => id)).toEqual(sessions.map(({ id }) => id));
  expect(most).toBeLessThanOrEqual(4);
});
