import { expect, test } from "vitest";
import { curious } from "../support/mcp-sources.ts";
import { createCluster, createWanderer, eventsOf, firstOf, lastOf } from "./machines.ts";

const CURIOUS = {
  mcpServers: {
    c: curious(),
  },
};
const ASKED = { ...CURIOUS, gateway: { approvals: "inspector" } };
const PATIENT = { timeout: 30_000 };

const echo = { id: 7, method: "tools/call", params: { name: "c__echo", arguments: { text: "done" } } };

test("an approval given while the client is away runs when it is back, on any machine, and its answer is there for it again (M2)", async () => {
  const cluster = createCluster(ASKED);
  const [one, two] = [await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url);
  // Leaving the loop breaks the connection.
  const begun = await firstOf(await client.send(one.url, echo));
  expect(begun).toMatchObject({ id: expect.stringMatching(/_\d+$/), message: null });
  await expect.poll(() => two.crib.approvals.pending.length, PATIENT).toBe(1);
  await two.crib.approvals.answer(two.crib.approvals.pending[0]?.id ?? "", { decision: "allow", by: "ada" });
  const answer = await lastOf(await client.open(two.url, begun.id ?? ""));
  expect(answer?.message).toMatchObject({ id: 7, result: { content: [{ text: "done" }] } });
  // Again, as if the answer had been lost on its way.
  const again = await lastOf(await client.open(one.url, begun.id ?? ""));
  expect(again).toEqual(answer);
});

test("who does not come back within the window is gone, and nothing is done for it (M2)", async () => {
  const cluster = createCluster({ ...CURIOUS, gateway: { approvals: "inspector", resumeWindow: 0 } });
  const one = await cluster.start();
  const client = createWanderer();
  await client.initialize(one.url);
  const begun = await firstOf(await client.send(one.url, echo));
  await expect.poll(() => one.crib.approvals.pending, PATIENT).toEqual([]);
  const answer = await lastOf(await client.open(one.url, begun.id ?? ""));
  expect(JSON.stringify(answer?.message.result)).toContain("the client has gone");
});

test("a machine that ends costs its running calls: the resumed stream says interrupted (M2)", async () => {
  const cluster = createCluster({ ...CURIOUS, permissions: { allow: ["c/*"] } });
  const [one, two] = [await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url, { elicitation: { form: {} } });
  // The server asks the client while the call runs.
  const params = { name: "c__ask-forever", arguments: {} };
  const begun = await firstOf(await client.send(one.url, { id: 7, method: "tools/call", params }));
  await one.store.close();
  const answer = await lastOf(await client.open(two.url, begun.id ?? ""));
  expect(answer?.message).toMatchObject({ id: 7, result: { isError: true } });
  expect(answer?.message.result.content[0].text).toMatch(/^interrupted/);
});

test("no stream of another session can be resumed", async () => {
  const cluster = createCluster(ASKED);
  const one = await cluster.start();
  const [client, other] = [createWanderer(), createWanderer()];
  await client.initialize(one.url);
  await other.initialize(one.url);
  const begun = await firstOf(await client.send(one.url, echo));
  const response = await other.open(one.url, begun.id ?? "");
  const told = eventsOf(response);
  const waiting = told.next();
  await one.gateway.close();
  expect(await waiting).toEqual({ done: true, value: undefined });
});
