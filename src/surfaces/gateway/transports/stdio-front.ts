import { randomUUID } from "node:crypto";
import type { Profile } from "../../../runtime/crib/crib.ts";
import { LINES } from "../../../system/rpc/line-framing.ts";
import { onAbort } from "../../../system/time/until-aborted.ts";
import type { LegacyClient, ModernClient } from "../fronts/connected.ts";
import type { Fronts } from "../fronts/fronts.ts";
import { TooManyClients } from "../fronts/make-room.ts";
import { type Listening, listen } from "../methods/listening.ts";
import { checkVersion, isModern, type ProtocolEnvelope, readEnvelope } from "../wire/envelope.ts";
import type { ServerInfo } from "../wire/finish.ts";
import { readIntroduction, toInitializeAnswer } from "../wire/initialize.ts";
import {
  type Incoming,
  type IncomingRequest,
  isId,
  type ProtocolAnswer,
  parseMessage,
  type RequestId,
  refuseRequest,
  sortIncoming,
  writeAnswer,
} from "../wire/json-rpc.ts";
import type { GatewayLimits } from "../wire/limits.ts";
import type { Outlet } from "../wire/outlet.ts";
import { BATCH_VERSION, ERROR } from "../wire/protocol.ts";

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
export function serveStdio(streams: StdioStreams, profile: Profile, ports: StdioPorts): Promise<void> {
  return new StdioClient(streams.output, profile, ports).serve(streams.input);
}

class StdioClient {
  readonly #output: NodeJS.WritableStream;
  readonly #profile: Profile;
  readonly #ports: StdioPorts;
  readonly #inFlight = new Map<RequestId, AbortController>();
  readonly #listenings = new Map<RequestId, Listening>();
  readonly #held: (() => void)[] = [];
  #legacy: LegacyClient | null = null;
  /** Earlier messages wait until it is open: a client need not wait for the answer before it continues. */
  #opening: Promise<void> | null = null;
  #modern: Promise<ModernClient> | null = null;

  constructor(output: NodeJS.WritableStream, profile: Profile, ports: StdioPorts) {
    this.#output = output;
    this.#profile = profile;
    this.#ports = ports;
  }

