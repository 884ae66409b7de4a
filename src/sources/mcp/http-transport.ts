import { Readable } from "node:stream";
import type { FetchLike, Transport } from "@modelcontextprotocol/client";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { createBacklog } from "../../system/rpc/backlog.ts";
import type { Loss } from "../../system/rpc/framed-process.ts";
import { isMessageId, type MessageId } from "../../system/rpc/message-id.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import { createHttpClient, type HttpAnswer, type HttpClient } from "../parts/http-client.ts";
import type { SourceFault } from "../source.ts";
import { type Challenge, type Tokens, withToken } from "../token-port.ts";
import { type Channel, type ChannelPorts, createChannel } from "./channel.ts";
import type { ClientPackage } from "./client-package.ts";
import { guardEvents, guardJson, guardOther } from "./guarded-body.ts";
import type { McpLimits } from "./limits.ts";
import type { RemoteEndpoint } from "./server-spec.ts";
import type { McpTransport } from "./transport.ts";

export interface HttpTransportOptions extends ChannelPorts, RemoteEndpoint {
  readonly client: ClientPackage;
  /** Tokens of a login; null if the entry brings its own credentials. */
  readonly tokens: Tokens | null;
}

/** The beginning of our own requests, which need not be parsed again. */
const OWN_REQUEST = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"method":/;
/** One unfinished message may have the full size; all others together may have this fraction of it. */
const OTHERS = 4;
/** Statuses whose responses have no body by definition. */
const BODILESS = new Set([101, 204, 205, 304]);

