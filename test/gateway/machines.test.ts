import { expect, test } from "vitest";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { createWorkspace } from "../support/config-workspace.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { curious } from "../support/mcp-sources.ts";
import { callModern, createCluster, createWanderer, eventsOf } from "./machines.ts";

const CURIOUS = { mcpServers: { c: curious() } };
const ALLOWED = { ...CURIOUS, permissions: { allow: ["c/*"] } };

const PATIENT = { timeout: 30_000 };
const call = (name: string, args: object = {}) => ["tools/call", { name, arguments: args }] as const;

test("a client's session moves from machine to machine with its id, and lives on when its first machine is gone (M1)", async () => {
  const cluster = createCluster(ALLOWED);
  const [one, two] = [await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url);
  expect((await client.request(one.url, ...call("c__echo", { text: "here" }))).result.content[0].text).toBe("here");
  await one.gateway.close();
  const moved = await client.request(two.url, ...call("c__echo", { text: "there" }));
  expect(moved).toMatchObject({ status: 200, result: { content: [{ text: "there" }] } });
  expect((await client.end(two.url)).status).toBe(200);
  expect(await client.request(two.url, "tools/list")).toMatchObject({ status: 404 });
});

test("a session is nobody's but its owner's, on whatever machine, and ends on all of them (M1)", async () => {
  const profileOf = (token: string | null) => mainProfile(token ?? "nobody");
  const cluster = createCluster(ALLOWED, { profileOf });
  const [one, two] = [await cluster.start(), await cluster.start()];
  const [client, thief] = [createWanderer("ada"), createWanderer("eve")];
  await client.initialize(one.url);
  const stolen = await fetch(two.url, {
    method: "POST",
    headers: { ...thief.headers(), "mcp-session-id": client.session ?? "" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  expect(stolen.status).toBe(404);
  expect((await client.request(two.url, "ping")).status).toBe(200);
  await client.end(two.url);
  await expect.poll(async () => (await client.request(one.url, "ping")).status, PATIENT).toBe(404);
});

test("what a search loads on one machine is listed and called on another at once (M1)", async () => {
  const many = new URL("../fixtures/many-tools-server.cjs", import.meta.url).pathname;
  const cluster = createCluster({
    mcpServers: { m: { command: process.execPath, args: [many, "tools=60"] } },
    toolSearch: "on",
    permissions: { allow: ["m/*"] },
  });
  const [one, two] = [await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url);
  const names = async (url: string): Promise<readonly string[]> =>
    (await client.request(url, "tools/list")).result.tools.map(({ name }: { name: string }) => name);
  expect(await names(two.url)).not.toContain("m__tool_7");
  await client.request(one.url, ...call("tool_search", { query: "m__tool_7" }));
  expect(await names(two.url)).toContain("m__tool_7");
  const three = await cluster.start();
  expect(await names(three.url)).toContain("m__tool_7");
});

test("what one machine asks the client is answered through another, and a call is taken back through another (M1)", async () => {
  const cluster = createCluster(ALLOWED);
  const [one, two] = [await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url, { elicitation: { form: {} }, sampling: {} });
  const response = await client.send(one.url, {
    id: 50,
    method: "tools/call",
    params: { name: "c__ask", arguments: {} },
  });
  let said = "";
  for await (const { message } of eventsOf(response)) {
    if (message?.method === "elicitation/create")
      await client.send(two.url, { id: message.id, result: { action: "accept", content: { name: "Ada" } } });
    if (message?.method === "sampling/createMessage")
      await client.send(two.url, {
        id: message.id,
        result: { role: "assistant", model: "m", content: { type: "text", text: "a thought" } },
      });
    if (message?.id === 50) said = JSON.stringify(message.result);
  }
  expect(said).toContain("Ada");
  expect(said).toContain("a thought");

  const asking = await client.send(one.url, {
    id: 51,
    method: "tools/call",
    params: { name: "c__ask", arguments: {} },
  });
  for await (const { message } of eventsOf(asking)) {
    if (message?.method === "elicitation/create")
      await client.send(two.url, { method: "notifications/cancelled", params: { requestId: 51 } });
    if (message?.id === 51) said = JSON.stringify(message);
  }
  expect(said).toContain("cancelled");
});

test("a call that waits on one machine is shown and answered on another; the first answer counts (S4, M1)", async () => {
  const cluster = createCluster({ ...CURIOUS, gateway: { approvals: "inspector" } });
  const [one, two] = [await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url);
  const answer = client.request(one.url, ...call("c__echo", { text: "approved" }));
  await expect.poll(() => two.crib.approvals.pending, PATIENT).toMatchObject([{ request: { toolName: "c__echo" } }]);
  const [waiting] = two.crib.approvals.pending;
  const id = waiting?.id ?? "";
  expect(waiting?.machine).not.toBeNull();
  expect(await two.crib.approvals.answer(id, { decision: "allow", by: "ada" })).toBe(true);
  expect(await one.crib.approvals.answer(id, { decision: "deny", by: "bob" })).toBe(false);
  expect((await answer).result.content[0].text).toBe("approved");
  await expect.poll(() => two.crib.approvals.pending, PATIENT).toEqual([]);
  expect(await two.gateway.elsewhere()).toMatchObject([{ label: "wanderer", era: "legacy" }]);
});

test("a client whose machine is gone is soon listed where it is now, also by a machine that is new (M1)", async () => {
  const clock = createFakeClock();
  const cluster = createCluster(ALLOWED, { gateway: { clock } });
  const [one, two] = [await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url);
  cluster.kill(one);
  await client.request(two.url, "ping");
  const three = await cluster.start();
  expect(await three.gateway.elsewhere()).toEqual([]);
  clock.advance(30_000);
  await expect.poll(() => three.gateway.elsewhere(), PATIENT).toMatchObject([{ label: "wanderer" }]);
});

test("what is allowed for a session, a project or a person counts on every machine, until it is revoked on any (S8, M1)", async () => {
  const cluster = createCluster({ ...CURIOUS, gateway: { approvals: "inspector" } }, { place: createWorkspace() });
  const [one, two] = [await cluster.start(), await cluster.start()];
  const [client, other] = [createWanderer(), createWanderer()];
  await client.initialize(one.url);
  await other.initialize(two.url);
  const callAt = async (url: string, who = client) =>
    (await who.request(url, ...call("c__echo", { text: "x" }))).result.content[0].text;
  const allowOnce = async ({ crib }: typeof one, scope: "session" | "project") => {
    await expect.poll(() => crib.approvals.pending, PATIENT).toHaveLength(1);
    await crib.approvals.answer(crib.approvals.pending[0]?.id ?? "", { decision: "allow", scope });
  };
  await client.request(two.url, "ping");
  const [first] = await Promise.all([callAt(one.url), allowOnce(one, "session")]);
  expect([first, await callAt(two.url)]).toEqual(["x", "x"]);
  // Another client is asked, and what is allowed for the project counts for it on the other machine too.
  const [second] = await Promise.all([callAt(two.url, other), allowOnce(two, "project")]);
  expect([second, await callAt(one.url, other)]).toEqual(["x", "x"]);
  const { grants } = await one.crib.main.calls();
  await grants.refresh(true);
  const [kept] = grants.grants;
  expect(await grants.revoke(kept?.id ?? "")).toBe(true);
  // The other machine hears of it a moment later: calls run until then, and wait from then on.
  let isWaiting = false;
  const asked = allowOnce(two, "session").then(() => {
    isWaiting = true;
  });
  while (!isWaiting) expect(await callAt(two.url, other)).toBe("x");
  await asked;
});

test("a request of the newer protocol that asks goes on through another machine, for its owner alone (M1)", async () => {
  const profileOf = (token: string | null) => mainProfile(token ?? "nobody");
  const cluster = createCluster(ALLOWED, { profileOf });
  const [one, two] = [await cluster.start(), await cluster.start()];
  const ask = (url: string, token: string, more: object = {}) =>
    callModern(url, { token, name: "c__ask", args: { who: "she" } }, more);
  const { result: asked } = await ask(one.url, "ada");
  expect(asked.resultType).toBe("input_required");
  const responses = Object.keys(asked.inputRequests).map((key) => {
    const isForm = asked.inputRequests[key].method === "elicitation/create";
    const thought = { role: "assistant", model: "m", content: { type: "text", text: "hm" } };
    return [key, isForm ? { action: "accept", content: { name: "Ada" } } : thought];
  });
  const back = { requestState: asked.requestState, inputResponses: Object.fromEntries(responses) };
  expect((await ask(two.url, "eve", back)).error.message).toContain("requestState");
  expect(JSON.stringify((await ask(two.url, "ada", back)).result)).toContain("Ada");
  expect((await ask(two.url, "ada", back)).error.message).toContain("used already");
});

test("a task of one machine is asked about, waited for and cancelled through another, by its own session (M1)", async () => {
  const tasks = new URL("../fixtures/task-server.cjs", import.meta.url).pathname;
  const cluster = createCluster({
    mcpServers: { it: { command: process.execPath, args: [tasks] } },
    permissions: { allow: ["it/*"] },
    toolSearch: "off",
  });
  const [one, two] = [await cluster.start(), await cluster.start()];
  const [client, other] = [createWanderer(), createWanderer()];
  await client.initialize(one.url);
  await other.initialize(two.url);
  const begin = async (): Promise<string> =>
    (await client.request(one.url, "tools/call", { name: "it__wait", arguments: {}, task: {} })).result.task.taskId;
  const taskId = await begin();
  expect((await client.request(two.url, "tasks/get", { taskId })).result).toMatchObject({ taskId, status: "working" });
  expect((await other.request(two.url, "tasks/get", { taskId })).error?.message).toContain("not found");
  const result = client.request(two.url, "tasks/result", { taskId });
  await client.request(one.url, ...call("it__release"));
  expect((await result).result.content).toHaveLength(1);
  const cancelled = await client.request(two.url, "tasks/cancel", { taskId: await begin() });
  expect(cancelled.result.status).toBe("cancelled");
});
