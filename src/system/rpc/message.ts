import { isRecord } from "../../core/shape/is-record.ts";
import { isMessageId, type MessageId } from "./message-id.ts";

type Params = Readonly<Record<string, unknown>>;

/** A JSON-RPC message by its kind. Checked only as far as needed to tell the kind. */
export type Inbound =
  /** Well formed: with either an object as result or a complete error. */
  | { readonly kind: "answer"; readonly id: MessageId; readonly wellFormed: boolean }
  | { readonly kind: "request"; readonly id: MessageId; readonly method: string; readonly params: Params }
  | { readonly kind: "notification"; readonly method: string; readonly params: Params }
  | { readonly kind: "junk" };

const JUNK: Inbound = { kind: "junk" };

export function sortMessage(value: unknown): Inbound {
  if (!isRecord(value) || value.jsonrpc !== "2.0") return JUNK;
  const { id, method } = value;
  if (typeof method === "string") {
    const params = isRecord(value.params) ? value.params : {};
    if (id === undefined || id === null) return { kind: "notification", method, params };
    return isMessageId(id) ? { kind: "request", id, method, params } : JUNK;
  }
  if (!isMessageId(id)) return JUNK;
  const hasResult = isRecord(value.result);
  const hasError =
    isRecord(value.error) && Number.isSafeInteger(value.error.code) && typeof value.error.message === "string";
  return { kind: "answer", id, wellFormed: hasResult !== hasError };
}
