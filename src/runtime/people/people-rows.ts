import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type Caller, describePerson, type Person, personKey } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace, PeopleRows, PersonChange, PersonRow } from "./contract.ts";

/** What is stored about a person; written by this file alone. */
interface StoredPerson extends PersonRow {
  /** When the identity provider last confirmed that the person may come in. */
  readonly asked: number;
}

/** For those who ask the identity provider again. */
interface AskedPeople {
  /** Those whom it has not confirmed since then. */
  due(before: number): Promise<readonly PersonRow["caller"][]>;
  /** Records that somebody asks now; false if another machine has done so since `before`. */
  claim(person: Person, before: number): Promise<boolean>;
  /** Takes over what the provider says now; true if what counts has changed. */
  update(caller: Omit<Caller, "client">): Promise<boolean>;
}

export interface AllPeople extends PeopleRows {
  readonly asked: AskedPeople;
  close(): void;
}

export function createPeopleRows({ store, scope }: PeoplePlace, now: () => number = Date.now): AllPeople {
  const values = store.keyValues({ name: "people", person: "", project: scope });
  const feed = `people:${scope}`;
  const listeners = new Set<(change: PersonChange) => void>();
  const change = (person: Person, to: (row: StoredPerson | null) => StoredPerson | null): Promise<void> =>
    values.change(personKey(person), (value) => to(fromStored(value)) ?? undefined);
  const announce = async (message: PersonChange): Promise<void> => void (await store.post(feed, message));
  // An old message does no harm here: nothing of the past is open on a machine that starts.
  const stop = store.follow(feed, 0, ({ message }) => {
    const heard = fromFeed(message);
    if (heard !== null) for (const listener of [...listeners]) listener(heard);
  });
  return {
    async note(given) {
      const caller = withoutClient(given);
      let isChanged = false;
      await change(caller, (row) => {
        if (row !== null && row.ended !== null) throw endedError(caller, row.ended.by);
        isChanged = row !== null && whatCounts(row.caller) !== whatCounts(caller);
        return { caller, since: row?.since ?? now(), seen: now(), ended: null, asked: now() };
      });
      if (isChanged) await announce({ kind: "changed", person: personOf(caller) });
    },
    async list() {
      const rows = [...(await values.entries()).values()].map(fromStored);
      return rows.flatMap((row) => (row === null ? [] : [toRow(row)])).sort((one, other) => one.since - other.since);
    },
    async find(person) {
      const row = fromStored(await values.get(personKey(person)));
      return row && toRow(row);
    },
    async end(person, by) {
      // Somebody who never came in can be kept out too.
      const stranger = { ...personOf(person), groups: [], claims: [], name: null, email: null };
      await change(person, (row) => {
        const known = row ?? { caller: stranger, since: now(), seen: now(), asked: now() };
        return { ...known, ended: row?.ended ?? { at: now(), by } };
      });
      await announce({ kind: "ended", person: personOf(person) });
    },
    readmit: (person) => change(person, (row) => row && { ...row, ended: null }),
    announce,
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    asked: {
      async due(before) {
        const rows = [...(await values.entries()).values()].map(fromStored);
        return rows.flatMap((row) => (row !== null && row.ended === null && row.asked < before ? [row.caller] : []));
      },
      async claim(person, before) {
        let isOurs = false;
        await change(person, (row) => {
          isOurs = row !== null && row.ended === null && row.asked < before;
          return row !== null && isOurs ? { ...row, asked: now() } : row;
        });
        return isOurs;
      },
      async update(given) {
        const caller = withoutClient(given);
        let isChanged = false;
        await change(caller, (row) => {
          isChanged = row !== null && whatCounts(row.caller) !== whatCounts(caller);
          return row && { ...row, caller };
        });
        if (isChanged) await announce({ kind: "changed", person: personOf(caller) });
        return isChanged;
      },
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}

function endedError(person: Person, by: string): ToolcribError {
  const who = describePerson(person);
  return new ToolcribError("people.ended", `the access of ${who} was ended by ${by}; an admin can let them in again`, {
    names: [who],
  });
}

function personOf({ issuer, subject }: Person): Person {
  return { issuer, subject };
}

/** A caller may come with more than a row holds. */
function withoutClient({ issuer, subject, groups, claims, name, email }: PersonRow["caller"]): PersonRow["caller"] {
  return { issuer, subject, groups, claims, name, email };
}

/** What decides about tools. The order of groups does not. */
function whatCounts({ groups, claims }: Pick<Caller, "groups" | "claims">): string {
  return JSON.stringify([[...groups].sort(), [...claims].sort(([one], [other]) => (one < other ? -1 : 1))]);
}

function toRow({ caller, since, seen, ended }: StoredPerson): PersonRow {
  return { caller, since, seen, ended };
}

/** As it was written; null for what only another version could have written. */
function fromStored(value: unknown): StoredPerson | null {
  if (!isRecord(value) || !isRecord(value.caller) || typeof value.asked !== "number") return null;
  return value as unknown as StoredPerson;
}

function fromFeed(message: unknown): PersonChange | null {
  if (!isRecord(message) || typeof message.kind !== "string" || !isRecord(message.person)) return null;
  return ["ended", "revoked", "changed"].includes(message.kind) ? (message as unknown as PersonChange) : null;
}
