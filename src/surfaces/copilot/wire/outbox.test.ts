import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createOutbox } from "./outbox.ts";

function open() {
  const writes: string[] = [];
  const output = new Writable({
    write(chunk, _encoding, done) {
      writes.push(String(chunk));
      done();
    },
  });
  return { writes, outbox: createOutbox(output, () => {}) };
}

test("an answer and what follows from it a few turns later are one write, in their order", async () => {
  const { writes, outbox } = open();
  outbox.sendSoon({ id: 1, result: true });
  await setImmediate();
  await setImmediate();
  outbox.send({ method: "session.event" });
  await expect.poll(() => writes.length).toBe(1);
  expect(writes[0]).toMatch(/"result":true.*"session.event"/s);
});

test("an answer that nothing follows is sent all the same, and nothing is lost at the end", async () => {
  const { writes, outbox } = open();
  outbox.sendSoon({ id: 1, result: "first" });
  await expect.poll(() => writes.length).toBe(1);
  outbox.sendSoon({ id: 2, result: "last" });
  outbox.end();
  expect(writes.at(-1)).toContain("last");
  outbox.send({ id: 3, result: "late" });
  await setImmediate();
  expect(writes).toHaveLength(2);
});
