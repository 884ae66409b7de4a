import type { Carrier } from "../../runtime/models/http-model.ts";
import type { ClientConnection } from "./connection.ts";
import type { RuntimeState } from "./live.ts";
import type { Method } from "./method.ts";
import { type Json, numberOf, recordOf, textOf, textsOf } from "./wire-values.ts";

/** A request to a model that a client carries, and what has come back so far. */
interface Exchange {
  start(status: number, headers: Headers): void;
  chunk(bytes: Uint8Array): void;
  end(problem: string | null): void;
}

const open = new WeakMap<RuntimeState, Map<string, Exchange>>();

function exchangesOf(server: RuntimeState): Map<string, Exchange> {
  const known = open.get(server) ?? new Map<string, Exchange>();
  open.set(server, known);
  return known;
}

/** A client that carries requests to models answers them in pieces. */
export const INFERENCE_METHODS: Readonly<Record<string, Method>> = {
  "llmInference.setProvider": ({ server, connection }) => {
    if (server.inference !== null && server.inference !== connection)
      throw new Error("another client carries requests to models already");
    server.inference = connection;
    return { success: true };
  },
  "llmInference.httpResponseStart": ({ server, params }) => {
    const exchange = exchangesOf(server).get(String(params.requestId));
    exchange?.start(numberOf(params.status) ?? 500, toHeaders(recordOf(params.headers)));
    return { accepted: exchange !== undefined };
  },
  "llmInference.httpResponseChunk": ({ server, params }) => {
    const { requestId, data, binary, end, error } = params;
    const exchange = exchangesOf(server).get(String(requestId));
    const text = textOf(data) ?? "";
    if (text !== "") exchange?.chunk(Buffer.from(text, binary === true ? "base64" : "utf8"));
    if (error !== undefined) exchange?.end(textOf(recordOf(error).message) ?? "the client could not carry the request");
    else if (end === true) exchange?.end(null);
    return { accepted: exchange !== undefined };
  },
};

function toHeaders(given: Json): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? textsOf(value) : [String(value)]) headers.append(name, one);
  return headers;
}

/** Who asks, for the client that carries the request. */
export type Asker = Readonly<Record<string, string | undefined>>;

/** Carries requests through the client that wants to; null where none does. */
export function carrierFor(server: RuntimeState, asker: Asker): Carrier | null {
  const { inference } = server;
  if (inference === null) return null;
  return (url, init) => carry(server, inference, asker, url, init);
}

async function carry(
  server: RuntimeState,
  connection: ClientConnection,
  asker: Asker,
  url: string,
  { method = "GET", headers, body, signal }: RequestInit,
): Promise<Response> {
  const requestId = server.around.newId();
  const exchanges = exchangesOf(server);
  const fields = Object.fromEntries([...new Headers(headers)].map(([name, value]) => [name, [value.trim()]]));
  const response = new Promise<Response>((resolve, reject) => {
    let isStarted = false;
    let pipe: ReadableStreamDefaultController<Uint8Array> | null = null;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        pipe = controller;
      },
    });
    exchanges.set(requestId, {
      start(status, given) {
        isStarted = true;
        const isBare = status === 204 || status === 304;
        resolve(new Response(isBare ? null : stream, { status, headers: given }));
      },
      chunk: (bytes) => pipe?.enqueue(bytes),
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
    exchanges.get(requestId)?.end("the request was given up");
    connection
      .request("llmInference.httpRequestChunk", { requestId, data: "", cancel: true, end: true })
      .catch(() => {});
  };
  signal?.addEventListener("abort", cancel, { once: true });
  const about = { requestId, method, url, headers: fields, transport: "http", ...asker };
  const lose = (error: unknown): void =>
    exchanges.get(requestId)?.end(error instanceof Error ? error.message : String(error));
  // Both go out at once: a client may want the body before it answers to the head.
  connection.request("llmInference.httpRequestStart", about).catch(lose);
  connection
    .request("llmInference.httpRequestChunk", { requestId, data: typeof body === "string" ? body : "", end: true })
    .catch(lose);
  return response;
}
