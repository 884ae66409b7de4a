import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ErrorCode } from "../../../core/codes/codes.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { ApiError } from "./api.ts";

/** Answers are for one reader, are not pages, and are never cached. */
const PRIVATE = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers?: OutgoingHttpHeaders,
): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    ...PRIVATE,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

export function sendText(response: ServerResponse, text: string, type: string): void {
  response.writeHead(200, { ...PRIVATE, "content-type": type, "content-length": Buffer.byteLength(text) });
  response.end(text);
}

export function sendNothing(response: ServerResponse): void {
  response.writeHead(204, PRIVATE);
  response.end();
}

/** A refusal with its status. */
export class HttpRefusal extends ToolcribError {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;

  constructor(status: number, code: ErrorCode, text: string, headers: OutgoingHttpHeaders = {}) {
    super(code, text);
    this.status = status;
    this.headers = headers;
  }
}

export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, headers, told } = toTold(error);
  sendJson(response, status, told, headers);
}

/** Codes whose status is not the default for a request that cannot be carried out. */
const STATUS: ReadonlyMap<string, number> = new Map([
  ["tool.not-found", 404],
  ["server.unknown", 404],
  ["http.not-found", 404],
  ["approval.lost", 410],
  ["approval.not-theirs", 403],
  ["people.issuer-away", 503],
  ["store.unavailable", 503],
]);

function toTold(error: unknown): { status: number; headers: OutgoingHttpHeaders; told: ApiError } {
  if (!isToolcribError(error) || error.code === "internal.bug") {
    return { status: 500, headers: {}, told: { error: { code: "internal.bug", text: "something went wrong inside" } } };
  }
  const { code, message: text, names } = error;
  const told = { error: { code, text, ...(names.length === 0 ? {} : { names }) } };
  if (error instanceof HttpRefusal) return { status: error.status, headers: error.headers, told };
  return { status: STATUS.get(code) ?? 422, headers: {}, told };
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/** A decoded name; one that is malformed is none. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpRefusal(400, "http.invalid-request", "the address is not properly encoded");
  }
}
