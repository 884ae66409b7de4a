import type { SessionEvent } from "../../../core/events/envelope.ts";
import { cutCopy } from "../api/shown-value.ts";
import {
  NO_USAGE,
  type NotedAgent,
  type NotedCall,
  type NotedEntry,
  type NotedTurn,
  type Unplaced,
} from "./run-parts.ts";

/** The messages and calls of one session that talks to a model, as far as a page shows them. */
export interface RunRecord {
  readonly id: string;
  readonly label: string;
  readonly started: number;
  changed: number;
  prompt: string;
  model: string | null;
  isRunning: boolean;
  stopReason: string | null;
  error: string | null;
  calls: number;
  /** By id; the session's own under null. */
  readonly agents: Map<string | null, NotedAgent>;
  readonly entries: NotedEntry[];
  isCut: boolean;
}

export type RunTurn = NotedEntry & NotedTurn;

/** A record, and how to write into it. */
export interface RunBook {
  readonly record: RunRecord;
  /** Records that an entry changed, and by how many characters it grew. */
  touch(entry: NotedEntry, more?: number): void;
  add(event: SessionEvent, given: Unplaced, size: number): NotedEntry;
  remark(event: SessionEvent, text: string, tone?: "plain" | "warn" | "bad"): true;
  /** A new request of the agent in which the event happened. */
  begin(event: SessionEvent): RunTurn;
  /** The request that the event belongs to. */
  turnOf(event: SessionEvent): RunTurn;
  /** The call of that id with its entry; created if it is new. Null if there are too many. */
  open(event: SessionEvent, id: string, tool: string, parent?: string | null): PlacedCall | null;
  find(callId: string): PlacedCall | null;
}

interface PlacedCall {
  readonly call: NotedCall;
  readonly entry: NotedEntry;
}

/** Bounds on what is recorded of one run: the rest is in the stored session. */
export const MOST = {
  entries: 300,
  characters: 300_000,
  text: 20_000,
  said: 8_000,
  calls: 60,
  agents: 200,
  name: 200,
} as const;
/** Characters that a call takes in addition to its arguments and result. */
const CALL_SIZE = 200;

export function createRunBook(id: string, label: string, at: number): RunBook {
  const record: RunRecord = {
    ...{ id, label, started: at, changed: at, prompt: "", model: null, isRunning: false, stopReason: null },
    ...{
      error: null,
      calls: 0,
      agents: new Map([[null, newAgent(null, "main", null, at)]]),
      entries: [],
      isCut: false,
    },
  };
  const turns = new Map<string | null, RunTurn>();
  const calls = new Map<string, PlacedCall>();
  const gone = new WeakSet<NotedEntry>();
  let keys = 0;
  let characters = 0;
  const touch = (entry: NotedEntry, more = 0): void => {
    entry.version += 1;
    entry.size += more;
    if (!gone.has(entry)) characters += more;
  };
  const trim = (): void => {
    while (record.entries.length > MOST.entries || (characters > MOST.characters && record.entries.length > 1)) {
      const [oldest] = record.entries.splice(0, 1);
      if (oldest === undefined) return;
      gone.add(oldest);
      characters -= oldest.size;
      record.isCut = true;
      for (const [callId, { entry }] of calls) if (entry === oldest) calls.delete(callId);
    }
  };
  const add = (event: SessionEvent, given: Unplaced, size: number): NotedEntry => {
    keys += 1;
    const entry: NotedEntry = { ...given, key: keys, at: event.at, agent: event.agent, version: 0, size: 0 };
    record.entries.push(entry);
    touch(entry, size);
    trim();
    return entry;
  };
  const begin = (event: SessionEvent): RunTurn => {
    const number = (turns.get(event.agent)?.number ?? 0) + 1;
    const turn = add(event, newTurn(number), 0) as RunTurn; // What was given is one.
    turns.set(event.agent, turn);
    return turn;
  };
  const turnOf = (event: SessionEvent): RunTurn => turns.get(event.agent) ?? begin(event);
  const find = (callId: string): PlacedCall | null => calls.get(callId) ?? null;
  return {
    ...{ record, touch, add, begin, turnOf, find },
    remark(event, text, tone = "plain") {
      const kept = cutCopy(text, MOST.said);
      add(event, { kind: "note", tone, text: kept }, kept.length);
      return true;
    },
    open(event, callId, tool, parentId = null) {
      const known = find(callId);
      if (known !== null) {
        touch(known.entry);
        return known;
      }
      const parent = parentId === null ? null : find(parentId);
      const turn = turnOf(event);
      const entry = parent?.entry ?? turn;
      const siblings = parent?.call.inside ?? turn.calls;
      record.calls += 1;
      if (siblings.length >= MOST.calls) {
        turn.hiddenCalls += 1;
        touch(turn);
        return null;
      }
      const placed = { call: newCall(callId, cutCopy(tool, MOST.name), event.at), entry };
      siblings.push(placed.call);
      calls.set(callId, placed);
      touch(entry, CALL_SIZE);
      return placed;
    },
  };
}

export function newAgent(id: string | null, name: string, parent: string | null, started: number): NotedAgent {
  return {
    ...{ id, name, parent, description: "", state: "running", mode: "wait", team: null, started, ended: null },
    ...{ error: null, used: NO_USAGE },
  };
}

function newTurn(number: number): NotedTurn {
  return {
    ...{ kind: "turn", number, model: null, text: "", hidden: 0, thoughts: "", isStreaming: true, used: null },
    ...{ calls: [], hiddenCalls: 0 },
  };
}

function newCall(id: string, tool: string, started: number): NotedCall {
  return {
    ...{ id, started, tool, arguments: null, duration: null, state: "judging", progress: null, result: null },
    ...{ line: null, agent: null, inside: [] },
  };
}
