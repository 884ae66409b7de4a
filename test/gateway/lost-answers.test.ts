import { expect, test } from "vitest";
import type { Store } from "../../src/runtime/store/store.ts";
import { createDeferred } from "../../src/system/time/deferred.ts";
import { callModern, createCluster, createWanderer, firstOf, lastOf } from "./machines.ts";

const SERVER = new URL("../fixtures/working-server.cjs", import.meta.url).pathname;
const CONFIG = {
  mcpServers: { w: { command: process.execPath, args: [SERVER] } },
  permissions: { allow: ["w/seen"], ask: ["w/plain"] },
  gateway: { approvals: "inspector" },
  toolSearch: "off",
};
const PATIENT = { timeout: 30_000 };
const CALL = { name: "w__plain", args: { text: "ran" } };

type Machine = Awaited<ReturnType<ReturnType<typeof createCluster>["start"]>>;

async function seenBy({ url }: Machine): Promise<object> {
  const client = createWanderer();
  await client.initialize(url);
  const { result } = await client.request(url, "tools/call", { name: "w__seen", arguments: {} });
  return JSON.parse(result.content[0].text);
}

/** The store of a machine that will have ended before anybody answers: looking by itself, it would hear of it all the same. */
const deaf = (store: Store): Store => ({ ...store, answerTo: () => new Promise(() => {}) });

/** The id of the one question that a machine shows. */
async function pendingAt({ crib }: Machine): Promise<string> {
  await expect.poll(() => crib.approvals.pending, PATIENT).toHaveLength(1);
  return crib.approvals.pending[0]?.id ?? "";
}

test("a yes to a question that nobody can receive any more says so, and counts for nothing (M2)", async () => {
  const cluster = createCluster(CONFIG);
  const [one, two] = [await cluster.start({ store: deaf }), await cluster.start()];
  // Of the newer protocol: nobody comes back for it.
  void callModern(one.url, CALL).catch(() => null);
  const id = await pendingAt(two);
  cluster.kill(one);
  const answer = two.crib.approvals.answer(id, { decision: "allow" });
  await expect(answer).rejects.toMatchObject({ code: "approval.lost", message: expect.stringContaining("has ended") });
  expect(await two.crib.approvals.answer(id, { decision: "allow" })).toBe(false);
  expect([await seenBy(one), await seenBy(two)]).toEqual([{}, {}]);
});

test("a machine that was only slow starts nothing by an answer that was withdrawn meanwhile (M2, S3)", async () => {
  const cluster = createCluster(CONFIG);
  const hears = createDeferred<void>();
  const slow = (store: Store): Store => ({
    ...store,
    async answerTo(...given) {
      const found = await store.answerTo(...given);
      await hears.promise;
      return found;
    },
  });
  const [one, two] = [await cluster.start({ store: slow }), await cluster.start()];
  const called = callModern(one.url, CALL);
  const id = await pendingAt(two);
  cluster.silence(one);
  await expect(two.crib.approvals.answer(id, { decision: "allow" })).rejects.toMatchObject({ code: "approval.lost" });
  cluster.silence(one, 0);
  hears.resolve();
  expect(JSON.stringify(await called)).toContain("the answer was withdrawn");
  expect(await seenBy(one)).toEqual({});
});

test("a yes for a client that may still come back counts, and runs where it does (M2)", async () => {
  const cluster = createCluster(CONFIG);
  const [one, two] = [await cluster.start({ store: deaf }), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url);
  const params = { name: CALL.name, arguments: CALL.args };
  const begun = await firstOf(await client.send(one.url, { id: 7, method: "tools/call", params }));
  const id = await pendingAt(two);
  cluster.kill(one);
  expect(await two.crib.approvals.answer(id, { decision: "allow" })).toBe(true);
  const answer = await lastOf(await client.open(two.url, begun.id ?? ""));
  expect(answer?.message).toMatchObject({ id: 7, result: { content: [{ text: "ran" }] } });
  expect([await seenBy(one), await seenBy(two)]).toEqual([{}, { ran: 1 }]);
});
