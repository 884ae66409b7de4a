import type { Era } from "../../../sources/peer.ts";
import { isObject, type Params, type ProtocolAnswer } from "./json-rpc.ts";
import { META } from "./protocol.ts";

/** Results that say how long they may be cached (2026-07-28). What one client gets is never shared with another. */
const CACHEABLE: ReadonlySet<string> = new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "server/discover",
]);

/** The server's identity, which every result of the newer protocol may carry. */
export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** Adds to an answer what its era requires, and removes what only the other one knows. */
export function finishAnswer(era: Era, method: string, answer: ProtocolAnswer, server: ServerInfo): ProtocolAnswer {
  if (answer.kind !== "result") return answer;
  const result = era === "legacy" ? toLegacy(answer.result) : toModern(method, answer.result, server);
  return result === answer.result ? answer : { kind: "result", result };
}

function toLegacy(result: Params): Params {
  if (!("resultType" in result) && !("ttlMs" in result) && !("cacheScope" in result)) return result;
  const { resultType: _, ttlMs: __, cacheScope: ___, ...rest } = result;
  return rest;
}

function toModern(method: string, result: Params, server: ServerInfo): Params {
  const meta = result._meta;
  const caching = CACHEABLE.has(method) && result.resultType !== "input_required" ? toCaching(result) : {};
  return {
    ...result,
    resultType: result.resultType ?? "complete",
    ...caching,
    _meta: isObject(meta) ? { [META.server]: server, ...meta } : { [META.server]: server },
  };
}

function toCaching({ ttlMs }: Params): Params {
  const isValid = typeof ttlMs === "number" && Number.isSafeInteger(ttlMs) && ttlMs >= 0;
  return { ttlMs: isValid ? ttlMs : 0, cacheScope: "private" };
}
