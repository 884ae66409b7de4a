import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { isTooDeep } from "../../../system/text/json-depth.ts";
import { ERROR } from "./protocol.ts";

export { isRecord as isObject };

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** A message from a client, by kind. */
export type Incoming =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Params }
  | { readonly kind: "notification"; readonly method: string; readonly params: Params }
  | { readonly kind: "response"; readonly id: RequestId; readonly answer: Answered }
  /** With the id to answer to, if there is one. */
  | { readonly kind: "invalid"; readonly id: RequestId | null; readonly text: string };

export type IncomingRequest = Extract<Incoming, { kind: "request" }>;

/** A client's answer to a question. */
type Answered =
  | { readonly kind: "result"; readonly result: Params }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/** How a request ends. A serialised result is sent as it is. */
export type ProtocolAnswer =
  | { readonly kind: "written"; readonly json: string }
  | { readonly kind: "result"; readonly result: Params }
  | Refusal;

export interface Refusal {
  readonly kind: "error";
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The parsed text, or why it cannot be parsed. */
export function parseMessage(text: string, what: "body" | "line"): { readonly value: unknown } | Refusal {
  if (isTooDeep(text)) return refuseRequest(ERROR.request, `the ${what} is nested too deep`);
  const value = parseJson(text);
  return value === undefined ? refuseRequest(ERROR.parse, `the ${what} is not JSON`) : { value };
}

const NO_PARAMS: Params = Object.freeze({});

export function sortIncoming(value: unknown): Incoming {
  if (!isRecord(value)) return { kind: "invalid", id: null, text: "the message is not an object" };
  const { id, method, params } = value;
  const known = isId(id) ? id : null;
  if (value.jsonrpc !== "2.0") return { kind: "invalid", id: known, text: 'the message is not JSON-RPC "2.0"' };
  if (typeof method === "string") {
    if (params !== undefined && !isRecord(params))
      return { kind: "invalid", id: known, text: "params is not an object" };
    if (id === undefined) return { kind: "notification", method, params: params ?? NO_PARAMS };
    if (known === null) return { kind: "invalid", id: null, text: "the id is neither a text nor a number" };
    return { kind: "request", id: known, method, params: params ?? NO_PARAMS };
  }
  if (known === null) return { kind: "invalid", id: null, text: "the message has neither a method nor an id" };
  const { result, error } = value;
  if (isRecord(result) && error === undefined)
    return { kind: "response", id: known, answer: { kind: "result", result } };
  if (isRecord(error) && result === undefined && typeof error.code === "number") {
    const message = typeof error.message === "string" ? error.message : "";
    const data = error.data === undefined ? {} : { data: error.data };
    return { kind: "response", id: known, answer: { kind: "error", code: error.code, message, ...data } };
  }
  return { kind: "invalid", id: known, text: "the message is neither a request nor an answer" };
}

export function refuseRequest(code: number, message: string, data?: unknown): Refusal {
  return { kind: "error", code, message, ...(data === undefined ? {} : { data }) };
}

export function invalidParams(message: string, data?: unknown): Refusal {
  return refuseRequest(ERROR.params, message, data);
}

/** The whole answer as text. */
export function writeAnswer(id: RequestId | null, answer: ProtocolAnswer): string {
  const head = `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)}`;
  switch (answer.kind) {
    case "written":
      return `${head},"result":${answer.json}}`;
    case "result":
      return `${head},"result":${JSON.stringify(answer.result)}}`;
    case "error": {
      const { code, message, data } = answer;
      return `${head},"error":${JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) })}}`;
    }
  }
}

export function writeNotification(method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

export function writeRequest(id: RequestId, method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

export function isId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}
