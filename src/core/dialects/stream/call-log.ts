import { parseArguments } from "../../shape/json-value.ts";
import type { Names } from "../tools/names.ts";
import { type StopReason, type StreamPart, toStop } from "./stream-part.ts";

export interface OpenCall {
  readonly id: string;
  readonly index: number;
  readonly toolName: string;
  state: "open" | "complete" | "dropped";
}

/** A call, and the parts to emit for it: none if it was announced before. */
export interface Announced {
  readonly call: OpenCall;
  readonly parts: readonly StreamPart[];
}

/** The calls of one response: each is emitted once, in order, and none is left open at the end. */
export interface CallLog {
  /** Calls with this provider id, in order: some servers give one id to several calls. */
  withId(id: string): readonly OpenCall[];
  /** Begins a new call, whatever its id. */
  begin(id: string | null, name: string, namespace?: string | null): Announced;
  /**
   * Parses text; anything else counts as parsed. A call is emitted once all calls before it are complete or dropped:
   * dependent calls must keep the model's order, not the order in which their last pieces arrived.
   */
  complete(call: OpenCall, args: unknown): readonly StreamPart[];
  drop(which: (call: OpenCall) => boolean, reason: "fallback" | "replaced" | "incomplete"): readonly StreamPart[];
  /** Drops what is still open, then emits the stop. A second stop emits nothing. */
  stop(reason: StopReason, raw: string | null): readonly StreamPart[];
}

/** Prefix of ids made for providers that give none; removed again in results. */
const OWN_ID = "toolcrib_call_";

export function isOwnId(id: string): boolean {
  return id.startsWith(OWN_ID);
}

/** Suffix that makes a repeated id unique; removed again in results. */
const REPEATED = /~\d+$/;

export function toServerId(id: string): string {
  return id.replace(REPEATED, "");
}

export function createCallLog(names: Names): CallLog {
  const calls = new Map<string, OpenCall>();
  const byServerId = new Map<string, OpenCall[]>();
  /** Parts of complete calls in the order of all calls, and how many were emitted. */
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
