import { randomUUID } from "node:crypto";
import type { Profile } from "../../runtime/crib/crib.ts";
import { createLineSplitter } from "../../system/rpc/line-splitter.ts";
import { isTooDeep } from "../../system/text/json-depth.ts";
import { checkVersion, isModern, type ProtocolEnvelope, readEnvelope } from "./envelope.ts";
import type { ServerInfo } from "./finish.ts";
import type { Fronts, KeptLegacy, KeptModern } from "./fronts.ts";
import { readIntroduction, toInitializeAnswer } from "./initialize.ts";
import {
  type Incoming,
  type IncomingRequest,
  type ProtocolAnswer,
  type RequestId,
  refuse,
  sortIncoming,
  writeAnswer,
  writeNotification,
} from "./json-rpc.ts";
import type { GatewayLimits } from "./limits.ts";
import { type Listening, listen } from "./listening.ts";
import { TooManyClients } from "./make-room.ts";
import type { Outlet } from "./outlet.ts";
import { BATCH_VERSION, ERROR } from "./protocol.ts";

export interface StdioStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export interface StdioPorts {
  readonly fronts: Fronts;
  readonly server: ServerInfo;
  readonly limits: GatewayLimits;
  readonly onError: (text: string, error: unknown) => void;
}

/** One client on a pair of streams, of either era. Resolves when its input ends and nothing of it is left. */
export function serveStdio({ input, output }: StdioStreams, profile: Profile, ports: StdioPorts): Promise<void> {
  const { fronts, server, limits, onError } = ports;
  const splitter = createLineSplitter({ lineBytes: limits.messageBytes, skippedBytes: limits.messageBytes });
  const outlet: Outlet = {
    send(text) {
      if (!output.writable) return false;
      output.write(`${text}\n`);
      return true;
    },
  };
  let legacy: KeptLegacy | null = null;
  /** What comes before it is there waits for it: a client need not wait for the answer before it goes on. */
  let opening: Promise<void> | null = null;
  let modern: Promise<KeptModern> | null = null;
  const inFlight = new Map<RequestId, AbortController>();
  const listenings = new Map<RequestId, Listening>();
  const held: (() => void)[] = [];

  const reply = (id: RequestId | null, answer: ProtocolAnswer): void => void outlet.send(writeAnswer(id, answer));

  const initialize = async ({ id, params }: IncomingRequest): Promise<void> => {
    if (opening !== null) return reply(id, refuse(ERROR.request, "the connection is initialized already"));
    const { version, capabilities, label } = readIntroduction(params);
    opening = fronts.openLegacy({ profile, label, version, capabilities }).then((kept) => {
      legacy = kept;
      held.push(fronts.hold(kept));
      kept.front.streams.add(outlet);
      reply(id, toInitializeAnswer(version, server, kept.front.view.offer().instructions));
    });
    await opening.catch((error: unknown) => {
      opening = null;
      throw error;
    });
  };

  const openModern = (clientName: string | null): Promise<KeptModern> => {
    modern ??= fronts.modern(profile, `stdio\n${randomUUID()}`, clientName).then((kept) => {
      held.push(fronts.hold(kept));
      return kept;
    });
    return modern;
  };

  const startListening = async (request: IncomingRequest, { clientName }: ProtocolEnvelope): Promise<void> => {
    const { id } = request;
    const { front } = await openModern(clientName);
    const send = (method: string, params: Readonly<Record<string, unknown>>): void =>
      void outlet.send(writeNotification(method, params));
    const listening = await listen(front, request, `stdio ${id}`, send);
    if ("kind" in listening) reply(id, listening);
    else listenings.set(id, listening);
  };

  const answerModern = async (request: IncomingRequest): Promise<void> => {
    const { id, method } = request;
    const envelope = readEnvelope(request);
    if ("kind" in envelope) return reply(id, envelope);
    const refusal = checkVersion(envelope);
    if (refusal !== null) return reply(id, refusal);
    if (inFlight.has(id) || listenings.has(id)) return reply(id, refuse(ERROR.request, "the id is in use"));
    if (method === "subscriptions/listen") return startListening(request, envelope);
    const controller = new AbortController();
    inFlight.set(id, controller);
    const { signal } = controller;
    try {
      const { front } = await openModern(envelope.clientName);
      const answer = await front.answer(request, envelope, { ...outlet, onGone: (leave) => onAbort(signal, leave) });
      if (!signal.aborted) reply(id, answer);
    } finally {
      inFlight.delete(id);
    }
  };

  const cancel = (id: RequestId): void => {
    inFlight.get(id)?.abort();
    listenings.get(id)?.close();
    listenings.delete(id);
  };

  const take = async (message: Incoming): Promise<void> => {
    if (message.kind === "invalid") return reply(message.id, refuse(ERROR.request, message.text));
    if (message.kind === "notification") {
      const { requestId } = message.params;
      if (message.method === "notifications/cancelled" && isId(requestId)) cancel(requestId);
    }
    if (message.kind === "request") {
      if (isModern(message, undefined)) return answerModern(message);
      if (message.method === "initialize") return initialize(message);
    }
    if (legacy === null) await opening?.catch(() => undefined);
    if (message.kind !== "request") return legacy?.front.take(message);
    if (legacy === null) return reply(message.id, refuse(ERROR.server, "initialize first"));
    const answer = await legacy.front.answer(message, outlet);
    if (answer !== null) reply(message.id, answer);
  };

  const read = (line: Buffer): void => {
    if (line.length === 0) return;
    const text = line.toString();
    if (isTooDeep(text)) {
      reply(null, refuse(ERROR.request, "the line is nested too deep"));
      return;
    }
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      reply(null, refuse(ERROR.parse, "the line is not JSON"));
      return;
    }
    const isBatch = Array.isArray(body) && legacy?.front.version === BATCH_VERSION;
    // Answers to a batch may come one by one here: every line is a message of its own.
    for (const one of isBatch && Array.isArray(body) ? body : [body]) {
      const message = sortIncoming(one);
      take(message).catch((error: unknown) => {
        const isFull = error instanceof TooManyClients;
        if (!isFull) onError("a message failed", error);
        const refusal = isFull ? refuse(ERROR.server, error.message) : refuse(ERROR.internal, "Internal error");
        if (message.kind === "request") reply(message.id, refusal);
      });
    }
  };

  return new Promise((resolve) => {
    const end = async (): Promise<void> => {
      for (const id of [...inFlight.keys(), ...listenings.keys()]) cancel(id);
      await opening?.catch(() => undefined);
      for (const release of held) release();
      if (legacy !== null) await fronts.end(legacy);
      const kept = await modern?.catch(() => null);
      if (kept) await fronts.end(kept);
      resolve();
    };
    input.on("data", (chunk: Buffer | string) => {
      for (const event of splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk)) {
        if (event.kind === "line") read(event.bytes);
        else if (event.kind === "oversized")
          reply(event.id, refuse(ERROR.server, `the message is over ${limits.messageBytes} bytes`));
      }
    });
    input.once("end", () => void end());
    input.once("close", () => void end());
    output.on("error", () => void end());
  });
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

function isId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}