/** Speaks HTTP through the client package's transports, with every body limited before they parse it. */
export function createHttpTransport(options: HttpTransportOptions): McpTransport {
  const { limits, clock, kind } = options;
  const loss = createDeferred<Loss>();
  const http = createHttpClient();
  const timers = createTimers(clock);
  let over = false;
  let closing: Promise<void> | null = null;

  const finish = (reason: string | null): void => {
    if (over) return;
    over = true;
    loss.resolve({ reason });
    transport.onclose?.();
  };
  const giveUp = (reason: string): void => {
    finish(reason);
    http.close();
  };
  const onCut = (reason: string): void => giveUp(`was cut off: ${reason}`);
  const channel = createChannel({ limits, clock, onWire: options.onWire, onCut });
  const send = createSender(http, options.tokens, giveUp);
  const watch = createWatch(kind);
  const fetch = createGuardedFetch(send, channel, limits, clock, watch.note);
  const inner = openInner(options, fetch, timers.schedule);
  inner.onmessage = (message) => channel.receive(message);
  inner.onerror = (error) => {
    // The package gave up on a stream, or an event source lost its session: nothing more will arrive.
    const sourceGone = error instanceof options.client.SseError;
    if (sourceGone || /Maximum reconnection attempts/.test(error.message)) finish("closed the connection");
  };

  const shut = async (): Promise<void> => {
    finish(null);
    await endSession(inner, timers.schedule, Math.min(limits.grace, 1_000));
    await inner.close().catch(() => {});
    timers.clear();
    http.close();
  };

  const transport: McpTransport = {
    lost: loss.promise,
    readStderr: () => null,
    get refusal() {
      return watch.refusal;
    },
    channel,
    get fault() {
      return watch.fault;
    },
    hasPerRequestStream: kind === "http",
    get sessionId() {
      return inner.sessionId;
    },
    get onmessage() {
      return channel.deliver;
    },
    set onmessage(listener) {
      channel.deliver = listener;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion(version),
    start: () => inner.start(),
    async send(message, sendOptions) {
      if (over) throw new Error("Not connected");
      channel.noteSent(message, sendOptions);
      try {
        await inner.send(message, sendOptions);
      } catch (error) {
        channel.noteUnsent(message);
        throw error;
      }
    },
    close() {
      closing ??= shut();
      return closing;
    },
  };
  return transport;
}

type NoteAnswer = (method: string, answer: Pick<HttpAnswer, "status" | "headers">) => void;

interface Watch extends Pick<McpTransport, "refusal" | "fault"> {
  readonly note: NoteAnswer;
}

/** What the answers say about the address. */
function createWatch(kind: HttpTransportOptions["kind"]): Watch {
  // A stream of its own is optional, and whatever answers in its place says nothing.
  const telling = kind === "http" ? "POST" : "GET";
  let refusal: number | null = null;
  let fault: SourceFault | null = null;
  return {
    get refusal() {
      return refusal;
    },
    get fault() {
      return fault;
    },
    note(method, { status, headers }) {
      if (status === 401 || status === 403) refusal = status;
      const isPage = status < 500 && /^text\/html\b/i.test(headers.get("content-type") ?? "");
      if (method === telling) fault = isPage ? { kind: "web-page" } : null;
    },
  };
}

/** Returns how to call it off. */
type Schedule = (callback: () => void, delay: number) => () => void;

/** Timers that end with the transport. */
function createTimers(clock: Clock): { readonly schedule: Schedule; clear(): void } {
  const timers = new Set<Timer>();
  return {
    schedule(callback, delay) {
      const timer = clock.setTimeout(() => {
        timers.delete(timer);
        callback();
      }, delay);
      timers.add(timer);
      return () => {
        timers.delete(timer);
        clock.clearTimeout(timer);
      };
    },
    clear() {
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
}

interface Inner extends Transport {
  setProtocolVersion(version: string): void;
  terminateSession?(): Promise<void>;
}

function openInner({ kind, url, headers, client }: HttpTransportOptions, fetch: FetchLike, schedule: Schedule): Inner {
  const requestInit = { headers: { ...headers } };
  const inner =
    kind === "sse"
      ? new client.SSEClientTransport(url, { requestInit, fetch })
      : new client.StreamableHTTPClientTransport(url, { requestInit, fetch, reconnectionScheduler: schedule });
  return inner as Inner; // Both are transports; exact optional members keep their classes from being assignable.
}

/** Tells the server, if it has a session, that it is over, and waits that long at most. */
async function endSession(inner: Inner, schedule: Schedule, patience: number): Promise<void> {
  if (inner.terminateSession === undefined || inner.sessionId === undefined) return;
  const waited = createDeferred<void>();
  const cancel = schedule(() => waited.resolve(), patience);
  await Promise.race([inner.terminateSession().catch(() => {}), waited.promise]);
  cancel();
}

type Send = HttpClient["send"];

/** The challenge in a server's answer to a token that is missing, expired or insufficient. */
function challengeOf(url: URL, { status, headers }: HttpAnswer): Challenge | null {
  const header = headers.get("www-authenticate");
  const isShort = status === 403 && /\binsufficient_scope\b/.test(header ?? "");
  return status === 401 || isShort ? { url, status, header } : null;
}

/** Sends with the token for that address, if there is one, and once more with another if it is refused. */
function createSender(http: HttpClient, tokens: Tokens | null, onTrouble: (reason: string) => void): Send {
  if (tokens === null) return http.send;
  const never = new AbortController().signal;
  const reported = async (work: Promise<string | null>): Promise<string | null> => {
    try {
      return await work;
    } catch (error) {
      // A broken login affects every request; a single aborted request does not.
      if (isToolcribError(error)) onTrouble(`could not be used: ${error.message}`);
      throw error;
    }
  };
  return async (question) => {
    const signal = question.signal ?? never;
    const token = await reported(tokens.current(question.url, signal));
    if (token === null && tokens.isRequired === true) return NOT_SENT();
    const as = (mine: string | null) => {
      const headers = mine === null ? new Headers(question.headers) : withToken(question.headers, mine, tokens);
      return http.send({ ...question, headers });
    };
    const answer = await as(token);
    const challenge = challengeOf(question.url, answer);
    if (challenge === null) return answer;
    const other = await reported(tokens.renew(token, signal, challenge));
    if (other === null) return answer;
    void drain(answer.body);
    return as(other);
  };
}

/** As the server would say it. */
const NOT_SENT = (): HttpAnswer => ({
  ...{ status: 401, statusText: "Unauthorized", headers: new Headers(), body: Readable.from([]) },
});

function createGuardedFetch(
  send: Send,
  channel: Channel,
  limits: McpLimits,
  clock: Clock,
  onAnswer: NoteAnswer,
): FetchLike {
  const backlog = createBacklog(limits.messageBytes / OTHERS);
  return async (url, init) => {
    const body = typeof init?.body === "string" ? init.body : null;
    const method = init?.method ?? "GET";
    const answer = await send({
      url: new URL(url),
      method,
      headers: new Headers(init?.headers),
      body,
      signal: init?.signal ?? null,
    });
    onAnswer(method, answer);
    const requestId = body === null ? null : requestIdOf(body);
    const share = backlog.join(init?.signal ?? null);
    return toResponse(answer, guard(answer, { channel, limits, clock, requestId, share }));
  };
}

function guard(answer: HttpAnswer, options: Parameters<typeof guardJson>[1]): AsyncGenerator<Buffer> {
  const type = answer.headers.get("content-type") ?? "";
  const ok = answer.status >= 200 && answer.status < 300;
  if (ok && /^text\/event-stream\b/i.test(type)) return guardEvents(answer.body, options);
  if (ok && /^application\/json\b/i.test(type)) return guardJson(answer.body, options);
  return guardOther(answer.body);
}

function toResponse({ status, statusText, headers, body }: HttpAnswer, guarded: AsyncGenerator<Buffer>): Response {
  if (!BODILESS.has(status)) return new Response(ReadableStream.from(guarded), { status, statusText, headers });
  void guarded.return(undefined);
  void drain(body);
  return new Response(null, { status, statusText, headers });
}

async function drain(body: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const _part of body);
  } catch {
    // The connection broke, but there was nothing to read anyway.
  }
}

function requestIdOf(body: string): MessageId | null {
  const known = OWN_REQUEST.exec(body)?.[1];
  if (known !== undefined) return Number(known);
  const message: unknown = JSON.parse(body);
  if (!isRecord(message) || typeof message.method !== "string") return null;
  return isMessageId(message.id) ? message.id : null;
}
