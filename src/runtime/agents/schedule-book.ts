import { checkSchedule, nextDue, readSchedule, type Schedule, type StoredSchedule } from "../../sources/schedule.ts";
import type { SchedulePort } from "../../sources/schedule-port.ts";
import type { Store } from "../store/store.ts";

/** The schedules of a project, in its store. Exactly one of several machines claims a run that is due. */
export interface ScheduleBook extends SchedulePort {
  /**
   * Claims the run that is due now, with the id of its session; null if it is not due, another machine took it, or its
   * last run is still running, which then counts as skipped. This one run makes up for all that were missed.
   */
  claim(id: string): Promise<{ readonly schedule: StoredSchedule; readonly sessionId: string } | null>;
  /** The same at once, due or not; null only if there is no such schedule or its last run is still running. */
  claimNow(id: string): ReturnType<ScheduleBook["claim"]>;
  /** How a run ended. */
  ended(id: string, sessionId: string, end: string): Promise<void>;
}

interface BookOptions {
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly today: () => number;
  readonly newId: () => string;
}

const MOST = 100;
/** Milliseconds within which a claimed run must have a session. */
const BEGINNING = 60_000;
const INTERRUPTED = "interrupted";

export function createScheduleBook(store: Store, { project, today, newId }: BookOptions): ScheduleBook {
  const values = store.keyValues({ name: "schedules", person: "", project });
  const find = async (id: string): Promise<StoredSchedule | null> => readSchedule(await values.get(id));
  const stored = async (): Promise<readonly StoredSchedule[]> =>
    [...(await values.entries()).values()].flatMap((value) => readSchedule(value) ?? []);
  /** A run whose machine was killed could not report its end: its lease shows that. */
  const withEnd = async (schedule: StoredSchedule): Promise<StoredSchedule> => {
    const { last } = schedule;
    if (last === null || last.end !== null || (await goesOn(store, last.sessionId))) return schedule;
    // Its session is opened a moment after it was claimed.
    const isBeginning = today() - last.began < BEGINNING && (await store.sessions({ id: last.sessionId })).length === 0;
    return isBeginning ? schedule : { ...schedule, last: { ...last, end: INTERRUPTED } };
  };

  const claim = async (id: string, isNow: boolean): ReturnType<ScheduleBook["claim"]> => {
    const known = await find(id);
    const isDue = known !== null && (isNow || (known.next !== null && known.next <= today()));
    if (known === null || !isDue) return null;
    const isBusy = known.last !== null && (await goesOn(store, known.last.sessionId));
    const sessionId = newId();
    let taken: StoredSchedule | null = null;
    await values.change(id, (value) => {
      taken = null;
      const now = readSchedule(value);
      // Somebody else was faster, or deleted it.
      if (now === null || (now.next !== known.next && !isNow)) return value;
      const began = today();
      const next = isNow && (now.next ?? 0) > began ? now.next : nextDue(now, began);
      if (isBusy) return { ...now, next, skipped: now.skipped + 1 };
      taken = { ...now, next, last: { sessionId, began, end: null } };
      return taken;
    });
    return taken === null ? null : { schedule: taken, sessionId };
  };
  return {
    async list() {
      const all: StoredSchedule[] = [];
      for (const schedule of await stored()) all.push(await withEnd(schedule));
      return all;
    },
    async add(given) {
      const wrong = checkSchedule(given);
      if (wrong !== null) throw new Error(wrong);
      if ((await stored()).length >= MOST) throw new Error(`there are ${MOST} schedules already; remove some`);
      const schedule: Schedule = { ...given, id: newId().slice(0, 8) };
      const added = { ...schedule, next: nextDue(schedule, today()), last: null, skipped: 0 };
      await values.change(schedule.id, () => added);
      return added;
    },
    async remove(id) {
      let isThere = false;
      await values.change(id, (value) => {
        isThere = value !== undefined;
        return undefined;
      });
      return isThere;
    },
    claim: (id) => claim(id, false),
    claimNow: (id) => claim(id, true),
    async ended(id, sessionId, end) {
      await values.change(id, (value) => {
        const now = readSchedule(value);
        return now?.last?.sessionId === sessionId ? { ...now, last: { ...now.last, end } } : value;
      });
    },
  };
}

/** Whether a living process holds the session, by the store's own leases. */
async function goesOn(store: Store, id: string): Promise<boolean> {
  const [session] = await store.sessions({ id, limit: 1 });
  const holder = session?.machine ?? null;
  return holder !== null && (await store.machines()).some((machine) => machine.id === holder);
}
