import { type Person, personKey } from "../../core/people/person.ts";
import { type Clock, SYSTEM_CLOCK, type Timer } from "../../system/time/clock.ts";
import { keepNobodyAwake } from "../../system/time/keep-nobody-awake.ts";
import type { KeyValues } from "../store/store.ts";
import type { PeoplePlace } from "./contract.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Milliseconds; not while everything else starts. */
const SOON = 60_000;

/** What is stored for authorizations, and the milliseconds after which a row that has not changed is of no use; null: never. */
const UNUSED_FOR = {
  /** By the hash of their handle. */
  "people.families": 31 * DAY,
  /** Families of one person, by the same hash. */
  "people.given": 91 * DAY,
  /** By the hash of the code. */
  "people.codes": DAY,
  /** Clients that registered themselves, by id. */
  "people.clients": 30 * DAY,
  /** Of one person, by the hash of the client and where its answers go. */
  "people.consents": 90 * DAY,
  /** Consent pages that wait for a click, by the hash of what only the page knows. */
  "people.asked": DAY,
  /** Browsers on their way through a login, by the hash of its state. */
  "people.attempts": HOUR / 4,
  /** Links on which people log in at servers, by the hash of their secret. */
  "people.links": HOUR / 4,
  /** People on their way through a login at a server, by the hash of its state. */
  "people.connecting": HOUR / 4,
  /** Clients that the gateway has registered at authorization servers, by the hash of where. */
  "people.upstream-clients": DAY,
  /** Of one person, by the hash of the cookie's secret. */
  "people.browsers": 12 * HOUR,
  /** By the hash of the link's secret. */
  "people.invitations": 3 * DAY,
  /** Of one person, by the id of the session in which a provider let them in. */
  "people.provider-sessions": 91 * DAY,
  /** Of one session at the provider, by the same. */
  "people.sids": 91 * DAY,
  /** Of one person, by their id. */
  "people.passkeys": null,
  /** Logins and keys of one person at upstream servers, by the name of the server. */
  "people.logins": null,
  /** Of one person: what only one machine may do at a time, such as renewing a login. */
  "people.leases": DAY,
  /** Keys that sign who asks, by algorithm. */
  "people.signing": null,
  /** Where a question about a call was told, by its id. */
  "approvals.told": 31 * DAY,
  /** Slack accounts of one person, by team and id. */
  "people.slack-accounts": null,
  /** The person of a Slack account, by the same. */
  "people.slack": null,
  /** By the hash of a code with which a Slack account is linked. */
  "people.slack-codes": HOUR,
  /** Which keys seal secrets. */
  "people.sealing": null,
} as const satisfies Readonly<Record<string, number | null>>;
export type PeopleRowName = keyof typeof UNUSED_FOR;

/** Of everybody, of one person, or of what else has this key. */
export function peopleValues({ store, scope }: PeoplePlace, name: PeopleRowName, of: Person | string = ""): KeyValues {
  return store.keyValues({ name, person: typeof of === "string" ? of : personKey(of), project: scope });
}

/** Deletes what is too old to count, soon and then every hour; returns how to stop. */
export function forgetOldRowsHourly({ store }: Pick<PeoplePlace, "store">, clock: Clock = SYSTEM_CLOCK): () => void {
  let timer: Timer = null;
  let isStopped = false;
  const forget = async (): Promise<void> => {
    for (const [name, unchangedFor] of Object.entries(UNUSED_FOR))
      if (!isStopped && unchangedFor !== null) await store.expire({ kind: "key-values", name }, unchangedFor);
  };
  const later = (delay: number): void => {
    timer = clock.setTimeout(() => {
      // An unreachable store is tidied another time.
      void forget()
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
