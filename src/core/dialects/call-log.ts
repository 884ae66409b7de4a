import { parseArguments } from "./json-value.ts";
import type { Names } from "./names.ts";
import { type StopReason, type StreamPart, toStop } from "./stream-part.ts";

export interface OpenCall {
  readonly id: string;
  readonly index: number;
  readonly toolName: string;
  state: "open" | "complete" | "dropped";
}

/** The calls of one response, so that each is told once, in order, and none is left open at the end. */
export interface CallLog {
  has(id: string): boolean;
  /** `parts` is empty for a call that was announced before. */
  announce(
    id: string | null,
    name: string,
    namespace?: string | null,
  ): { call: OpenCall; parts: readonly StreamPart[] };
  /** Text is parsed; anything else is taken as parsed already. */
  complete(call: OpenCall, args: unknown): readonly StreamPart[];
  drop(which: (call: OpenCall) => boolean, reason: "fallback" | "replaced" | "incomplete"): readonly StreamPart[];
  /** Drops what is still open, then says why the model stopped. Twice says nothing. */
  stop(reason: StopReason, raw: string | null): readonly StreamPart[];
}

/** Ids for providers that give none; results leave them out again. */
const OWN_ID = "toolcrib_call_";

export function isOwnId(id: string): boolean {
  return id.startsWith(OWN_ID);
}

export function createCallLog(names: Names): CallLog {
  const calls = new Map<string, OpenCall>();
  let stopped = false;
  const drop: CallLog["drop"] = (which, reason) => {
    const gone = [...calls.values()].filter((call) => call.state !== "dropped" && which(call));
    for (const call of gone) call.state = "dropped";
    return gone.length === 0 ? [] : [{ type: "dropped", ids: gone.map(({ id }) => id), reason }];
  };
  return {
    has: (id) => calls.has(id),
    announce(given, name, namespace) {
      const known = given === null ? undefined : calls.get(given);
      if (known !== undefined) return { call: known, parts: [] };
      const index = calls.size;
      const id = given ?? `${OWN_ID}${index}`;
      const call: OpenCall = { id, index, toolName: names.fromProvider(name, namespace), state: "open" };
      calls.set(id, call);
      return { call, parts: [{ type: "call-start", index, id, toolName: call.toolName }] };
    },
    complete(call, args) {
      if (call.state !== "open") return [];
      call.state = "complete";
      const { id, index, toolName } = call;
      const parsed = typeof args === "string" ? parseArguments(args) : (args ?? {});
      return [{ type: "call", index, call: { id, toolName, arguments: names.restore(toolName, parsed) } }];
    },
    drop,
    stop(reason, raw) {
      if (stopped) return [];
      stopped = true;
      const left = drop(({ state }) => state === "open", "incomplete");
      const called = [...calls.values()].some(({ state }) => state === "complete");
      return [...left, toStop(reason === "end" && called ? "calls" : reason, raw)];
    },
  };
}
