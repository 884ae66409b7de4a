import type { Readable, Writable } from "node:stream";
import { shareSignal } from "../../../runtime/executor/given-signal.ts";
import { CONTENT_LENGTH } from "../../../system/rpc/length-framing.ts";
import { createMessageReader } from "../../../system/rpc/message-reader.ts";
import { type Abandonable, createRpcPeer } from "../../../system/rpc/peer.ts";
import { SYSTEM_CLOCK } from "../../../system/time/clock.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { HalfRead } from "./half-read.ts";
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
}

/** A frame that announces more than this ends the connection before anything of it is stored. */
const MESSAGE_BYTES = 64 * 1024 * 1024;
const FRAMES = { messageBytes: MESSAGE_BYTES, skippedBytes: 0 };
const FLOOD = { badLines: 100, badLineWindow: 10_000, floodBurst: 20_000, floodRate: 5_000 };
/** Milliseconds that a client which is sent away has to take its last answer. */
const FAREWELL = 1_000;
/** What may wait for a client that does not read. */
const MOST_UNREAD = 32 * 1024 * 1024;

/** Whose point is to hand over keys: where models are, and requests that a client carries there. */
const CREDENTIALS: ReadonlySet<string> = new Set(["session.provider.getEndpoint", "llmInference.httpRequestStart"]);

const NEVER = shareSignal(new AbortController().signal);

let connections = 0;

/** Speaks JSON-RPC with one client until either side ends it. */
export function openConnection({
  input,
  output,
  onRequest,
  onNotification = () => {},
  onNote,
  hide = (data) => data,
  halfRead,
}: ClientPorts): ClientConnection {
  connections += 1;
  const id = `client-${connections}`;
  let isOver = false;
  let finish = (): void => {};
  const closed = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const end = (reason: string | null, isHeard = false): void => {
    if (isOver) return;
    isOver = true;
    if (reason !== null) onNote(`${id} was cut off: ${reason}`);
    halfRead?.clear(end);
    reader.stop();
    peer.end();
    flush();
    const close = (): void => {
      clearTimeout(late);
      input.destroy();
      output.destroy();
      finish();
    };
    const late = isHeard ? setTimeout(close, FAREWELL) : undefined;
    if (isHeard) output.end(close);
    else close();
  };
  let unsent = "";
  const flush = (): void => {
    if (unsent !== "") output.write(unsent);
    unsent = "";
  };
  const send = (message: object): void => {
    if (isOver) return;
    // All that happens before the next look at the outside goes out in one piece.
    if (unsent === "") setImmediate(flush);
    unsent += CONTENT_LENGTH.wrap(JSON.stringify(message));
    if (output.writableLength + unsent.length > MOST_UNREAD) end("it does not read what it is sent");
  };
  const connection: ClientConnection = {
    id,
    closed,
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
      if ("message" in read) peer.receive(read.message);
      else peer.receiveJunk();
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
