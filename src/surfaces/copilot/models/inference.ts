import type { Carrier } from "../../../runtime/models/http-model.ts";
import type { RuntimeState } from "../state/runtime-state.ts";
import type { ClientConnection } from "../wire/client-connection.ts";
import { type Json, recordOf } from "../wire/wire-values.ts";

/** Who asks, for the client that carries the request. */
export type Asker = Readonly<Record<string, string | undefined>>;

/** How a request travels. */
export type Transport = keyof typeof WAYS;

/** What differs between the ways in which a client carries a request. */
interface Way {
  /** Whether the body goes out before there is any answer: a client may want it before it answers to the head. */
  readonly isHasty: boolean;
  /** The request in the piece that is sent. */
  readonly toData: (body: string) => string;
  readonly toResponse: (body: ReadableStream<Uint8Array>, status: number, headers: Headers) => Response;
  readonly toBytes: (piece: Uint8Array) => Uint8Array;
  /** The reply is over with this piece, though nobody says so. */
  readonly isLast: (piece: Uint8Array) => boolean;
}

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

const HTTP: Way = {
  isHasty: true,
  toData: (body) => body,
  toResponse: (body, status, headers) => new Response(BODILESS.has(status) ? null : body, { status, headers }),
  toBytes: (piece) => piece,
  isLast: () => false,
};

/** Each message is one event, of which those in an HTTP stream are made; the socket is for one request. */
const WEBSOCKET: Way = {
  isHasty: false,
  toData: (body) => {
    const { stream: _, ...request } = recordOf(JSON.parse(body));
    return JSON.stringify({ type: "response.create", ...request });
  },
  toResponse: (body, status, headers) =>
    status === 101
      ? new Response(body, { headers: { "content-type": "text/event-stream" } })
      : HTTP.toResponse(body, status, headers),
  toBytes: (piece) => Buffer.from(`data: ${Buffer.from(piece).toString("utf8").replaceAll("\n", " ")}\n\n`),
  isLast: (piece) => LAST_EVENT.test(Buffer.from(piece).toString("utf8")),
};

const LAST_EVENT = /"type"\s*:\s*"(?:response\.(?:completed|failed|incomplete)|error)"/;

const WAYS = { http: HTTP, websocket: WEBSOCKET } as const;

/** Carries requests through the client that wants to; null where none does. */
export function carrierFor(server: RuntimeState, asker: Asker, transport: Transport = "http"): Carrier | null {
  const { inference } = server;
  if (inference === null) return null;
  const by = (way: Transport): Carrier => {
    return (url, init) => carry(server, inference, { transport: way, ...asker }, url, init, WAYS[way]);
  };
  if (transport === "http") return by("http");
  // A client that cannot open sockets may still carry the request.
  return (url, init) =>
    by("websocket")(url, init).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      return by("http")(url, init);
    });
}

async function carry(
  server: RuntimeState,
  connection: ClientConnection,
  about: Asker,
  url: string,
  { method = "GET", headers, body, signal }: RequestInit,
  way: Way,
): Promise<Response> {
  const requestId = server.around.newId();
  const { exchanges } = server;
  const fields = Object.fromEntries([...new Headers(headers)].map(([name, value]) => [name, [value.trim()]]));
  const lose = (error: unknown): void =>
    exchanges.get(requestId)?.end(error instanceof Error ? error.message : String(error));
  const send = (chunk: Json): void =>
    void connection.request("llmInference.httpRequestChunk", { requestId, data: "", ...chunk }).catch(lose);
  const sendBody = (): void =>
    send({ data: typeof body === "string" ? way.toData(body) : "", ...(way.isHasty ? { end: true } : {}) });
  const response = new Promise<Response>((resolve, reject) => {
    let isStarted = false;
    let pipe: ReadableStreamDefaultController<Uint8Array> | null = null;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        pipe = controller;
      },
    });
    exchanges.set(requestId, {
      carrier: connection,
      start(status, given) {
        isStarted = true;
        resolve(way.toResponse(stream, status, given));
        if (!way.isHasty) sendBody();
      },
      chunk(piece) {
        pipe?.enqueue(way.toBytes(piece));
        if (!way.isLast(piece)) return;
        exchanges.get(requestId)?.end(null);
        send({ end: true });
      },
      end(problem) {
        exchanges.delete(requestId);
        if (problem === null) pipe?.close();
        else if (isStarted) pipe?.error(new Error(problem));
        else reject(new Error(problem));
      },
    });
  });
  response.catch(() => {});
  const cancel = (): void => {
    if (!exchanges.has(requestId)) return;
    exchanges.get(requestId)?.end("the request was given up");
    send({ cancel: true, end: true });
  };
  signal?.addEventListener("abort", cancel, { once: true });
  connection
    .request("llmInference.httpRequestStart", { requestId, method, url, headers: fields, ...about })
    .catch(lose);
  if (way.isHasty) sendBody();
  return response;
}
