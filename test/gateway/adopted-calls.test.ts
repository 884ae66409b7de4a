import { expect, test } from "vitest";
import { callModern, createCluster, createWanderer, eventsOf, firstOf, lastOf, type StreamEvent } from "./machines.ts";

const SERVER = new URL("../fixtures/task-server.cjs", import.meta.url).pathname;
/** `plain` and `wait` are asked about; the server counts what it is asked for. */
const ASKED = {
  mcpServers: { it: { command: process.execPath, args: [SERVER] } },
  permissions: { allow: ["it/seen", "it/release"] },
  gateway: { approvals: "inspector" },
  toolSearch: "off",
};
const PATIENT = { timeout: 30_000 };

type Cluster = ReturnType<typeof createCluster>;
type Machine = Awaited<ReturnType<Cluster["start"]>>;

/** How often each of the machines has run a call. */
const effects = (machines: readonly Machine[]): Promise<readonly number[]> =>
  Promise.all(
    machines.map(async ({ url }) => {
      const client = createWanderer();
      await client.initialize(url);
      const { result } = await client.request(url, "tools/call", { name: "it__seen", arguments: {} });
      return JSON.parse(result.content[0].text).started;
    }),
  );

const waitingAt = ({ crib }: Machine) => crib.approvals.pending.map(({ id }) => id);
const allow = ({ crib }: Machine, id = "") => crib.approvals.answer(id, { decision: "allow", by: "ada" });

/** A call that waits on the first of two machines, whose client has lost its connection. */
async function waitOnFirst() {
  const cluster = createCluster(ASKED);
  const machines = [await cluster.start(), await cluster.start()] as const;
  const [one, two] = machines;
  const client = createWanderer();
  await client.initialize(one.url);
  const params = { name: "it__plain", arguments: {} };
  const begun = await firstOf(await client.send(one.url, { id: 7, method: "tools/call", params }));
  await expect.poll(() => waitingAt(two), PATIENT).toHaveLength(1);
  const resume = async (url: string) => lastOf(await client.open(url, begun.id ?? ""));
  return { cluster, machines, one, two, client, resume };
}

test("a call that waits on a machine that is killed is shown on, and runs once where its client comes back (M2)", async () => {
  const { cluster, machines, one, two, resume } = await waitOnFirst();
  cluster.kill(one);
  const [asked] = waitingAt(two);
  // Shown for as long as the client may come back, and answered before it does.
  expect(await allow(two, asked)).toBe(true);
  const answer = await resume(two.url);
  expect(answer?.message).toMatchObject({ id: 7, result: { content: [{ text: "plain" }] } });
  const ran = await effects(machines);
  expect(ran.reduce((sum, one) => sum + one)).toBe(1);
  // A client that lost its answer on the way reads it again, and nothing runs again.
  expect(await resume(two.url)).toEqual(answer);
  expect(await effects(machines)).toEqual(ran);
});

test("a question that moved with its call is answered on any machine, and the machine that slept runs nothing (M2, S3)", async () => {
  const { cluster, machines, one, two, resume } = await waitOnFirst();
  cluster.silence(one);
  const [before] = waitingAt(two);
  const answer = resume(two.url);
  await expect.poll(() => waitingAt(two).filter((id) => id !== before), PATIENT).toHaveLength(1);
  cluster.silence(one, 0);
  await expect.poll(() => waitingAt(one), PATIENT).toEqual(waitingAt(two));
  expect(await allow(one, before)).toBe(false);
  expect(await allow(one, waitingAt(one)[0])).toBe(true);
  expect((await answer)?.message.result.content[0].text).toBe("plain");
  expect(await effects(machines)).toEqual([0, 1]);
});

