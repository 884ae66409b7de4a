import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import type { BackEnd, Busy, IsGone, Machine, Taken } from "./back-end.ts";
import { fromRows } from "./event-rows.ts";
import { createFollowedFeeds } from "./followed-feeds.ts";
import { createJournal, type HeldJournal } from "./journal.ts";
import { createKeyValues } from "./key-values.ts";
import { createLease, LEASE_TIMES, type LeaseTimes, type OnReach } from "./lease.ts";
import { isStorable, requireStorable } from "./storable.ts";
import type { Store } from "./store.ts";
import { describeSelf, isGoneHere } from "./this-machine.ts";
import { createWaitingAnswers, type WaitingAnswers } from "./waiting-answers.ts";

export interface StoreOptions {
  readonly machine?: Machine;
  readonly lease?: LeaseTimes;
  readonly clock?: Clock;
  readonly onReach?: OnReach;
}

/** A store on a back end: the part that is the same for all back ends. */
export function createStore(backEnd: BackEnd, options: StoreOptions = {}): Store {
  const { machine = describeSelf(), clock = SYSTEM_CLOCK } = options;
  const waiting = createWaitingAnswers(backEnd, clock);
  const feeds = createFollowedFeeds(backEnd, clock);
  const look = (ids: readonly string[] | null): void => {
    waiting.look(ids);
    feeds.look(ids);
  };
  backEnd.bell?.listen(look);
  const ring = (ids: readonly string[]): void => {
    look(ids);
    backEnd.bell?.ring(ids);
  };
  const { release, ...leased } = createLeasedSessions(backEnd, ring, { ...options, machine, clock });
  return {
    machine: machine.id,
    ...leased,
    read: async (sessionId, { after = 0, limit = Number.MAX_SAFE_INTEGER } = {}) =>
      isStorable(sessionId) ? fromRows(await backEnd.read(sessionId, after, limit), backEnd.parts) : [],
    sessions: async (filter = {}) =>
      [filter.id, filter.idPrefix, filter.person, filter.project].every((name = "") => isStorable(name))
        ? backEnd.sessions(filter)
        : [],
    ...toQuestions(backEnd, waiting, ring),
    answerTo: waiting.answerTo,
    keyValues: (place) => createKeyValues(backEnd, place),
    ...toMessages(backEnd, ring),
    follow: feeds.follow,
    log: backEnd.log,
    parts: (hashes) => backEnd.parts([...hashes]),
    silence: async (id) => (await backEnd.machines()).find((other) => other.id === id)?.silent ?? null,
    async close() {
      waiting.close();
      feeds.close();
      await release();
      await backEnd.leave(machine.id).catch(() => undefined); // Others notice when its heartbeats stop.
      await backEnd.close();
    },
  };
}

interface LeasedSessions extends Pick<Store, "create" | "hold" | "delete" | "prune" | "join" | "machines"> {
  /** Gives back all that this process holds. */
  release(): Promise<void>;
}

