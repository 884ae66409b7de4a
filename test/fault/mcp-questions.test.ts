import { describe, expect, test } from "vitest";
import type { McpSource } from "../../src/sources/mcp/mcp-source.ts";
import type { PeerAnswer, PeerClient } from "../../src/sources/peer.ts";
import { buildCurious } from "../fixtures/curious-server.mjs";
import { createFakeClock } from "../support/fake-clock.ts";
import { listen, sessionAnswer } from "../support/loopback-mcp.ts";
import { call, happens, misbehaving, openSource, runContext, testClient, toolOf } from "../support/mcp-sources.ts";

/** Processes start slowly on a busy machine. */
const never = new AbortController().signal;

/** What a server on stdio was told when it asked during this client's call. */
async function replyTo(source: McpSource, client: PeerClient | null, args: object = {}): Promise<unknown> {
  const { textResultForLlm } = await call(source, "ask", { ...args }, runContext(client === null ? {} : { client }));
  return JSON.parse(textResultForLlm);
}

const answeredBy = (id: string) => expect.objectContaining({ result: { action: "accept", content: { name: id } } });
const refused = (words: string) =>
  expect.objectContaining({ error: expect.objectContaining({ message: expect.stringContaining(words) }) });

/** A client whose answers wait until they are let go, and that says when it has been asked. */
function slowClient(id: string) {
  let release = () => {};
  let asked = () => {};
  const wasAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const quick = testClient(id);
  const client: PeerClient = {
    ...quick,
    async ask(questions, signal) {
      asked();
      await released;
      return quick.ask(questions, signal);
    },
  };
  return { client, wasAsked, release: () => release() };
}

describe("a process does not say whose request its question belongs to, so it", () => {
  test("is answered by the one client that has requests open", async () => {
    const source = openSource(misbehaving());
    const ada = testClient("ada");
    const hanging = new AbortController();
    const beside = call(source, "hang", {}, runContext({ client: { ...ada }, signal: hanging.signal }));
    expect(await replyTo(source, ada)).toEqual(answeredBy("ada"));
    hanging.abort();
    await beside;
    expect(ada.asked).toHaveLength(1);
  });

  test("is refused while two clients have requests open, and neither is asked", async () => {
    const source = openSource(misbehaving());
    const [ada, bob] = [testClient("ada"), testClient("bob")];
    await toolOf(source, "hang");
    const hanging = new AbortController();
    const beside = call(source, "hang", {}, runContext({ client: bob, signal: hanging.signal }));
    expect(await replyTo(source, ada)).toEqual(refused("isolation: client"));
    expect([...ada.asked, ...bob.asked]).toEqual([]);
    hanging.abort();
    await beside;
  });

  test("is refused while somebody without a client has a request open", async () => {
    const source = openSource(misbehaving());
    const ada = testClient("ada");
    await toolOf(source, "hang");
    const hanging = new AbortController();
    const beside = call(source, "hang", {}, runContext({ signal: hanging.signal }));
    expect(await replyTo(source, ada)).toEqual(refused("isolation: client"));
    expect(await replyTo(source, null)).toEqual(refused("There is nobody"));
    expect(ada.asked).toEqual([]);
    hanging.abort();
    await beside;
  });

  test("is refused for a while after another client gave a request up, for it may still be about that one", async () => {
    const clock = createFakeClock();
    const source = openSource(misbehaving(), { clock });
    const [ada, bob] = [testClient("ada"), testClient("bob")];
    await toolOf(source, "hang");
    const gone = new AbortController();
    const given = call(source, "hang", {}, runContext({ client: bob, signal: gone.signal }));
    await call(source, "echo", { text: "arrived" }, runContext({ client: bob }));
    gone.abort();
    await given;
    expect(await replyTo(source, ada)).toEqual(refused("isolation: client"));
    clock.advance(30_000);
    expect(await replyTo(source, ada)).toEqual(answeredBy("ada"));
    expect(bob.asked).toEqual([]);
  });

  test.each([
    ["nobody stands by", [], "There is nobody"],
    ["two clients stand by", ["ada", "bob"], "isolation: client"],
  ])("is refused outside of any request when %s", async (_, ids, words) => {
    const source = openSource(misbehaving());
    for (const id of ids) source.peer.attach(testClient(id));
    expect(await askedLater(source)).toEqual([refused(words)]);
  });

  test("outside of any request is answered by the only client that stands by, until it leaves", async () => {
    const source = openSource(misbehaving());
    const leave = source.peer.attach(testClient("ada"));
    source.peer.attach(testClient("bob"))();
    const answered = expect.objectContaining({ result: { roots: [{ uri: "file:///ada" }] } });
    expect(await askedLater(source)).toEqual([answered]);
    leave();
    expect(await askedLater(source)).toEqual([answered, refused("There is nobody")]);
  });

  test("and its log lines reach nobody while they may be about another client's request", async () => {
    const source = openSource(misbehaving());
    const [ada, bob] = [testClient("ada"), testClient("bob")];
    const heard: string[] = [];
    source.peer.onNotification((method) => heard.push(method));
    await call(source, "log", {}, runContext({ client: ada }));
    expect(ada.told).toEqual([["notifications/message", { level: "info", data: "about this call" }]]);
    const hanging = new AbortController();
    const beside = call(source, "hang", {}, runContext({ client: bob, signal: hanging.signal }));
    await call(source, "log", {}, runContext({ client: ada }));
    expect([ada.told.length, bob.told.length, heard]).toEqual([1, 0, []]);
    hanging.abort();
    await beside;
  });
});

