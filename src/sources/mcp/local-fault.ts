import type { ErrorCode } from "../../core/codes/codes.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { MessageId } from "../../system/rpc/message-id.ts";

/** A failure of one request that was detected on this side of the connection. */
export interface LocalFault {
  readonly code: ErrorCode;
  readonly text: string;
}

/** Recognised by identity: a server can send the same text, and is not believed. */
const made = new WeakMap<object, LocalFault>();

/** The answer that the protocol client gets instead of the real one. */
export function toFaultAnswer(id: MessageId, fault: LocalFault): Record<string, unknown> {
  const { code, text } = fault;
  const data = { code, text };
  made.set(data, fault);
  return { jsonrpc: "2.0", id, error: { code: -32000, message: text, data } };
}

/** The fault that caused an error of the protocol client; null if the server itself answered with that error. */
export function localFaultOf(error: unknown): LocalFault | null {
  if (!(error instanceof Error) || !("data" in error)) return null;
  const { data } = error;
  return isRecord(data) ? (made.get(data) ?? null) : null;
}
