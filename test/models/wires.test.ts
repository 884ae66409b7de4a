import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { startLoopback } from "../../examples/providers/loopback.mjs";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import { anthropicWire } from "../../src/runtime/models/anthropic-wire.ts";
import { chatWire } from "../../src/runtime/models/chat-wire.ts";
import type { GivenProvider } from "../../src/runtime/models/find-model.ts";
import { geminiWire } from "../../src/runtime/models/gemini-wire.ts";
import { createHttpModel } from "../../src/runtime/models/http-model.ts";
import type { ModelClient } from "../../src/runtime/models/model.ts";
import { responsesWire } from "../../src/runtime/models/responses-wire.ts";
import { createSessionIn } from "../../src/runtime/session/create-session.ts";
import type { SessionOptions } from "../../src/runtime/session/options/session-options.ts";
import type { Session } from "../../src/runtime/session/public-session.ts";
import { ownSurroundings } from "../../src/system/surroundings.ts";
import { ODD_REPLIES } from "../support/odd-replies.ts";
import { PROVIDERS, type ProviderName, recordReply } from "../support/recorded-reply.ts";
import { type Replay, type ReplayServer, startReplayServer } from "../support/replay-server.ts";

const NAMES = Object.keys(PROVIDERS) as ProviderName[]; // The keys of the table.

const WIRES = {
  anthropic: anthropicWire,
  openai: responsesWire,
  azure: responsesWire,
  gemini: geminiWire,
  compatible: chatWire,
} as const;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Waits between tries are skipped; limits of calls are longer and stay. */
const IMPATIENT = (() => {
  const own = ownSurroundings();
  const { setTimeout: after } = own.clock;
  const setTimeout: typeof after = (callback, delay) => after(callback, delay <= 30_000 ? 0 : delay);
  return { ...own, clock: { ...own.clock, setTimeout }, env: {} };
})();

async function open(name: ProviderName, url: string, ran: string[], options: SessionOptions = {}): Promise<Session> {
  const { model, base } = PROVIDERS[name];
  const provider: GivenProvider = { baseUrl: `${url}${base}`, key: "the-key" };
  const look = defineTool("look", {
    description: "Looks something up",
    parameters: z.object({ what: z.string() }),
    handler: ({ what }, { toolCallId }) => {
      ran.push(toolCallId);
      return `found ${what}`;
    },
  });
  const given = { workspace: null, tools: [look], model, providers: { [name]: provider }, ...options };
  const session = await createSessionIn(IMPATIENT, given);
  closing.push(() => session.close());
  return session;
}

const CALLS = [
  { id: "c1", name: "look", input: { what: "ä €" } },
  { id: "c2", name: "look", input: { what: "b" } },
];