async function askedLater(source: McpSource): Promise<unknown> {
  const over = new Promise<void>((resolve) => {
    const stop = source.peer.onNotification((method) => {
      if (method !== "notifications/asked") return;
      stop();
      resolve();
    });
  });
  await call(source, "ask-later");
  await over;
  return JSON.parse((await call(source, "asked")).textResultForLlm);
}

test("over HTTP the stream says whose question it is, however many clients have requests open", async () => {
  const { url } = await listen(sessionAnswer(undefined, () => buildCurious()));
  const source = openSource({ url });
  const clients = Array.from({ length: 8 }, (_, at) => testClient(`client ${at}`));
  await toolOf(source, "ask");
  await Promise.all(
    clients.map(async (client) => {
      const { textResultForLlm } = await call(source, "ask", { who: client.id }, runContext({ client }));
      expect(JSON.parse(textResultForLlm).answers.name).toEqual({ action: "accept", content: { name: client.id } });
      expect(client.asked[0]?.params).toMatchObject({ message: `Who are ${client.id}?` });
    }),
  );
});

describe("while a client is being asked", () => {
  test("the call's time does not run, and goes on afterwards", async () => {
    const clock = createFakeClock();
    const source = openSource({ ...misbehaving(), timeout: 5_000 }, { clock });
    const { client, wasAsked, release } = slowClient("ada");
    await toolOf(source, "ask");
    const waits: boolean[] = [];
    const running = call(source, "ask", {}, runContext({ client, onWaiting: (waiting) => waits.push(waiting) }));
    await wasAsked;
    clock.advance(60_000);
    release();
    expect(await running).toMatchObject({ resultType: "success", textResultForLlm: expect.stringContaining("ada") });
    expect(waits).toEqual([true, false]);
  });

  test("but not for ever: after ten minutes the server is told that nobody answered", async () => {
    const clock = createFakeClock();
    const source = openSource(misbehaving(), { clock });
    const { client, wasAsked } = slowClient("ada");
    const reply = replyTo(source, client);
    await wasAsked;
    clock.advance(600_000);
    expect(await reply).toEqual(refused("in time"));
  });

  test("a server that takes its question back, or goes away, gets no answer, and the client is told to stop", async () => {
    const source = openSource(misbehaving());
    let stopped = () => {};
    const toldToStop = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const client = testClient("ada", {
      ask: (_, signal) =>
        new Promise<ReadonlyMap<string, PeerAnswer>>(() => signal.addEventListener("abort", () => stopped())),
    });
    await call(source, "take-back", {}, runContext({ client }));
    await toldToStop;
  });
});

describe("questions are cut like everything that nobody asked for", () => {
  test("more than 32 at a time are refused, the others are answered", async () => {
    const source = openSource(misbehaving());
    const { client, wasAsked, release } = slowClient("ada");
    const running = call(source, "ask-many", { count: 40 }, runContext({ client }));
    await wasAsked;
    // An answer that comes after all questions shows that they have been taken.
    await call(source, "echo", { text: "after" }, runContext({ client }));
    release();
    const replies: unknown[] = JSON.parse((await running).textResultForLlm);
    expect(replies.filter((reply) => reply === "answered")).toHaveLength(32);
    expect(replies.filter((reply) => reply === -32000)).toHaveLength(8);
  });

  test("a flood of them ends the server", async () => {
    const source = openSource(misbehaving(), { limits: { floodBurst: 200, floodRate: 1 } });
    const client = testClient("ada");
    await expect(call(source, "ask-many", { count: 1_000 }, runContext({ client }))).rejects.toMatchObject({
      code: "mcp.disconnected",
    });
    expect(source.status.reason ?? "").toContain("nobody asked for");
  });

  test("malformed ones are no harm: a method nobody knows is refused by the protocol client", async () => {
    const source = openSource(misbehaving());
    const reply = await replyTo(source, testClient("ada"), { method: "bank/transfer", params: {} });
    expect(reply).toMatchObject({ error: { code: -32601 } });
  });
});

describe("what clients wished for holds after the server was started again", () => {
  test("subscriptions of those who still want them, and the level of its log", async () => {
    const source = openSource(misbehaving());
    const request = (method: string, params: Record<string, unknown>, id: string) =>
      source.peer.request(method, params, { signal: never, client: testClient(id) });
    await request("resources/subscribe", { uri: "test://both" }, "ada");
    await request("resources/subscribe", { uri: "test://both" }, "bob");
    await request("resources/subscribe", { uri: "test://gone" }, "bob");
    await request("logging/setLevel", { level: "debug" }, "ada");
    await request("resources/unsubscribe", { uri: "test://both" }, "ada");
    await request("resources/unsubscribe", { uri: "test://gone" }, "bob");
    const asked = async () => JSON.parse((await call(source, "asked")).textResultForLlm);
    // One of two holders left, so the server was not told; the other resource has none left.
    expect((await asked()).slice(-1)).toEqual([["resources/unsubscribe", "test://gone"]]);
    await source.restart();
    await happens(source, () => source.status.state === "connected");
    expect(await asked()).toEqual([
      ["logging/setLevel", "debug"],
      ["resources/subscribe", "test://both"],
    ]);
  });
});

test("requests that are no calls open the breaker too when none is answered in time", async () => {
  const clock = createFakeClock();
  const source = openSource({ ...misbehaving(), timeout: 5_000 }, { clock });
  await toolOf(source, "echo");
  const request = () => source.peer.request("prompts/list", {}, { signal: never, client: null });
  for (const _ of [1, 2, 3]) {
    const running = request();
    while (!clock.pending.includes(5_000)) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5_000);
    expect(await running).toMatchObject({ kind: "error", code: -32001 });
  }
  await expect(request()).rejects.toMatchObject({ code: "mcp.unavailable" });
  await expect(call(source, "echo", { text: "x" })).rejects.toMatchObject({ code: "mcp.unavailable" });
});