test("a call that is refused is refused once, whichever machine had it (M2)", async () => {
  const { cluster, machines, one, two, resume } = await waitOnFirst();
  cluster.kill(one);
  const [asked = ""] = waitingAt(two);
  await two.crib.approvals.answer(asked, { decision: "deny", reason: "not today", by: "ada" });
  expect(JSON.stringify((await resume(two.url))?.message.result)).toContain("not today");
  expect(await effects(machines)).toEqual([0, 0]);
});

test("who comes back to a killed machine's call too late is gone, and nothing is done for it (M2)", async () => {
  const { cluster, machines, one, two, resume } = await waitOnFirst();
  cluster.kill(one, 3_600_000);
  await allow(two, waitingAt(two)[0]);
  expect(JSON.stringify((await resume(two.url))?.message.result)).toContain("the client has gone");
  expect(await effects(machines)).toEqual([0, 0]);
});

/** As after SIGTERM: it lets go of everything, takes its leave, and hears of nothing more. */
async function endGently({ crib, gateway, store }: Machine): Promise<void> {
  await crib.close();
  await gateway.close();
  await store.close();
}

test("a machine that ends gently leaves what waits to the others, whose client is not told a word of it (M2)", async () => {
  const { cluster, one, two, client, resume } = await waitOnFirst();
  const params = { name: "it__plain", arguments: {} };
  const other = createWanderer();
  await other.initialize(one.url);
  const standing = await other.send(one.url, { id: 8, method: "tools/call", params });
  await expect.poll(() => waitingAt(two), PATIENT).toHaveLength(2);
  await endGently(one);
  const told: StreamEvent[] = [];
  for await (const event of eventsOf(standing)) told.push(event);
  expect(told.filter(({ message }) => message !== null)).toEqual([]);
  // Still to be seen and answered, before the clients come back.
  expect(two.crib.approvals.pending.map(({ request }) => request.toolName)).toEqual(["it__plain", "it__plain"]);
  for (const id of waitingAt(two)) expect(await allow(two, id)).toBe(true);
  expect((await resume(two.url))?.message).toMatchObject({ id: 7, result: { content: [{ text: "plain" }] } });
  const resumed = await lastOf(await other.open(two.url, told[0]?.id ?? ""));
  expect(resumed?.message).toMatchObject({ id: 8, result: { content: [{ text: "plain" }] } });
  expect(await effects([two])).toEqual([2]);

  const third = await cluster.start();
  const begun = await firstOf(await client.send(third.url, { id: 9, method: "tools/call", params }));
  await expect.poll(() => waitingAt(two), PATIENT).toHaveLength(1);
  await endGently(third);
  cluster.silence(third, 3_600_000);
  await allow(two, waitingAt(two)[0]);
  const late = await lastOf(await client.open(two.url, begun.id ?? ""));
  expect(JSON.stringify(late?.message.result)).toContain("the client has gone");
  expect(await effects([two])).toEqual([2]);
});

test("a task that waits on a machine that ends gently goes on where its client asks for it (M1, M2)", async () => {
  const cluster = createCluster(ASKED);
  const [one, two] = [await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url);
  const begun = await client.request(one.url, "tools/call", { name: "it__wait", arguments: {}, task: {} });
  const { taskId } = begun.result.task;
  await expect.poll(() => waitingAt(two), PATIENT).toHaveLength(1);
  const asking = client.request(one.url, "tasks/result", { taskId });
  const through = client.request(two.url, "tasks/result", { taskId });
  await expect.poll(async () => (await client.request(two.url, "tasks/get", { taskId })).result.status).toBe("working");
  await endGently(one);
  expect((await asking).error?.message).toContain("ask for it again");
  const here = () => two.crib.approvals.pending.filter(({ machine }) => machine === null);
  await expect.poll(here, PATIENT).toHaveLength(1);
  await allow(two, here()[0]?.id);
  await expect.poll(async () => (await effects([two]))[0], PATIENT).toBe(1);
  await client.request(two.url, "tools/call", { name: "it__release", arguments: {} });
  expect((await through).result.content[0].text).toBe("waited");
});

