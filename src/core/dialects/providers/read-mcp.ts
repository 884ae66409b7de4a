import { objectOf } from "../../shape/json-value.ts";
import { createCallLog, toServerId } from "../stream/call-log.ts";
import type { StreamReader } from "../stream/stream-part.ts";
import type { Names } from "../tools/names.ts";

/** JSON-RPC messages of a client: each `tools/call` is a separate call, confirmed on arrival. */
export function createMcpReader(names: Names): StreamReader {
  const log = createCallLog(names);
  return {
    push(message) {
      const { method, id, params } = objectOf(message);
      if (method !== "tools/call" || id === undefined) return [];
      const { name, arguments: args } = objectOf(params);
      const { call, parts } = log.begin(toCallId(id), String(name));
      return [...parts, ...log.complete(call, args)];
    },
    end: (failed) => log.stop(failed ? "error" : "end", null),
  };
}

/** The number 1 and the text "1" are different ids. */
function toCallId(id: unknown): string {
  return JSON.stringify(id);
}

export function toRequestId(callId: string): string | number {
  const id: unknown = JSON.parse(toServerId(callId));
  return typeof id === "number" ? id : String(id);
}