  serve(input: NodeJS.ReadableStream): Promise<void> {
    const { messageBytes } = this.#ports.limits;
    const splitter = LINES.createSplitter({ messageBytes, skippedBytes: messageBytes });
    return new Promise((resolve) => {
      const end = (): void => void this.#end().then(resolve);
      input.on("data", (chunk: Buffer | string) => {
        for (const event of splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk)) {
          if (event.kind === "message") this.#read(event.bytes);
          else if (event.kind === "oversized")
            this.#reply(event.id, refuseRequest(ERROR.server, `the message is over ${messageBytes} bytes`));
        }
      });
      input.once("end", end);
      input.once("close", end);
      this.#output.on("error", end);
    });
  }

  readonly #outlet: Outlet = {
    send: (text) => {
      if (!this.#output.writable) return false;
      this.#output.write(`${text}\n`);
      return true;
    },
  };

  #reply(id: RequestId | null, answer: ProtocolAnswer): void {
    this.#outlet.send(writeAnswer(id, answer));
  }

  #read(line: Buffer): void {
    if (line.length === 0) return;
    const parsed = parseMessage(line.toString(), "line");
    if ("kind" in parsed) return void this.#reply(null, parsed);
    const { value } = parsed;
    const isBatch = this.#legacy?.front.version === BATCH_VERSION;
    // Answers to a batch may be sent one by one here: every line is its own message.
    for (const one of isBatch && Array.isArray(value) ? value : [value]) {
      const message = sortIncoming(one);
      this.#take(message).catch((error: unknown) => {
        const isFull = error instanceof TooManyClients;
        if (!isFull) this.#ports.onError("a message failed", error);
        const refusal = isFull
          ? refuseRequest(ERROR.server, error.message)
          : refuseRequest(ERROR.internal, "Internal error");
        if (message.kind === "request") this.#reply(message.id, refusal);
      });
    }
  }

  async #take(message: Incoming): Promise<void> {
    if (message.kind === "invalid") return this.#reply(message.id, refuseRequest(ERROR.request, message.text));
    if (message.kind === "notification") {
      const { requestId } = message.params;
      if (message.method === "notifications/cancelled" && isId(requestId)) this.#cancel(requestId);
    }
    if (message.kind === "request") {
      if (isModern(message, undefined)) return this.#answerModern(message);
      if (message.method === "initialize") return this.#initialize(message);
    }
    if (this.#legacy === null) await this.#opening?.catch(() => undefined);
    if (message.kind !== "request") return this.#legacy?.front.take(message);
    if (this.#legacy === null) return this.#reply(message.id, refuseRequest(ERROR.server, "initialize first"));
    const answer = await this.#legacy.front.answer(message, this.#outlet);
    if (answer !== null) this.#reply(message.id, answer);
  }

  async #initialize({ id, params }: IncomingRequest): Promise<void> {
    if (this.#opening !== null)
      return this.#reply(id, refuseRequest(ERROR.request, "the connection is initialized already"));
    const { fronts, server } = this.#ports;
    const { version, capabilities, label } = readIntroduction(params);
    this.#opening = fronts.openLegacy({ profile: this.#profile, label, version, capabilities }).then(async (client) => {
      const instructions = await client.front.instructions();
      this.#legacy = client;
      this.#held.push(fronts.hold(client));
      client.front.streams.add(this.#outlet);
      this.#reply(id, toInitializeAnswer(version, server, instructions));
    });
    await this.#opening.catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
  }

  async #answerModern(request: IncomingRequest): Promise<void> {
    const { id, method } = request;
    const envelope = readEnvelope(request);
    if ("kind" in envelope) return this.#reply(id, envelope);
    const refusal = checkVersion(envelope);
    if (refusal !== null) return this.#reply(id, refusal);
    if (this.#inFlight.has(id) || this.#listenings.has(id))
      return this.#reply(id, refuseRequest(ERROR.request, "the id is in use"));
    if (method === "subscriptions/listen") return this.#startListening(request, envelope);
    const controller = new AbortController();
    this.#inFlight.set(id, controller);
    const { signal } = controller;
    try {
      const { front } = await this.#openModern(envelope.clientName);
      const outlet = { ...this.#outlet, onGone: (leave: () => void) => onAbort(signal, leave) };
      const answer = await front.answer(request, envelope, outlet);
      if (!signal.aborted) this.#reply(id, answer);
    } finally {
      this.#inFlight.delete(id);
    }
  }

  #openModern(clientName: string | null): Promise<ModernClient> {
    const { fronts } = this.#ports;
    this.#modern ??= fronts.modern(this.#profile, `stdio\n${randomUUID()}`, clientName).then((client) => {
      this.#held.push(fronts.hold(client));
      return client;
    });
    return this.#modern;
  }

  async #startListening(request: IncomingRequest, { clientName }: ProtocolEnvelope): Promise<void> {
    const { id } = request;
    const { front } = await this.#openModern(clientName);
    const listening = await listen(front, request, `stdio ${id}`, this.#outlet);
    if ("kind" in listening) this.#reply(id, listening);
    else this.#listenings.set(id, listening);
  }

  #cancel(id: RequestId): void {
    this.#inFlight.get(id)?.abort();
    this.#listenings.get(id)?.close();
    this.#listenings.delete(id);
  }

  async #end(): Promise<void> {
    const { fronts } = this.#ports;
    for (const id of [...this.#inFlight.keys(), ...this.#listenings.keys()]) this.#cancel(id);
    await this.#opening?.catch(() => undefined);
    for (const release of this.#held) release();
    if (this.#legacy !== null) await fronts.end(this.#legacy);
    const client = await this.#modern?.catch(() => null);
    if (client) await fronts.end(client);
  }
}
