import { toJsonText } from "../../core/shape/json-text.ts";
import { onAbort, untilAborted } from "../../system/time/until-aborted.ts";
import type { ModelClient, ModelRequest } from "./model.ts";
import { fromErrorEvent, fromStatus, ModelError } from "./model-error.ts";
import { readServerSent } from "./read-server-sent.ts";
import type { ModelWire } from "./wire.ts";

/** Sends one request to a provider; a host may bring its own. */
export type Carrier = (url: string, init: RequestInit) => Promise<Response>;

/** What a model is asked with. */
export interface ModelPost {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** A redirect would send key and conversation to another address. */
  readonly redirect: "error";
}

/** What is read of a reply. */
interface CarriedReply {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** The same for what needs no more than that. */
export type ModelCarrier = (url: string, asked: ModelPost) => Promise<CarriedReply>;

export interface HttpModelOptions {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
  /** Called for each request, so that keys may change; never stored. */
  readonly key: () => string | null | Promise<string | null>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: ModelCarrier;
  /** False: the reply is not streamed; streamed if absent. */
  readonly stream?: boolean;
  /** Milliseconds of silence after which a reply counts as lost. */
  readonly silence?: number;
}

const SILENCE = 300_000;
const LONGEST_ERROR = 64 * 1024;
/** Milliseconds and bytes after the last event in which a reply may end by itself, so that its connection is used again. */
const [REST_TIME, REST_BYTES] = [1_000, 4_096];

/** A model at an HTTP address. */
export function createHttpModel(wire: ModelWire, options: HttpModelOptions): ModelClient {
  const { id, provider, silence = SILENCE } = options;
  return {
    id,
    provider,
    wire: wire.name,
    watch: wire.watch,
    async *stream(request, signal) {
      const watchdog = createWatchdog(silence, signal);
      let isRead = false;
      try {
        const response = await untilAborted(send(wire, options, request, watchdog.signal), watchdog.signal);
        watchdog.feed();
        for await (const event of readBody(wire, response, watchdog)) {
          const error = wire.errorIn(event);
          if (error !== undefined) throw fromErrorEvent(error, whereOf(options));
          yield event;
        }
        isRead = true;
      } catch (error) {
        signal.throwIfAborted();
        throw toModelError(error, whereOf(options), watchdog.signal.aborted ? silence : null);
      } finally {
        watchdog.end(isRead);
      }
    },
  };
}

async function send(
  wire: ModelWire,
  options: HttpModelOptions,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<CarriedReply> {
  const { id, baseUrl, key, headers = {}, fetch = globalThis.fetch, stream = true } = options;
  const response = await fetch(wire.url(baseUrl, id), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      ...wire.headers(await key()),
      ...headers,
    },
    body: toJsonText(stream ? wire.body(id, request) : { ...wire.body(id, request), ...WHOLE }),
    signal,
    redirect: "error",
  });
  if (response.ok) return response;
  throw fromStatus(response.status, await readError(response), retryAfterOf(response.headers), whereOf(options));
}

/** Fields that only streams have are removed with it. */
const WHOLE = { stream: false, stream_options: undefined };

function readBody(wire: ModelWire, { headers, body }: CarriedReply, watchdog: Watchdog): AsyncIterable<unknown> {
  const bytes = watched(body ?? NOTHING, watchdog);
  const isWhole = headers.get("content-type")?.includes("application/json");
  return isWhole ? readWhole(wire, bytes) : readServerSent(bytes);
}

async function* readWhole(wire: ModelWire, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  yield* wire.whole(await readJson(bytes));
}

const NOTHING: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

async function readJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return JSON.parse(text + decoder.decode());
}

/** A host's own carrier may ignore the signal, so waiting for the body must end by itself. */
function watched(body: AsyncIterable<Uint8Array>, watchdog: Watchdog): AsyncIterable<Uint8Array> {
  const { signal } = watchdog;
  const reading = body[Symbol.asyncIterator]();
  /** Tells who waits for a piece; one listener for all of them. */
  let giveUp = (_reason: unknown): void => {};
  const release = onAbort(signal, () => giveUp(signal.reason));
  const end = (isOver: boolean): void => {
    release();
    if (!isOver) void readRest(reading, watchdog);
  };
  const take = (step: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> => {
    if (step.done) end(true);
    else watchdog.feed();
    return step;
  };
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      signal.throwIfAborted();
      giveUp = reject;
      reading.next().then(resolve, reject);
    }).then(take, (error: unknown) => {
      end(false);
      throw error;
    });
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    end(false);
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
}

/** Behind the last event is only the end of the reply, and a connection that is cut before that is lost for the next request. */
async function readRest(reading: AsyncIterator<Uint8Array>, { stop }: Watchdog): Promise<void> {
  const late = setTimeout(stop, REST_TIME);
  try {
    for (let left = REST_BYTES; left > 0; ) {
      const { done, value } = await reading.next();
      if (done) return;
      left -= value.length;
    }
    stop();
  } catch {
    // Nobody wants it any more.
  } finally {
    clearTimeout(late);
  }
}

/** Only the beginning counts; the rest of a long page is not awaited. */
export async function readError(response: CarriedReply): Promise<string> {
  let text = "";
  try {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > LONGEST_ERROR) break;
    }
  } catch {}
  return text;
}

function retryAfterOf(headers: CarriedReply["headers"]): number | null {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const given = headers.get("retry-after");
  if (given === null) return null;
  const seconds = Number(given);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(given) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

function toModelError(error: unknown, where: string, silence: number | null): ModelError {
  if (error instanceof ModelError) return error;
  const text =
    silence === null
      ? `${where} cannot be reached: ${causeOf(error)}`
      : `${where} has said nothing for ${Math.round(silence / 1_000)} s`;
  return new ModelError(text, { isPassing: !LASTING.test(causeOf(error)), cause: error });
}

/** Nobody answers, or somebody else does: retrying would only keep the person waiting. */
const LASTING = /ECONNREFUSED|ENOTFOUND|redirect|certificate|Invalid URL/i;

/** `fetch failed` says nothing; its cause does. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
  return cause.message || code;
}

/** Who did not answer as asked, and at which address: a provider may be asked at several. */
export function whereOf({ provider, baseUrl }: Pick<HttpModelOptions, "provider" | "baseUrl">): string {
  return `${provider} at ${URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl}`;
}

interface Watchdog {
  readonly signal: AbortSignal;
  feed(): void;
  stop(): void;
  /** Ends the request, unless its reply was read: to abort one that is over costs as much as a good part of asking it. */
  end(isRead: boolean): void;
}

function createWatchdog(silence: number, given: AbortSignal): Watchdog {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(given.reason);
  if (given.aborted) onAbort();
  given.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => stop.abort(), silence);
  return {
    signal: stop.signal,
    feed: () => void timer.refresh(),
    stop: () => stop.abort(),
    end(isRead) {
      clearTimeout(timer);
      given.removeEventListener("abort", onAbort);
      if (!isRead) stop.abort();
    },
  };
}
