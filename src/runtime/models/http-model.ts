import { untilAborted } from "../../system/time/until-aborted.ts";
import type { ModelClient, ModelRequest } from "./model.ts";
import { fromErrorEvent, fromStatus, ModelError } from "./model-error.ts";
import { readServerSent } from "./read-server-sent.ts";
import type { ModelWire } from "./wire.ts";

/** Sends one request to a provider; a host may bring its own. */
export type Carrier = (url: string, init: RequestInit) => Promise<Response>;

export interface HttpModelOptions {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
  /** Called for each request, so that keys may change; never stored. */
  readonly key: () => string | null | Promise<string | null>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: Carrier;
  /** False: the reply is not streamed; streamed if absent. */
  readonly stream?: boolean;
  /** Milliseconds of silence after which a reply counts as lost. */
  readonly silence?: number;
}

const SILENCE = 300_000;
const LONGEST_ERROR = 64 * 1024;

/** A model at an HTTP address. */
export function createHttpModel(wire: ModelWire, options: HttpModelOptions): ModelClient {
  const { id, provider, silence = SILENCE } = options;
  const where = whereOf(options);
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
          if (error !== undefined) throw fromErrorEvent(error, where);
          yield event;
        }
        isRead = true;
      } catch (error) {
        signal.throwIfAborted();
        throw toModelError(error, where, watchdog.signal.aborted ? silence : null);
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
): Promise<Response> {
  const { id, baseUrl, key, headers = {}, fetch = globalThis.fetch, stream = true } = options;
  const response = await fetch(wire.url(baseUrl, id), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: stream ? "text/event-stream" : "application/json",
      ...wire.headers(await key()),
      ...headers,
    },
    body: JSON.stringify(stream ? wire.body(id, request) : { ...wire.body(id, request), ...WHOLE }),
    signal,
    // A redirect would send key and conversation to another address.
    redirect: "error",
  });
  if (response.ok) return response;
  throw fromStatus(response.status, await readError(response), retryAfterOf(response.headers), whereOf(options));
}

/** Fields that only streams have are removed with it. */
const WHOLE = { stream: false, stream_options: undefined };

async function* readBody(
  wire: ModelWire,
  response: Response,
  watchdog: Watchdog,
): AsyncGenerator<unknown, void, undefined> {
  if (response.headers.get("content-type")?.includes("application/json")) {
    yield* wire.whole(await untilAborted(response.json(), watchdog.signal));
    return;
  }
  if (response.body === null) return;
  yield* readServerSent(watched(response.body.getReader(), watchdog));
}

/** A host's own carrier may ignore the signal, so waiting for the body must end by itself. */
async function* watched(
  body: ReadableStreamDefaultReader<Uint8Array>,
  { signal, feed }: Watchdog,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isOver = false;
  try {
    while (!isOver) {
      const { done, value } = await untilAborted(body.read(), signal);
      isOver = done;
      feed();
      if (value !== undefined) yield value;
    }
  } finally {
    if (!isOver) void body.cancel().catch(() => {});
  }
}

/** Only the beginning counts; the rest of a long page is not awaited. */
async function readError(response: Response): Promise<string> {
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

function retryAfterOf(headers: Headers): number | null {
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
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
  return cause.message || code;
}

/** Who did not answer as asked, and at which address: a provider may be asked at several. */
function whereOf({ provider, baseUrl }: HttpModelOptions): string {
  return `${provider} at ${URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl}`;
}

interface Watchdog {
  readonly signal: AbortSignal;
  feed(): void;
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
    end(isRead) {
      clearTimeout(timer);
      given.removeEventListener("abort", onAbort);
      if (!isRead) stop.abort();
    },
  };
}
