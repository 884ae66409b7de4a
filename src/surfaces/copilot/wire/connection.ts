import type { Readable, Writable } from "node:stream";
import { shareSignal } from "../../../runtime/executor/given-signal.ts";
import { CONTENT_LENGTH } from "../../../system/rpc/length-framing.ts";
import { createMessageReader } from "../../../system/rpc/message-reader.ts";
import { type Abandonable, createRpcPeer } from "../../../system/rpc/peer.ts";
import { SYSTEM_CLOCK } from "../../../system/time/clock.ts";
import { createDeferred } from "../../../system/time/deferred.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { HalfRead } from "./half-read.ts";
import { createOutbox } from "./outbox.ts";
import type { WireLog } from "./wire-log.ts";
import type { Json } from "./wire-values.ts";

export interface ClientPorts {
  readonly input: Readable;
  readonly output: Writable;
  readonly onRequest: (connection: ClientConnection, method: string, params: Json, asked: Abandonable) => unknown;
  readonly onNotification?: (method: string, params: Json) => void;
  readonly onNote: (text: string) => void;
  /** Takes out of what is sent what nobody may see; credentials that a client asks for go as they are. */
  readonly hide?: <T>(data: T) => T;
  /** Counts what is read of messages that are not whole, with other connections. */
  readonly halfRead?: HalfRead;
  /** Writes down all messages of the connection with that id; null: nobody wants to read them. */
  readonly openLog?: ((id: string) => WireLog) | null;
}

/** A frame that announces more than this ends the connection before anything of it is stored. */
const MESSAGE_BYTES = 64 * 1024 * 1024;
const FRAMES = { messageBytes: MESSAGE_BYTES, skippedBytes: 0 };
const FLOOD = { badLines: 100, badLineWindow: 10_000, floodBurst: 20_000, floodRate: 5_000 };
/** Milliseconds that a client which is sent away has to take its last answer. */
const FAREWELL = 1_000;

/** Whose point is to hand over keys: where models are, and requests that a client carries there. */
const CREDENTIALS: ReadonlySet<string> = new Set(["session.provider.getEndpoint", "llmInference.httpRequestStart"]);

const NEVER = shareSignal(new AbortController().signal);

let connections = 0;

/** Speaks JSON-RPC with one client until either side ends it. */
export function openConnection(ports: ClientPorts): ClientConnection {
  const { input, output, onRequest, onNotification = () => {}, onNote, hide = (data) => data, halfRead } = ports;
  connections += 1;
  const id = `client-${connections}`;
  const log = ports.openLog?.(id);
  let isOver = false;
  const closed = createDeferred<void>();
  const end = (reason: string | null, isHeard = false): void => {
    if (isOver) return;
    isOver = true;
    outbox.end();
    if (reason !== null) onNote(`${id} was cut off: ${reason}`);
    halfRead?.clear(end);
    reader.stop();
    peer.end();
    closeStreams(ports, isHeard, closed.resolve);
  };
  const outbox = createOutbox(output, () => end("it does not read what it is sent"));
  const send = (message: object): void => {
    log?.sent(message);
    if ("result" in message) outbox.sendSoon(message);
    else outbox.send(message);
  };
  const connection: ClientConnection = {
    id,
    hasConnected: false,
    closed: closed.promise,
    cut: (reason) => end(reason),
    dismiss(reason) {
      reader.stop();
      // What was answered to it is written by then.
      setImmediate(() => end(reason, true));
    },
    notify: (method, params) => send({ jsonrpc: "2.0", method, params: hide(params) }),
    async request(method, params, signal = NEVER) {
      const answer = await peer.request(method, CREDENTIALS.has(method) ? params : hide(params), signal);
      if (answer.kind === "result") return answer.value;
      throw new Error(answer.kind === "error" ? answer.message : `the client gave no answer (${answer.kind})`);
    },
  };
  const peer = createRpcPeer({
    limits: FLOOD,
    now: SYSTEM_CLOCK.now,
    send,
    cancelMethod: "$/cancelRequest",
    onRequest: async (method, params, asked) => {
      try {
        const answer = await onRequest(connection, method, params, asked);
        return CREDENTIALS.has(method) ? answer : hide(answer);
      } catch (error) {
        throw new Error(hide(error instanceof Error ? error.message : String(error)));
      }
    },
    onNotification,
    onFault: end,
  });
  const reader = createMessageReader({
    framing: CONTENT_LENGTH,
    limits: FRAMES,
    onMessage: (read) => {
      halfRead?.clear(end);
      if (!("message" in read)) return peer.receiveJunk();
      log?.received(read.message);
      peer.receive(read.message);
    },
    onBroken: end,
    onBusy: () => input.pause(),
    onIdle: () => (isOver ? undefined : input.resume()),
  });
  input.on("data", (chunk: Buffer) => {
    if (isOver) return;
    halfRead?.add(end, chunk.length);
    reader.push(chunk);
  });
  input.on("end", () => end(null));
  input.on("close", () => end(null));
  for (const stream of [input, output]) stream.on("error", () => end(null));
  return connection;
}

/** A client that is sent away has its last answer first, unless it takes too long to read it. */
function closeStreams({ input, output }: ClientPorts, isHeard: boolean, onClosed: () => void): void {
  const close = (): void => {
    clearTimeout(late);
    input.destroy();
    output.destroy();
    onClosed();
  };
  const late = isHeard ? setTimeout(close, FAREWELL) : undefined;
  if (isHeard) output.end(close);
  else close();
}
