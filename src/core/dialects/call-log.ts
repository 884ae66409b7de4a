import { parseArguments } from "./json-value.ts";
import type { Names } from "./names.ts";
import { type StopReason, type StreamPart, toStop } from "./stream-part.ts";

export interface OpenCall {
  readonly id: string;
  readonly index: number;
  readonly toolName: string;
  state: "open" | "complete" | "dropped";
}

/** A call, and what is new about it: nothing if it was announced before. */
export interface Announced {
  readonly call: OpenCall;
  readonly parts: readonly StreamPart[];
}

/** The calls of one response, so that each is told once, in order, and none is left open at the end. */
export interface CallLog {
  /** Those that the provider gave this id, in order: some servers give one to several. */
  withId(id: string): readonly OpenCall[];
  /** Another call, whatever its id. */
  begin(id: string | null, name: string, namespace?: string | null): Announced;
  /**
   * Text is parsed; anything else is taken as parsed already. A call is told when all before it are complete or dropped:
   * where one call needs what another one does, their order is the model's, not that of the last piece of each.
   */
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

/** Behind the id of a call whose id another call had before, or looks as if it had; results leave it out again. */
const REPEATED = /~\d+$/;

export function toServerId(id: string): string {
  return id.replace(REPEATED, "");
}

export function createCallLog(names: Names): CallLog {
  const calls = new Map<string, OpenCall>();
  const byServerId = new Map<string, OpenCall[]>();
  /** What to tell of complete calls, in the order of all, and how many of all are told. */
  const inOrder: { readonly call: OpenCall; part: StreamPart | null }[] = [];
  let told = 0;
  let stopped = false;
  const tell = (): readonly StreamPart[] => {
    const parts: StreamPart[] = [];
    for (let next = inOrder[told]; next !== undefined && next.call.state !== "open"; next = inOrder[told]) {
      if (next.call.state === "complete" && next.part !== null) parts.push(next.part);
      next.part = null;
      told += 1;
    }
    return parts;
  };
  const drop: CallLog["drop"] = (which, reason) => {
    const gone = [...calls.values()].filter((call) => call.state !== "dropped" && which(call));
    for (const call of gone) call.state = "dropped";
    return gone.length === 0 ? [] : [{ type: "dropped", ids: gone.map(({ id }) => id), reason }, ...tell()];
  };
  const withId = (id: string): readonly OpenCall[] => byServerId.get(id) ?? [];
  const toFreshId = (given: string): string => {
    let fresh = REPEATED.test(given) ? `${given}~1` : given;
    for (let count = withId(given).length + 1; calls.has(fresh); count += 1) fresh = `${given}~${count}`;
    return fresh;
  };
  const begin: CallLog["begin"] = (given, name, namespace) => {
    const index = inOrder.length;
    const id = toFreshId(given ?? `${OWN_ID}${index}`);
    const call: OpenCall = { id, index, toolName: names.fromProvider(name, namespace), state: "open" };
    calls.set(id, call);
    inOrder.push({ call, part: null });
    if (given !== null) {
      const same = byServerId.get(given);
      if (same === undefined) byServerId.set(given, [call]);
      else same.push(call);
    }
    return { call, parts: [{ type: "call-start", index, id, toolName: call.toolName }] };
  };
  return {
    withId,
    begin,
    complete(call, args) {
      if (call.state !== "open") return [];
      call.state = "complete";
      const { id, index, toolName } = call;
      const parsed = typeof args === "string" ? parseArguments(args) : (args ?? {});
      const own = inOrder[index];
      if (own !== undefined)
        own.part = { type: "call", index, call: { id, toolName, arguments: names.restore(toolName, parsed) } };
      return tell();
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
