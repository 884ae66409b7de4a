import { expect, test } from "vitest";
import { curious } from "../support/mcp-sources.ts";
import { createCluster, createWanderer, eventsOf, firstOf, lastOf, type StreamEvent } from "./machines.ts";

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

const WORKING = new URL("../fixtures/working-server.cjs", import.meta.url).pathname;

test("every stream begins with an id, the first one before the first message, and one that is resumed again and again (M2)", async () => {
  const mcpServers = { w: { command: process.execPath, args: [WORKING] } };
  const cluster = createCluster({ mcpServers, permissions: { allow: ["w/*"] } });
  const machines = [await cluster.start(), await cluster.start()] as const;
  const client = createWanderer();
  await client.initialize(machines[0].url);
  const _meta = { progressToken: "p" };
  const params = { name: "w__work", arguments: { text: "worked" }, _meta };
  const response = await client.send(machines[0].url, { id: 7, method: "tools/call", params });
  const told: StreamEvent[] = [];
  for await (const event of eventsOf(response)) if (told.push(event) === 2) break;
  expect(told).toMatchObject([{ message: null }, { id: null, message: { method: "notifications/progress" } }]);
  const { id } = told[0] ?? {};
  for (const { url } of [...machines, ...machines])
    expect(await firstOf(await client.open(url, id ?? ""))).toEqual({ id, message: null });
  const last = lastOf(await client.open(machines[1].url, id ?? ""));
  await client.request(machines[0].url, "tools/call", { name: "w__done", arguments: {} });
  expect((await last)?.message).toMatchObject({ id: 7, result: { content: [{ text: "worked" }] } });
});

test("a connection that is noticed to be broken after its client is back elsewhere does not count as its leaving (M2)", async () => {
  const cluster = createCluster({ ...CURIOUS, gateway: { approvals: "inspector", resumeWindow: 15_000 } });
  const [one, two, three] = [await cluster.start(), await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url);
  const begun = await firstOf(await client.send(one.url, echo));
  const earlier = eventsOf(await client.open(two.url, begun.id ?? ""));
  await earlier.next();
  const answer = lastOf(await client.open(three.url, begun.id ?? ""));
  const told = () =>
    cluster.tables.messages.filter(({ feed }) => feed.includes(":stream:")).map(({ body }) => JSON.parse(body).kind);
  await expect.poll(told, PATIENT).toEqual(["head", "back", "back"]);
  await earlier.return(undefined);
  await expect.poll(told, PATIENT).toEqual(["head", "back", "back", "gone"]);
  await expect.poll(() => one.crib.approvals.pending.length, PATIENT).toBe(1);
  await one.crib.approvals.answer(one.crib.approvals.pending[0]?.id ?? "", { decision: "allow", by: "ada" });
  expect((await answer)?.message).toMatchObject({ id: 7, result: { content: [{ text: "done" }] } });
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