/** Which process holds which session: each only while its heartbeats reach the store. */
function createLeasedSessions(
  backEnd: BackEnd,
  ring: (ids: readonly string[]) => void,
  { machine, clock, lease: times = LEASE_TIMES, onReach }: StoreOptions & { machine: Machine; clock: Clock },
): LeasedSessions {
  const held = new Map<string, HeldJournal>();
  let joined = false;
  const beat = async (): Promise<void> => {
    const before = [...held];
    const ours = await backEnd.beat(machine);
    for (const [id, journal] of before) if (!ours.has(id)) journal.fence();
  };
  const lease = createLease(beat, times, clock, onReach);
  const isGone: IsGone = (other) => other.hasLeft || other.silent > times.takeOver || isGoneHere(other, machine);
  const open = (sessionId: string, taken: Taken): HeldJournal => {
    const onReleased = (): void => {
      if (held.get(sessionId) === journal) held.delete(sessionId);
      if (held.size === 0 && !joined) lease.stop();
    };
    const journal = createJournal(sessionId, taken, { backEnd, isGood: lease.isGood, onReleased, ring });
    held.set(sessionId, journal);
    return journal;
  };
  return {
    async create(session) {
      requireStorable("the id of a session", session.id);
      requireStorable("whose a session is", session.person);
      await lease.start();
      if (!(await backEnd.create(session, machine.id)))
        throw new ToolcribError(
          "store.exists",
          `there is a session ${session.id} already; resume it, or choose another id`,
        );
      return open(session.id, { epoch: 1, seq: 0, last: null });
    },
    async hold(sessionId, byForce = false) {
      if (!isStorable(sessionId)) throw toUnknown(sessionId);
      await lease.start();
      const taken = await backEnd.hold(sessionId, machine.id, byForce ? () => true : isGone);
      if (taken === null) throw toUnknown(sessionId);
      if ("busy" in taken) throw heldElsewhere(sessionId, taken);
      return open(sessionId, taken);
    },
    async delete(sessionId) {
      if (!isStorable(sessionId)) return false;
      const deleted = await backEnd.delete(sessionId, isGone);
      if (typeof deleted === "object") throw heldElsewhere(sessionId, deleted);
      return deleted;
    },
    prune: (unchangedFor, which = {}) => backEnd.prune(unchangedFor, isGone, which),
    join() {
      joined = true;
      lease.begin();
    },
    async machines() {
      const living = (await backEnd.machines()).filter((other) => !isGone(other));
      return living.map(({ id, name, version, pid, silent }) => ({ id, name, version, pid, silent }));
    },
    async release() {
      await Promise.all([...held.values()].map((journal) => journal.release())).catch(() => undefined);
      lease.stop();
    },
  };
}

/** Open questions and their answers. */
function toQuestions(
  backEnd: BackEnd,
  waiting: WaitingAnswers,
  ring: (ids: readonly string[]) => void,
): Pick<Store, "answer" | "questions"> {
  return {
    async answer(questionId, answer, by) {
      if (!isStorable(questionId)) return "unknown";
      const text = JSON.stringify(answer ?? null);
      const outcome = await backEnd.answer(questionId, text, by);
      if (outcome === "answered") {
        waiting.answered(questionId, text, by);
        ring([questionId]);
      }
      return outcome;
    },
    async questions({ sessionId } = {}) {
      if (sessionId !== undefined && !isStorable(sessionId)) return [];
      const rows = await backEnd.questions(sessionId ?? null);
      return rows.map(({ asked, ...row }) => ({ ...row, asked: JSON.parse(asked) }));
    },
  };
}

/** Messages to other processes. */
function toMessages(
  backEnd: BackEnd,
  ring: (ids: readonly string[]) => void,
): Pick<Store, "ask" | "post" | "messages" | "expire"> {
  return {
    async ask(sessionId, changes) {
      requireStorable("the id of a session", sessionId);
      await backEnd.ask(sessionId, changes);
      ring([sessionId, ...(changes.closed ?? [])]);
    },
    async post(feed, message, after) {
      const seq = await backEnd.post(feed, JSON.stringify(message), after ?? null);
      if (seq !== null) ring([feed]);
      return seq;
    },
    async messages(feed, after) {
      const rows = await backEnd.messages(new Map([[feed, after]]));
      return rows.map(({ seq, body }) => ({ seq, message: JSON.parse(body) }));
    },
    expire: (what, unchangedFor) => backEnd.expire(what, unchangedFor),
  };
}

function toUnknown(sessionId: string): ToolcribError {
  return new ToolcribError(
    "store.unknown-session",
    `there is no session ${isStorable(sessionId) ? sessionId : JSON.stringify(sessionId.slice(0, 60))} in the store`,
  );
}

function heldElsewhere(sessionId: string, { busy: { name, pid } }: Busy): ToolcribError {
  const where = `process ${pid} on ${name}`;
  return new ToolcribError(
    "store.held",
    `session ${sessionId} is open in ${where}; close it there, or wait until it ends`,
  );
}
