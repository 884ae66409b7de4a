import type { ToldPlace } from "../../config/shape/approvals-shape.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { UNANSWERED } from "../crib/approvals.ts";
import type { Approvals, PendingApproval } from "../crib/crib.ts";
import type { PeoplePlace } from "../people/contract.ts";
import { type PermissionAnswer, serverOfRequest } from "../permissions/permission-request.ts";
import { createTelling, type TellingOptions, wait } from "./telling.ts";
import type { ToldOutcome } from "./told-question.ts";
import { createToldRows, type ToldRows } from "./told-rows.ts";

interface TellerOptions extends TellingOptions {
  readonly approvals: Pick<Approvals, "pending" | "changes" | "settled" | "find">;
  readonly place: PeoplePlace;
}

/** A question of this machine that is being told. */
interface Open {
  readonly over: AbortController;
  readonly sends: Set<Promise<void>>;
}

/** Milliseconds between looks for what machines left that have ended. */
const SWEEP = 15_000;

/**
 * Tells people of calls that wait, where `gateway.approvals.to` says: each place at its time, until somebody answers, and
 * then how it ended. The machine that asks tells; what one left that has ended is told to have ended by any other.
 */
export function startTelling(options: TellerOptions): { close(): Promise<void> } {
  const { approvals, settings, onError, clock = SYSTEM_CLOCK } = options;
  const rows = createToldRows(options.place);
  const open = new Map<string, Open>();
  const closing = new AbortController();
  const { tell, finish } = createTelling(options, rows, closing.signal);
  const work = new Set<Promise<void>>();
  const track = (set: Set<Promise<void>>, started: Promise<void>): void => {
    const done = started.finally(() => set.delete(done));
    set.add(done);
  };

  const look = (): void => {
    const places = settings().to;
    for (const pending of approvals.pending) {
      const { machine, root } = pending;
      if (machine !== null || open.has(root) || places.length === 0) continue;
      const one: Open = { over: new AbortController(), sends: new Set() };
      open.set(root, one);
      for (const place of places)
        if (isFor(place, pending)) track(one.sends, tell(pending, place, one.over.signal).catch(failed));
    }
  };
  const failed = (error: unknown): void => onError("a call that waits could not be told to people", error);
  const end = async (root: string, answer: PermissionAnswer | null): Promise<void> => {
    const one = open.get(root);
    open.delete(root);
    one?.over.abort();
    await Promise.all(one?.sends ?? []);
    await finish(root, toOutcome(answer));
  };

  const stops = [
    approvals.changes(look),
    approvals.settled(({ root, answer }) => track(work, end(root, answer).catch(failed))),
  ];
  const stopSweeping = sweepEvery(clock, SWEEP, createSweep({ rows, open, approvals, finish }), onError);
  look();
  return {
    async close() {
      for (const stop of stops) stop();
      closing.abort();
      for (const { over } of open.values()) over.abort();
      await stopSweeping();
      await Promise.all([...work, ...[...open.values()].flatMap(({ sends }) => [...sends])]);
    },
  };
}

interface SweepParts {
  readonly rows: ToldRows;
  readonly open: ReadonlyMap<string, unknown>;
  readonly approvals: Pick<Approvals, "find">;
  readonly finish: (root: string, outcome: ToldOutcome) => Promise<void>;
}

/** What nobody waits for any more, seen twice: the machine that asked may be saying so itself. */
function createSweep({ rows, open, approvals, finish }: SweepParts): () => Promise<void> {
  let before: ReadonlySet<string> = new Set();
  return async () => {
    const left = new Set<string>();
    for (const root of await rows.list()) {
      if (open.has(root) || (await approvals.find(root)) !== null) continue;
      if (before.has(root)) await finish(root, WITHDRAWN);
      else left.add(root);
    }
    before = left;
  };
}

const WITHDRAWN: ToldOutcome = { outcome: "withdrawn", by: null, reason: null };

function toOutcome(answer: PermissionAnswer | null): ToldOutcome {
  if (answer === null) return WITHDRAWN;
  const { decision, by = null, reason = null } = answer;
  if (answer === UNANSWERED) return { outcome: "denied", by: null, reason };
  return { outcome: decision === "allow" ? "allowed" : "denied", by, reason };
}

function isFor({ servers }: ToldPlace, { request }: PendingApproval): boolean {
  const server = serverOfRequest(request);
  return servers === null || (server !== null && servers.includes(server));
}

/** Returns how to stop, which waits for the last one. */
function sweepEvery(
  clock: Clock,
  every: number,
  sweep: () => Promise<void>,
  onError: TellingOptions["onError"],
): () => Promise<void> {
  const over = new AbortController();
  const run = async (): Promise<void> => {
    for (;;) {
      await wait(clock, every, over.signal);
      if (over.signal.aborted) return;
      // An unreachable store is looked at again later.
      await sweep().catch((error: unknown) =>
        onError("what was told of calls that waited could not be looked through", error),
      );
    }
  };
  const running = run();
  return async () => {
    over.abort();
    await running;
  };
}
