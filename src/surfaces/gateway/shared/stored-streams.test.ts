import { expect, onTestFinished, test } from "vitest";
import { createStore } from "../../../runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../../runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../../runtime/store/memory-tables.ts";
import type { HttpReply } from "../wire/http-reply.ts";
import { createMachines } from "./machines.ts";
import { createMovableCalls } from "./movable-calls.ts";
import { createStoredStreams } from "./stored-streams.ts";

/** A client that takes streams and says what it got. */
function createReply() {
  const ids: string[] = [];
  const nothing = (): void => {};
  const reply: HttpReply = {
    ...{ streams: true, takesStream: true, open: () => true, send: () => true },
    ...{ end: nothing, finish: nothing, ping: nothing, accept: nothing, onOver: nothing },
    onGone: () => nothing,
    prime: (id) => void ids.push(id),
  };
  return { reply, ids };
}

test("a stream that is open for longer than messages are kept can still be resumed, on any machine (M2)", async () => {
  const tables = createMemoryTables();
  const start = () => {
    const store = createStore(createMemoryBackEnd(tables));
    onTestFinished(() => store.close());
    store.join();
    const machines = createMachines(store, "test", () => {});
    const calls = createMovableCalls(store, "test", machines);
    return createStoredStreams({ store, scope: "test", machines, calls, window: () => 60_000 });
  };
  const [one, two] = [start(), start()];
  const { reply, ids } = createReply();
  const request = { kind: "request", id: 1, method: "tools/call", params: {} } as const;
  const kept = one.keep(reply, "session", request, true);
  kept.send("progress");
  await expect.poll(() => ids).toHaveLength(1);
  const asked = { session: "session", lastEventId: ids[0] ?? "", primes: true };
  const resume = () => two.resume(asked, createReply().reply, () => {});
  await one.renew(60_000);
  expect(tables.messages).toHaveLength(1);
  await one.renew(0);
  // The first one ends by its age.
  tables.messages.shift();
  expect(await resume()).toBe(true);
  kept.end("answer");
  await expect.poll(() => tables.messages.map(({ body }) => JSON.parse(body).kind)).toContain("answer");
  const before = tables.messages.length;
  await one.renew(0);
  expect(tables.messages).toHaveLength(before);
});
