import { isRecord } from "../../core/shape/is-record.ts";
import type { MessageId } from "./message-id.ts";

/** A JSON-RPC message, sorted by what it is. Only as much is checked as is needed to sort it. */
export type Inbound =
  | { readonly kind: "answer"; readonly id: MessageId; readonly wellFormed: boolean }
  | { readonly kind: "request"; readonly id: MessageId; readonly method: string }
  | { readonly kind: "notification"; readonly method: string; readonly params: Readonly<Record<string, unknown>> }
  | { readonly kind: "junk" };

const JUNK: Inbound = { kind: "junk" };

export function sortMessage(value: unknown): Inbound {
  if (!isRecord(value) || value.jsonrpc !== "2.0") return JUNK;
  const { id, method } = value;
  if (typeof method === "string") {
    if (id !== undefined) return isId(id) ? { kind: "request", id, method } : JUNK;
    return { kind: "notification", method, params: isRecord(value.params) ? value.params : {} };
  }
  if (!isId(id)) return JUNK;
  const hasResult = isRecord(value.result);
  const hasError =
    isRecord(value.error) && Number.isSafeInteger(value.error.code) && typeof value.error.message === "string";
  return { kind: "answer", id, wellFormed: hasResult !== hasError };
}

function isId(value: unknown): value is MessageId {
  return typeof value === "string" || typeof value === "number";
}