describe.each(NAMES)("%s", (name) => {
  test("a run with calls side by side, and a second one that has the first in its history (T2, T8)", async () => {
    const server = await startLoopback([CALLS, [{ id: "c3", name: "look", input: { what: "c" } }]]);
    closing.push(server.close);
    const ran: string[] = [];
    const session = await open(name, server.url, ran);
    expect(await session.run("Look twice, then once.")).toMatchObject({
      stopReason: "end",
      text: "All 3 calls are answered.",
      totals: { turns: 3 },
    });
    expect(ran.sort()).toEqual(["c1", "c2", "c3"]);
    // The server refuses a history in which an answer is missing, doubled or out of order.
    expect(await session.run("And again?")).toMatchObject({ stopReason: "end", text: "All 3 calls are answered." });
    expect(server.seen).toHaveLength(4);
    const roles = (await session.history()).map(({ role }) => role);
    expect(roles.join(" ")).toBe("user assistant answers assistant answers assistant user assistant");
  });

  test("a reply that is cut at any byte runs nothing, and is asked for again (T3, X6)", async () => {
    const whole = await record(name);
    for (let at = 0; at < whole.length; at += 1 + Math.floor(whole.length / 5)) {
      const last = await recordText(name);
      const server = await replay([{ body: whole.subarray(0, at), cut: true }, { body: whole }, { body: last }]);
      const ran: string[] = [];
      const session = await open(name, server.url, ran);
      expect(await session.run("Look twice."), `cut at ${at}`).toMatchObject({
        stopReason: "end",
        totals: { turns: 2 },
      });
      expect(ran.sort(), `cut at ${at}`).toEqual(["c1", "c2"]);
      expect(server.seen).toHaveLength(3);
      await session.close();
    }
  });

  test.each([
    [
      "429 with the time to wait",
      { status: 429, headers: { "retry-after": "1" }, body: '{"error":{"message":"slow down"}}' },
    ],
    ["529", { status: 529, body: '{"error":{"message":"overloaded"}}' }],
    ["500 with a page of text", { status: 500, body: "<html>oops</html>" }],
    ["an event that is no JSON", { body: "data: {oops\n\n" }],
    ["nothing at all", { body: "" }],
  ])("%s is asked again", async (_what, first: Replay) => {
    const server = await replay([first, { body: await recordText(name) }]);
    const session = await open(name, server.url, []);
    const told: string[] = [];
    session.on("assistant.retry", ({ message }) => told.push(message));
    expect(await session.run("Hello")).toMatchObject({ stopReason: "end" });
    expect(told).toHaveLength(1);
    expect(server.seen).toHaveLength(2);
  });

  test.each([
    ["arguments that are no JSON", "end"],
    ["a refusal", "refusal"],
    ["too long", "length"],
    ["nothing said", "end"],
  ] as const)("%s runs nothing, ends the run as %s, and the next one goes on", async (what, stopReason) => {
    const text = await recordText(name);
    const server = await replay([{ body: ODD_REPLIES[name][what] }, { body: text }]);
    const ran: string[] = [];
    const session = await open(name, server.url, ran);
    expect(await session.run("Look")).toMatchObject({ stopReason });
    expect(await session.run("And now?")).toMatchObject({ stopReason: "end", text: "All 0 calls are answered." });
    expect(ran).toEqual([]);
    // A call stands in later requests with its one answer, or not at all.
    const isAnswered = what === "arguments that are no JSON";
    const named = JSON.stringify(server.seen.at(-1)?.body).split('"c1"').length - 1;
    expect([server.seen.length, named]).toEqual([isAnswered ? 3 : 2, isAnswered ? 2 : 0]);
    const said = (await session.history()).map(({ role }) => role);
    expect(said.filter((role) => role === "answers")).toHaveLength(isAnswered ? 1 : 0);
  });

  test("a reply that comes byte by byte is the same reply", async () => {
    const [whole, text] = [await record(name), await recordText(name)];
    const bodies = [whole, text];
    const ran: string[] = [];
    const fetch = async () => new Response(drip(bodies.shift() ?? text), { headers: STREAMS });
    const session = await open(name, "http://127.0.0.1", ran, { fetch });
    expect(await session.run("Look twice.")).toMatchObject({ stopReason: "end", totals: { turns: 2 } });
    expect(ran.sort()).toEqual(["c1", "c2"]);
    const calls = (await session.history()).flatMap((message) => (message.role === "assistant" ? message.content : []));
    expect(calls.flatMap((part) => (part.type === "call" ? [part.call.arguments] : []))).toEqual(
      CALLS.map(({ input }) => input),
    );
  });

  test("a reply that falls silent counts as lost, and is asked for again", async () => {
    const [whole, text] = [await record(name), await recordText(name)];
    const bodies = [silent(whole.subarray(0, -40)), drip(whole), drip(text)];
    const fetch = async () => new Response(bodies.shift(), { headers: STREAMS });
    const { model, base } = PROVIDERS[name];
    const [, id = ""] = model.split("/");
    const about = { id, provider: name, baseUrl: `http://127.0.0.1${base}`, key: () => null, fetch };
    const patient = createHttpModel(WIRES[name], about);
    let isFirst = true;
    const modelClient: ModelClient = {
      ...patient,
      stream(request, signal) {
        const asked = isFirst ? createHttpModel(WIRES[name], { ...about, silence: 1 }) : patient;
        isFirst = false;
        return asked.stream(request, signal);
      },
    };
    const ran: string[] = [];
    const session = await open(name, "http://127.0.0.1", ran, { modelClient });
    const told: string[] = [];
    session.on("assistant.retry", ({ message }) => told.push(message));
    expect(await session.run("Look twice.")).toMatchObject({ stopReason: "end", totals: { turns: 2 } });
    expect(told).toEqual([`${name} at 127.0.0.1 has said nothing for 0 s`]);
    expect(ran.sort()).toEqual(["c1", "c2"]);
  });

  test("a request that is refused ends the run with the provider's words, and is made once", async () => {
    const server = await replay([{ status: 401, body: '{"error":{"message":"invalid x-api-key"}}' }]);
    const session = await open(name, server.url, []);
    await expect(async () => await session.run("Hello")).rejects.toThrow(
      `${name} at ${new URL(server.url).host} answered 401: invalid x-api-key`,
    );
    expect(server.seen).toHaveLength(1);
  });

  test("an abort in the middle of a reply ends it at once and leaves a history to go on from (T4)", async () => {
    const whole = await record(name);
    const server = await replay([
      { body: whole.subarray(0, whole.length - 40), hangs: true },
      { body: await recordText(name) },
    ]);
    const ran: string[] = [];
    const session = await open(name, server.url, ran);
    const stop = new AbortController();
    const run = session.run("Hello", { signal: stop.signal });
    await vi.waitUntil(() => server.seen.length > 0, { timeout: 60_000 });
    stop.abort();
    expect(await run).toMatchObject({ stopReason: "aborted" });
    expect((await session.history()).map(({ role }) => role)).toEqual(["user"]);
    expect(await session.run("And now?")).toMatchObject({ stopReason: "end" });
  });

  test("the key goes to the provider and nowhere else", async () => {
    const elsewhere = await replay([{ body: await recordText(name) }]);
    const server = await replay([{ status: 307, headers: { location: `${elsewhere.url}/v1` } }]);
    const session = await open(name, server.url, []);
    await expect(async () => await session.run("Hello")).rejects.toThrow(/cannot be reached/);
    expect(server.seen).toHaveLength(1);
    expect(JSON.stringify(server.seen[0]?.headers)).toContain("the-key");
    expect(elsewhere.seen).toEqual([]);
  });
});

