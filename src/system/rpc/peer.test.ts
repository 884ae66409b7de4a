import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Framing } from "./framing.ts";
import { CONTENT_LENGTH } from "./length-framing.ts";
import { LINES } from "./line-framing.ts";
import { createMessageReader } from "./message-reader.ts";
import { createRpcPeer, RPC_ERROR, type RpcPeer, type RpcPeerOptions, RpcRefusal } from "./peer.ts";

const never = new AbortController().signal;
const LIMITS = { badLines: 3, badLineWindow: 10_000, floodBurst: 2_000, floodRate: 10 };

type Ports = Partial<Pick<RpcPeerOptions, "onRequest" | "onNotification" | "onFault">>;

function createPeer(send: (message: object) => void, ports: Ports): RpcPeer {
  return createRpcPeer({
    limits: LIMITS,
    now: () => 0,
    cancelMethod: "$/cancelRequest",
    send,
    onRequest: () => new RpcRefusal(RPC_ERROR.methodNotFound, "there is no such method"),
    onNotification: () => {},
    onFault: () => {},
    ...ports,
  });
}

/** Two that talk over a stream of bytes, which comes in pieces of that size. */
function connect(framing: Framing, pieces: number, ports: Ports): { mine: RpcPeer; sent: object[] } {
  const caps = { messageBytes: 1_000, skippedBytes: 10_000 };
  const reader = (to: () => RpcPeer) =>
    createMessageReader({
      framing,
      limits: caps,
      onMessage(read) {
        if (read.kind === "message") to().receive(read.message);
        else if (read.kind !== "oversized" || !to().dropAnswer(read.id)) to().receiveJunk();
      },
      onBroken: () => {},
      onBusy: () => {},
      onIdle: () => {},
    });
  const pipe = (to: () => RpcPeer) => {
    const { push } = reader(to);
    return (message: object) => {
      const bytes = Buffer.from(framing.wrap(JSON.stringify(message)));
      for (let at = 0; at < bytes.length; at += pieces) push(bytes.subarray(at, at + pieces));
    };
  };
  const sent: object[] = [];
  const out = pipe(() => other);
  const mine: RpcPeer = createPeer((message) => {
    sent.push(message);
    out(message);
  }, {});
  const other: RpcPeer = createPeer(
    pipe(() => mine),
    ports,
  );
  return { mine, sent };
}

describe.each([
  ["lines", LINES],
  ["lengths", CONTENT_LENGTH],
])("over %s", (_, framing) => {
  test("a request is answered with what its handler makes of it, however the bytes come", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 2 }), fc.integer({ min: 1, max: 50 }), async (value, pieces) => {
        const { mine } = connect(framing, pieces, { onRequest: async (method, params) => ({ method, params }) });
        expect(await mine.request("echo", { value }, never)).toEqual({
          kind: "result",
          value: { method: "echo", params: { value: JSON.parse(JSON.stringify(value)) } },
        });
      }),
      { numRuns: 50 },
    );
  });

  test("what is too large to be read fails its request alone", async () => {
    const { mine } = connect(framing, 64, { onRequest: (_method, { size }) => "x".repeat(Number(size)) });
    expect(await mine.request("huge", { size: 2_000 }, never)).toEqual({ kind: "too-large" });
    expect(await mine.request("small", { size: 2 }, never)).toEqual({ kind: "result", value: "xx" });
  });
});

describe("a request", () => {
  test("that nobody knows, or whose handler breaks, ends with an error", async () => {
    const { mine, sent } = connect(LINES, 100, {});
    expect(await mine.request("what", {}, never)).toEqual({ kind: "error", message: "there is no such method" });
    const broken = connect(LINES, 100, { onRequest: () => Promise.reject(new Error("it broke")) });
    expect(await broken.mine.request("what", {}, never)).toEqual({ kind: "error", message: "it broke" });
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1, method: "what", params: {} }]);
  });

  test("that is given up ends at once, and its handler is told", async () => {
    const stop = new AbortController();
    const { mine, sent } = connect(LINES, 100, {
      onRequest: (_method, _params, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    });
    const asked = mine.request("wait", {}, stop.signal);
    stop.abort();
    expect(await asked).toEqual({ kind: "cancelled" });
    expect(sent.at(-1)).toEqual({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } });
    expect(await mine.request("wait", {}, stop.signal)).toEqual({ kind: "cancelled" });
  });

  test("is lost with the other side, and nothing is said after that", async () => {
    const sent: object[] = [];
    const peer = createPeer((message) => void sent.push(message), { onRequest: async () => "late" });
    const asked = peer.request("wait", {}, never);
    peer.receive({ jsonrpc: "2.0", id: 1, method: "more" });
    peer.end();
    expect([await asked, await peer.request("more", {}, never)]).toEqual([{ kind: "lost" }, { kind: "lost" }]);
    expect(sent).toHaveLength(1);
  });

  test("is refused while as many as may be are open", async () => {
    const sent: object[] = [];
    const peer = createPeer((message) => void sent.push(message), { onRequest: () => new Promise(() => {}) });
    for (let id = 1; id <= 1_001; id++) peer.receive({ jsonrpc: "2.0", id, method: "wait" });
    expect(sent).toEqual([{ jsonrpc: "2.0", id: 1_001, error: { code: -32_000, message: expect.any(String) } }]);
  });
});

describe("the other side is cut off", () => {
  test("for lines that are no message or answer nothing, and for a flood, and not for late answers", () => {
    const faults: string[] = [];
    const peer = createPeer(() => {}, { onFault: (reason) => void faults.push(reason) });
    const stop = new AbortController();
    void peer.request("wait", {}, stop.signal);
    stop.abort();
    peer.receive({ jsonrpc: "2.0", id: 1, result: "late" });
    for (const message of [{ jsonrpc: "2.0", id: 1, result: "twice" }, { id: 2 }]) peer.receive(message);
    expect(faults).toEqual([]);
    peer.receiveJunk();
    expect(faults).toEqual([expect.stringContaining("it sent 3 lines")]);
    for (let at = 0; at <= LIMITS.floodBurst; at++) peer.receive({ jsonrpc: "2.0", method: "log" });
    expect(faults.at(-1)).toContain("more than 2000 messages that nobody asked for");
  });
});
