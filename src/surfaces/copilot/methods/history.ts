import { registerInterest, releaseInterest } from "../clients/interests.ts";
import { cutLog } from "../events/event-log.ts";
import type { SessionMethod } from "../method.ts";
import type { ModelRoute } from "../models/model-route.ts";
import { sizeOf } from "../models/request-size.ts";
import type { Live } from "../state/live.ts";
import { tell, tellPassing } from "../state/live.ts";
import { askAside } from "../turns/ask-aside.ts";
import { waitersOf } from "../turns/wait-for-turn.ts";
import type { CopilotEvent } from "../wire/copilot-event.ts";
import { type Json, numberOf, textOf, textsOf } from "../wire/wire-values.ts";

/** What was said: shortened, cut, read again. */
export const HISTORY_METHODS: Readonly<Record<string, SessionMethod>> = {
  "history.compact": async (live) => {
    const before = sizeOf(live.size).all;
    const messages = live.log.filter(({ type }) => type === "user.message" || type === "assistant.message").length;
    const success = await compact(live);
    const { summaryContent } = live.log.findLast(({ type }) => type === "session.compaction_complete")?.data ?? {};
    return {
      success,
      tokensRemoved: success ? Math.ceil(before / 4) : 0,
      messagesRemoved: success ? messages : 0,
      ...(typeof summaryContent === "string" ? { summaryContent } : {}),
    };
  },
  "history.truncate": async (live, { eventId }) => {
    const at = live.log.findIndex(({ id }) => id === eventId);
    if (at < 0) throw new Error(`Event not found: ${String(eventId)}`);
    await live.idle;
    const removed = cutLog(live, at).length;
    await live.session.truncate(live.places.get(String(eventId)) ?? 0);
    tellPassing(live, "session.snapshot_rewind", { upToEventId: eventId, eventsRemoved: removed });
    return { eventsRemoved: removed };
  },
  "history.summarizeForHandoff": async (live, _params, { signal }) => {
    const isEmpty = (await live.session.history()).length === 0;
    return { summary: isEmpty ? "" : await askAside(live, HANDOFF, signal) };
  },
  // A compaction that nobody asked for is part of a turn, and ends with that.
  "history.cancelBackgroundCompaction": () => ({ cancelled: false }),
  "history.abortManualCompaction": (live) => {
    const running = live.facts.get(COMPACTING) as AbortController | undefined;
    running?.abort(new Error("the compaction was aborted"));
    return { aborted: running !== undefined };
  },
  "eventLog.read": (live, params, { signal }) => readLog(live, params, signal),
  "eventLog.tail": async (live) => {
    await live.session.stored();
    return { cursor: String(live.heard) };
  },
  "eventLog.registerInterest": (live, { eventType }, { connection }) => ({
    handle: registerInterest(live, connection, eventType),
  }),
  "eventLog.releaseInterest": (live, { handle }) => {
    releaseInterest(live, handle);
    return { success: true };
  },
};

const COMPACTING = "compacting";
const STARTED = "session.compaction_start";

const HANDOFF =
  "Summarize this conversation in Markdown for somebody who takes the work over: what the user wants, what was done, what is left, and facts worth keeping.";

/** As a client asked for it, which can also end it. */
async function compact(live: Live): Promise<boolean> {
  if (live.facts.has(COMPACTING)) throw new Error("a compaction goes on already");
  const controller = new AbortController();
  live.facts.set(COMPACTING, controller);
  try {
    await (live.facts.get("route") as ModelRoute).prepare();
    controller.signal.throwIfAborted();
    return await live.session.compact(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    const isBegun = live.log.findLast(({ type }) => type.startsWith("session.compaction_"))?.type === STARTED;
    if (isBegun) tell(live, "session.compaction_complete", { success: false, trigger: "manual", error: "aborted" });
    return false;
  } finally {
    live.facts.delete(COMPACTING);
  }
}

async function readLog(live: Live, params: Json, signal: AbortSignal): Promise<Json> {
  await live.session.stored();
  const cursor = textOf(params.cursor);
  const types = params.types === undefined || params.types === "*" ? null : new Set(textsOf(params.types));
  const most = numberOf(params.max) ?? 200;
  const isWanted = ({ type }: CopilotEvent): boolean => types?.has(type) ?? true;
  if (cursor === undefined) return readKept(live, isWanted, most);
  const from = Number(cursor);
  const find = () => live.ring.filter(({ at, event }) => at > from && isWanted(event));
  if (find().length === 0) await changed(live, numberOf(params.waitMs) ?? 0, () => find().length > 0, signal);
  const found = find();
  const shown = found.slice(0, most);
  const hasMore = found.length > most;
  // What is read next follows what was shown, or all there is where nothing more is wanted.
  const next = hasMore ? (shown.at(-1)?.at ?? from) : live.heard;
  const isLost = from + 1 < (live.ring[0]?.at ?? 0);
  return {
    events: shown.map(({ event }) => event),
    cursor: String(next),
    hasMore,
    cursorStatus: isLost ? "expired" : "ok",
  };
}

/** From the beginning there is what is kept; what passed is told behind a cursor only. */
function readKept({ log, ring, heard }: Live, isWanted: (event: CopilotEvent) => boolean, most: number): Json {
  const found = log.filter(isWanted);
  const events = found.slice(0, most);
  const hasMore = found.length > most;
  const last = events.at(-1);
  const at = hasMore ? ring.find(({ event }) => event.id === last?.id)?.at : heard;
  return { events, cursor: String(at ?? heard), hasMore, cursorStatus: "ok" };
}

/** Waits until something is there, or long enough. */
function changed(live: Live, wait: number, isThere: () => boolean, signal: AbortSignal): Promise<void> {
  if (wait <= 0) return Promise.resolve();
  const waiting = waitersOf(live);
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
