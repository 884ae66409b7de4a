import type { PermissionRequest } from "../permissions/permission-request.ts";
import type { SharedStore } from "../store/late-store.ts";
import type { StoredQuestion } from "../store/store.ts";
import type { AskedCaller, PendingApproval } from "./crib.ts";

/** The stored record of a call that waits. */
export interface StoredApproval {
  readonly since: number;
  readonly client: string;
  /** What machines of an earlier version leave out is as if nobody had asked for it. */
  readonly root?: string;
  readonly until?: number | null;
  readonly caller?: AskedCaller | null;
  readonly fourEyes?: boolean;
  readonly machine: string;
  /** Milliseconds for which it can be answered after its machine has ended; absent if it ends with it. */
  readonly window?: number;
  /** Whether its machine confirms that it took an answer. */
  readonly confirms?: boolean;
  readonly request: Omit<PermissionRequest, "signal">;
}

/** Calls that wait on other machines, including machines that have ended. */
export interface PendingElsewhere {
  readonly all: readonly PendingApproval[];
  look(): void;
  close(): void;
}

export interface PendingPorts {
  readonly store: SharedStore;
  /** Where the questions of all machines are stored. */
  readonly place: string;
  readonly onChange: () => void;
  /** Deletes a question that nobody will come back for. */
  readonly end: (id: string) => Promise<void>;
}

/**
 * Milliseconds after which those of other machines are checked again, because a machine that ends abruptly reports
 * nothing.
 */
const LOOK_AGAIN = 10_000;
const { signal: NEVER } = new AbortController();

/** A stored question as those see it who answer. */
export function toPendingApproval(id: string, stored: StoredApproval, machine: string | null): PendingApproval {
  const { since, client, root = id, until = null, caller = null, fourEyes = false, request } = stored;
  return { ...{ id, root, since, until, client, caller, fourEyes, machine }, request: { ...request, signal: NEVER } };
}

export function createPendingElsewhere({ store, place, onChange, end }: PendingPorts): PendingElsewhere {
  let all: readonly PendingApproval[] = [];
  let isClosed = false;
  /** Names of machines, including those that have ended. */
  const names = new Map<string, string>();
  /** When the machine of a question was found to have ended. */
  const orphans = new Map<string, number>();
  /** Whether the client of a machine that has ended may still come back to another one (M2). */
  const isAwaited = (id: string, window: number): boolean => {
    const since = orphans.get(id) ?? performance.now();
    orphans.set(id, since);
    return performance.now() - since < window;
  };
  const toPending = ({ id, asked }: StoredQuestion, isAlive: (machine: string) => boolean) => {
    const stored = asked as StoredApproval; // As it was stored.
    const { machine, window } = stored;
    if (machine === store.machine) return [];
    if (!isAlive(machine) && (window === undefined || !isAwaited(id, window))) {
      if (window !== undefined) end(id).catch(() => {}); // Checked again.
      return [];
    }
    const name = names.get(machine) ?? "a machine that has ended";
    return [toPendingApproval(id, stored, name)];
  };
  const look = async (): Promise<void> => {
    const [questions, machines] = await Promise.all([store.questions({ sessionId: place }), store.machines()]);
    const alive = new Set(machines.map(({ id }) => id));
    for (const { id, name } of machines) names.set(id, name);
    const next = questions.flatMap((question) => toPending(question, (machine) => alive.has(machine)));
    for (const id of orphans.keys()) if (!next.some((one) => one.id === id)) orphans.delete(id);
    const isSame = next.map(({ id }) => id).join() === all.map(({ id }) => id).join();
    all = next;
    if (!isSame && !isClosed) onChange();
  };
  const lookSoon = (): void => void look().catch(() => {}); // Unreachable: checked again with the next message or later.
  const stopFollowing = store.follow(place, 0, lookSoon);
  const again = setInterval(() => {
    if (all.length > 0) lookSoon();
  }, LOOK_AGAIN);
  again.unref();
  return {
    get all() {
      return all;
    },
    look: lookSoon,
    close() {
      isClosed = true;
      clearInterval(again);
      stopFollowing();
    },
  };
}
