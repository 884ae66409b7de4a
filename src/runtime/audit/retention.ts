import type { AuditConfig } from "../../config/shape/audit-shape.ts";
import { type Clock, SYSTEM_CLOCK, type Timer } from "../../system/time/clock.ts";
import { keepNobodyAwake } from "../../system/time/keep-nobody-awake.ts";
import type { AuditNote } from "./audit-row.ts";
import { forgottenPersons, type GatheredPlace } from "./gather.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Milliseconds; not while everything else starts. */
const SOON = 60_000;
const KINDS = ["calls", "approvals", "people"] as const;

interface RetentionParts {
  readonly place: GatheredPlace;
  readonly settings: () => Pick<AuditConfig, "retention" | "hold">;
  readonly note: (note: AuditNote) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Deletes what is older than it may be; each kind that lost something gets a row that says until when. */
export async function expireAudit({ place, settings, note, now = Date.now }: RetentionParts): Promise<void> {
  const { retention, hold } = settings();
  const held = hold.map(({ person }) => person);
  if (held.includes("*")) return;
  const { store, scope } = place;
  // What came in after its person was forgotten, from a machine that did not know yet.
  for (const [person, until] of await forgottenPersons(place).entries())
    if (!held.includes(person)) await store.log.deleteBodies(scope, { person, before: Number(until) });
  const before = now() - retention.value.bodies * DAY;
  const bodies = await store.log.deleteBodies(scope, { before, except: held });
  if (bodies > 0) note(toExpired("bodies", before, bodies));
  for (const kind of KINDS) {
    const border = now() - retention.value[kind] * DAY;
    const rows = await store.log.blankRows(scope, { kind, before: border, except: held });
    if (rows > 0) note(toExpired(kind, border, rows));
  }
}

/** Does so soon and then every hour; returns how to stop. */
export function expireAuditHourly(parts: RetentionParts, clock: Clock = SYSTEM_CLOCK): () => void {
  let timer: Timer = null;
  let isStopped = false;
  const later = (delay: number): void => {
    timer = clock.setTimeout(() => {
      // An unreachable store is tidied another time.
      void expireAudit(parts)
        .catch(() => {})
        .then(() => isStopped || later(HOUR));
    }, delay);
    keepNobodyAwake(timer);
  };
  later(SOON);
  return () => {
    isStopped = true;
    clock.clearTimeout(timer);
  };
}

function toExpired(what: string, before: number, count: number): AuditNote {
  const until = new Date(before).toISOString();
  return { type: "log.expired", text: `${count} ${what} from before ${until} were deleted`, gone: { what, until } };
}

/** Deletes every body of a person, now and wherever one still waits; returns how many the store had. */
export async function forgetPerson(
  place: GatheredPlace,
  person: string,
  { note, by, now = Date.now }: Pick<RetentionParts, "note" | "now"> & { readonly by: string },
): Promise<number> {
  const until = now();
  await forgottenPersons(place).change(person, (known) => Math.max(until, Number(known ?? 0)));
  const count = await place.store.log.deleteBodies(place.scope, { person, before: until });
  const gone = { what: "bodies", until: new Date(until).toISOString(), person };
  note({
    type: "log.forgotten",
    text: `${by} deleted the ${count} bodies of calls of ${person}`,
    names: [person],
    gone,
  });
  return count;
}
