import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { chatWire } from "../../src/runtime/models/chat-wire.ts";
import { createHttpModel, type ModelCarrier } from "../../src/runtime/models/http-model.ts";
import { carrierOf, createNodeCarrier } from "../../src/runtime/models/node-carrier.ts";
import { createDeferred } from "../../src/system/time/deferred.ts";

const WAYS: readonly { readonly name: string; readonly fetch: ModelCarrier }[] = [
  { name: "fetch", fetch: (url, asked) => fetch(url, asked) },
  { name: "Node's HTTP", fetch: createNodeCarrier() },
];
const EVENT = { choices: [{ index: 0, delta: { content: "ä €" }, finish_reason: "stop" }] };
const LINE = `data: ${JSON.stringify(EVENT)}\n\n`;
const DONE = "data: [DONE]\n\n";
const STREAM = { "content-type": "text/event-stream" };

interface Seen {
  connections: number;
  readonly requests: IncomingMessage[];
}

/** A server with one answer, and everything that it saw. */
async function serve(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const seen: Seen = { connections: 0, requests: [] };
  const server = createServer((request, response) => {
    seen.requests.push(request);
    request.resume().on("end", () => answer(response, request));
  });
  server.on("connection", () => {
    seen.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }; // It listens on a port.
}

/** The events of a reply, or what is wrong with it. */
async function ask(fetch: ModelCarrier, baseUrl: string, signal = new AbortController().signal): Promise<unknown> {
  const headers = { Accept: "x/y", "x-one": "1" };
  const model = createHttpModel(chatWire, { id: "m", provider: "p", baseUrl, key: () => "k", headers, fetch });
  const payload = { tools: [], system: [], names: new Map(), notices: [] };
  const request = {
    ...{ payload, system: [], agent: null, maxTokens: null, effort: null, schema: null, cacheKey: null },
    history: [{ role: "user", content: [{ type: "text", text: "ü" }] }],
  };
  const events: unknown[] = [];
  try {
    // Only what this wire reads of a request.
    for await (const event of model.stream(request as unknown as Parameters<typeof model.stream>[0], signal))
      events.push(event);
    return events;
  } catch (error) {
    return error instanceof Error
      ? { failed: error.message, isPassing: "isPassing" in error && error.isPassing }
      : error;
  }
}

test.each(WAYS)("$name sends the same request", async ({ fetch }) => {
  const { seen, url } = await serve((response) => response.writeHead(200, STREAM).end(LINE + DONE));
  expect(await ask(fetch, url)).toEqual([EVENT]);
  const { method, url: path, headers } = seen.requests[0] ?? {};
  expect({ method, path }).toEqual({ method: "POST", path: "/chat/completions" });
  expect(headers).toMatchObject({
    ...{ "content-type": "application/json", accept: "text/event-stream, x/y", authorization: "Bearer k" },
    ...{ "x-one": "1", "content-length": expect.stringMatching(/^\d+$/) },
  });
});

test.each(WAYS)("$name asks over one connection, also where a reply ends behind its last event", async ({ fetch }) => {
  let end = (): void => {};
  const { seen, url } = await serve((response) => {
    response.writeHead(200, STREAM).write(LINE + DONE);
    end = () => response.end();
  });
  for (let count = 0; count < 3; count += 1) {
    expect(await ask(fetch, url)).toEqual([EVENT]);
    end();
    // Both sides are in this process, which reads the end in one of its next turns.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  }
  expect(seen.connections).toBe(1);
});

test.each(WAYS)("$name lets go of a connection whose reply never ends", async ({ fetch }) => {
  const isCut = createDeferred<void>();
  const { url } = await serve((response, request) => {
    request.socket.on("close", () => isCut.resolve());
    response.writeHead(200, STREAM).write(LINE + DONE);
  });
  expect(await ask(fetch, url)).toEqual([EVENT]);
  await isCut.promise;
});

test.each(WAYS)("$name follows no redirect", async ({ fetch }) => {
  const { seen, url } = await serve((response) => response.writeHead(307, { location: "/other" }).end());
  const { host } = new URL(url);
  expect(await ask(fetch, url)).toEqual({
    failed: `p at ${host} cannot be reached: unexpected redirect`,
    isPassing: false,
  });
  expect(seen.requests).toHaveLength(1);
});

test.each(WAYS)("$name reads a refusal, when to ask again, and a reply in one piece", async ({ fetch }) => {
  const limited = await serve((response) =>
    response.writeHead(429, { "retry-after": "7" }).end(JSON.stringify({ error: { message: "slow down" } })),
  );
  expect(await ask(fetch, limited.url)).toMatchObject({
    failed: expect.stringContaining("slow down"),
    isPassing: true,
  });
  const whole = { choices: [{ message: { content: "ä" } }] };
  const { url } = await serve((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole)),
  );
  expect(await ask(fetch, url)).toEqual([whole]);
});

test.each(WAYS)("$name unpacks what a server packs", async ({ fetch }) => {
  for (const [encoding, packed] of [
    ["gzip", gzipSync(LINE + DONE)],
    ["br", brotliCompressSync(LINE + DONE)],
  ] as const) {
    const { url } = await serve((response) =>
      response.writeHead(200, { ...STREAM, "content-encoding": encoding }).end(packed),
    );
    expect(await ask(fetch, url)).toEqual([EVENT]);
  }
});

test.each(WAYS)("$name says that a reply broke off, and that nobody answers", async ({ fetch }) => {
  const { url } = await serve((response) => {
    response.writeHead(200, STREAM).write(LINE, () => response.destroy());
  });
  expect(await ask(fetch, url)).toMatchObject({
    failed: expect.stringContaining("cannot be reached"),
    isPassing: true,
  });
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo; // It listens on one.
  closed.close();
  expect(await ask(fetch, `http://127.0.0.1:${port}`)).toMatchObject({
    failed: expect.stringContaining("ECONNREFUSED"),
    isPassing: false,
  });
  const odd = await ask(fetch, "http://somebody:secret@127.0.0.1:1");
  expect(odd).toMatchObject({ failed: expect.stringContaining("credentials") });
});

test.each(WAYS)("$name ends its request with the run, before and during the reply", async ({ fetch }) => {
  for (const isEarly of [true, false]) {
    const arrived = createDeferred<void>();
    const isCut = createDeferred<void>();
    const { url } = await serve((response, request) => {
      request.socket.on("close", () => isCut.resolve());
      if (!isEarly) response.writeHead(200, STREAM).write(LINE);
      arrived.resolve();
    });
    const stop = new AbortController();
    const asked = ask(fetch, url, stop.signal);
    await arrived.promise;
    stop.abort(new Error("enough"));
    expect(await asked).toMatchObject({ failed: "enough" });
    await isCut.promise;
  }
});

test("options of Node's that can change what fetch does have the runtime ask with fetch", async () => {
  const { url } = await serve((response) => response.writeHead(200, STREAM).end(LINE + DONE));
  const asked: string[] = [];
  const before = globalThis.fetch;
  globalThis.fetch = (...given) => {
    asked.push(String(given[0]));
    return before(...given);
  };
  onTestFinished(() => {
    globalThis.fetch = before;
  });
  const counted = async (process: Parameters<typeof carrierOf>[0]): Promise<number> => {
    asked.length = 0;
    expect(await ask(carrierOf(process), url)).toEqual([EVENT]);
    return asked.length;
  };
  expect(await counted({ execArgv: [], env: {} })).toBe(0);
  expect(await counted({ execArgv: ["--use-env-proxy"], env: {} })).toBe(1);
  expect(await counted({ execArgv: [], env: { NODE_OPTIONS: "--import=./x.mjs" } })).toBe(1);
  expect(await counted({ execArgv: [], env: { NODE_USE_ENV_PROXY: "1" } })).toBe(1);
});
