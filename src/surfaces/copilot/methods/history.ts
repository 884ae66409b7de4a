import { sizeOf } from "../models/model-state.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { type CopilotEvent, cutLog, type EventLog } from "../state/event-log.ts";
import { emit, emitPassing, registerInterest } from "../state/session-core.ts";
import { askAside } from "../turns/wait-for-turn.ts";
import { type Json, numberOf, textOf, textsOf } from "../wire/wire-values.ts";
import type { SessionMethod } from "./method.ts";

/** What was said: shortened, cut, read again. */
export const HISTORY_METHODS: Readonly<Record<string, SessionMethod>> = {
  "history.compact": async (live) => {
    const { log } = live.events;
    const before = sizeOf(live.models).all;
    const messages = log.filter(({ type }) => type === "user.message" || type === "assistant.message").length;
    const success = await compact(live);
    const { summaryContent } = log.findLast(({ type }) => type === "session.compaction_complete")?.data ?? {};
    return {
      success,
      tokensRemoved: success ? Math.ceil(before / 4) : 0,
      messagesRemoved: success ? messages : 0,
      ...(typeof summaryContent === "string" ? { summaryContent } : {}),
    };
  },
  "history.truncate": async ({ core, events, turns }, { eventId }) => {
    const at = events.log.findIndex(({ id }) => id === eventId);
    if (at < 0) throw new Error(`Event not found: ${String(eventId)}`);
    await turns.running;
    const eventsRemoved = cutLog(events, at).length;
    await core.session.truncate(events.places.get(String(eventId)) ?? 0);
    emitPassing(core, "session.snapshot_rewind", { upToEventId: eventId, eventsRemoved });
    return { eventsRemoved };
  },
  "history.summarizeForHandoff": async (live, _params, { signal }) => {
    const isEmpty = (await live.core.session.history()).length === 0;
    return { summary: isEmpty ? "" : await askAside(live, HANDOFF, signal) };
  },
  // A compaction that nobody asked for is part of a turn, and ends with that.
  "history.cancelBackgroundCompaction": () => ({ cancelled: false }),
  "history.abortManualCompaction": ({ turns: { compacting } }) => {
    compacting?.abort(new Error("the compaction was aborted"));
    return { aborted: compacting !== null };
  },
  "eventLog.read": async ({ core, events }, params, { signal }) => {
    await core.session.stored();
    return readLog(events, params, signal);
  },
  "eventLog.tail": async ({ core, events }) => {
    await core.session.stored();
    return { cursor: String(events.last) };
  },
  "eventLog.registerInterest": ({ core }, { eventType }, { connection }) => ({
    handle: registerInterest(core, connection, eventType),
  }),
  "eventLog.releaseInterest": ({ core }, { handle }) => {
    core.interests.delete(String(handle));
    return { success: true };
  },
};

const STARTED = "session.compaction_start";

const HANDOFF =
  "Summarize this conversation in Markdown for somebody who takes the work over: what the user wants, what was done, what is left, and facts worth keeping.";

/** As a client asked for it, which can also end it. */
async function compact({ core, events, turns }: ClientSession): Promise<boolean> {
  if (turns.compacting !== null) throw new Error("a compaction goes on already");
  const controller = new AbortController();
  turns.compacting = controller;
  try {
    return await core.session.compact(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    const isBegun = events.log.findLast(({ type }) => type.startsWith("session.compaction_"))?.type === STARTED;
    if (isBegun) emit(core, "session.compaction_complete", { success: false, trigger: "manual", error: "aborted" });
    return false;
  } finally {
    turns.compacting = null;
  }
}

async function readLog(events: EventLog, params: Json, signal: AbortSignal): Promise<Json> {
  const cursor = textOf(params.cursor);
  const types = params.types === undefined || params.types === "*" ? null : new Set(textsOf(params.types));
  const most = numberOf(params.max) ?? 200;
  const isWanted = ({ type }: CopilotEvent): boolean => types?.has(type) ?? true;
  if (cursor === undefined) return readStored(events, isWanted, most);
  const from = Number(cursor);
  const find = () => events.ring.filter(({ at, event }) => at > from && isWanted(event));
  if (find().length === 0) await changed(events, numberOf(params.waitMs) ?? 0, () => find().length > 0, signal);
  const found = find();
  const shown = found.slice(0, most);
  const hasMore = found.length > most;
  // What is read next follows what was shown, or all there is where nothing more is wanted.
  const next = hasMore ? (shown.at(-1)?.at ?? from) : events.last;
  const isLost = from + 1 < (events.ring[0]?.at ?? 0);
  return {
    events: shown.map(({ event }) => event),
    ...{ cursor: String(next), hasMore, cursorStatus: isLost ? "expired" : "ok" },
  };
}

/** From the beginning there is what is stored; what passed can only be read behind a cursor. */
function readStored(
  { log, ring, last: newest }: EventLog,
  isWanted: (event: CopilotEvent) => boolean,
  most: number,
): Json {
  const found = log.filter(isWanted);
  const events = found.slice(0, most);
  const hasMore = found.length > most;
  const last = events.at(-1);
  const at = hasMore ? ring.find(({ event }) => event.id === last?.id)?.at : newest;
  return { events, cursor: String(at ?? newest), hasMore, cursorStatus: "ok" };
}

/** Waits until something is there, or long enough. */
function changed({ waiting }: EventLog, wait: number, isThere: () => boolean, signal: AbortSignal): Promise<void> {
  if (wait <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      waiting.delete(look);
      clearTimeout(timer);
      resolve();
    };
    const look = (): void => (isThere() ? end() : undefined);
    const timer = setTimeout(end, Math.min(wait, 60_000));
    waiting.add(look);
    signal.addEventListener("abort", end, { once: true });
  });
}