const UNREADABLE = 'data: {"candidates":[{"content":{"parts":[]},"finishReason":"MALFORMED_FUNCTION_CALL"}]}\n\n';

test("calls that Gemini itself cannot read are asked for again", async () => {
  const server = await replay([{ body: UNREADABLE }, { body: await recordText("gemini") }]);
  const session = await open("gemini", server.url, []);
  const told: string[] = [];
  session.on("assistant.retry", ({ message }) => told.push(message));
  expect(await session.run("Look")).toMatchObject({ stopReason: "end" });
  expect(told).toEqual(["the model's calls cannot be read (MALFORMED_FUNCTION_CALL)"]);
});

const STREAMS = { "content-type": "text/event-stream" };

/** A stream of single bytes. */
function drip(bytes: Buffer): ReadableStream<Uint8Array> {
  return ReadableStream.from(Array.from(bytes, (_, at) => new Uint8Array(bytes.subarray(at, at + 1))));
}

/** A stream that never ends behind its bytes. */
function silent(bytes: Buffer): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(bytes)) });
}

async function replay(replays: Replay[]): Promise<ReplayServer> {
  const server = await startReplayServer(replays);
  closing.push(async () => server[Symbol.asyncDispose]());
  return server;
}

/** The bytes of a reply with two calls, as the loopback that the providers' own SDKs understand writes them. */
function record(name: ProviderName): Promise<Buffer> {
  return recordReply(name, CALLS);
}

function recordText(name: ProviderName): Promise<Buffer> {
  return recordReply(name, []);
}