test("a newer client that was asked by a machine which then ended is asked again by another, and no call runs twice (M2)", async () => {
  const asks = { ...ASKED.permissions, ask: ["it/plain"] };
  const cluster = createCluster({ ...ASKED, permissions: asks, gateway: { approvals: "client" } });
  const call = (url: string, more?: object) => callModern(url, { name: "it__plain" }, more);
  const backWith = ({ inputRequests, requestState }: { inputRequests: object; requestState: string }) => {
    const allowed = { action: "accept", content: { decision: "allow once" } };
    return {
      requestState,
      inputResponses: Object.fromEntries(Object.keys(inputRequests).map((key) => [key, allowed])),
    };
  };
  const two = await cluster.start();
  for (const [ran, end] of [cluster.kill, endGently].entries()) {
    const one = await cluster.start();
    const { result: asked } = await call(one.url);
    expect(asked.resultType).toBe("input_required");
    await end(one);
    const { result: again } = await call(two.url, backWith(asked));
    expect(again.resultType).toBe("input_required");
    expect((await call(two.url, backWith(again))).result.content[0].text).toBe("plain");
    expect(await effects([two])).toEqual([ran + 1]);
    expect((await call(two.url, backWith(asked))).error.message).toMatch(/^interrupted/);
  }
});

test("tasks are listed and their results kept on every machine, and one that waited goes on when its machine is killed (M1, M2)", async () => {
  const cluster = createCluster(ASKED);
  const [one, two] = [await cluster.start(), await cluster.start()];
  const client = createWanderer();
  await client.initialize(one.url);
  const begin = async (url: string): Promise<string> =>
    (await client.request(url, "tools/call", { name: "it__wait", arguments: {}, task: {} })).result.task.taskId;
  const ask = async (url: string, method: string, taskId: string) => client.request(url, method, { taskId });
  const listed = async (): Promise<readonly { taskId: string; status: string }[]> =>
    (await client.request(two.url, "tasks/list")).result.tasks;
  const release = (url: string) => client.request(url, "tools/call", { name: "it__release", arguments: {} });
  const started =
    ({ url }: Machine) =>
    async () =>
      (await effects([{ url } as Machine]))[0];

  const done = await begin(one.url);
  await expect.poll(() => waitingAt(one), PATIENT).toHaveLength(1);
  await allow(one, waitingAt(one)[0]);
  await expect.poll(started(one), PATIENT).toBe(1);
  await release(one.url);
  expect((await ask(one.url, "tasks/result", done)).result.content[0].text).toBe("waited");
  const cut = await begin(one.url);
  await expect.poll(() => waitingAt(one), PATIENT).toHaveLength(1);
  await allow(one, waitingAt(one)[0]);
  await expect.poll(started(one), PATIENT).toBe(2);
  const left = await begin(one.url);
  await expect.poll(() => waitingAt(two), PATIENT).toHaveLength(1);
  const statuses = async (): Promise<object> =>
    Object.fromEntries((await listed()).map(({ taskId, status }) => [taskId, status]));
  await expect.poll(statuses, PATIENT).toEqual({ [done]: "completed", [cut]: "working", [left]: "working" });

  cluster.kill(one);
  expect(await statuses()).toEqual({ [done]: "completed", [cut]: "failed", [left]: "working" });
  expect((await ask(two.url, "tasks/result", done)).result.content[0].text).toBe("waited");
  expect((await ask(two.url, "tasks/result", cut)).result.content[0].text).toMatch(/^interrupted/);
  const result = ask(two.url, "tasks/result", left);
  await expect
    .poll(() => two.crib.approvals.pending.filter(({ machine }) => machine === null), PATIENT)
    .toHaveLength(1);
  await allow(two, two.crib.approvals.pending.find(({ machine }) => machine === null)?.id);
  await expect.poll(started(two), PATIENT).toBe(1);
  await release(two.url);
  expect((await result).result.content[0].text).toBe("waited");
});
