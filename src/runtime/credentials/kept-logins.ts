import type { Person } from "../../core/people/person.ts";
import type { PeoplePlace, Sealer } from "../people/contract.ts";
import { peopleValues } from "../people/people-values.ts";
import { withLease } from "../store/key-lease.ts";
import type { KeptCredential } from "./contract.ts";
import { type CredentialNews, credentialKey } from "./credential-news.ts";
import { type LoginBond, type LoginRow, type OpenLogin, openLoginRow, sealLoginRow, toLoginRow } from "./login-row.ts";

/** Sealed logins and keys of people at servers, the same for all machines (O11). */
export interface KeptLogins {
  /** From memory where it is known. */
  find(person: Person, server: string): Promise<OpenLogin | null>;
  put(person: Person, server: string, kept: NewLogin): Promise<void>;
  /** Puts another secret in the place of this one; false if it has gone or is another one by now. */
  replace(person: Person, server: string, before: OpenLogin, secret: string): Promise<boolean>;
  /** Says why this one no longer counts; another one that has its place stays. */
  doubt(person: Person, server: string, about: OpenLogin, trouble: string): Promise<void>;
  /** Returns what was there. */
  remove(person: Person, server: string): Promise<OpenLogin | null>;
  list(person: Person): Promise<readonly KeptCredential[]>;
  /** One at a time over all machines. What is found within is what is stored then. */
  alone<T>(person: Person, server: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

interface NewLogin extends LoginBond {
  readonly scope: string | null;
  readonly secret: string;
}

interface KeptLoginsOptions {
  readonly place: PeoplePlace;
  readonly sealer: Sealer;
  readonly news: CredentialNews;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export const CHANGED = "it was stored for another person, server or address, or sealed with a key that is gone";

export function createKeptLogins({ place, sealer, news, now = Date.now }: KeptLoginsOptions): KeptLogins {
  const memory = createMemory(now);
  news.changes(({ person, server }) => memory.forget(credentialKey(person, server)));
  const { scope } = place;
  const of = (person: Person) => peopleValues(place, "people.logins", person);
  const open = (person: Person, server: string, row: LoginRow) => openLoginRow(sealer, { scope, person, server }, row);

  /** The row with that, while it is still this login: another key may have sealed it since. */
  const ifSame =
    (person: Person, server: string, before: OpenLogin, to: Partial<Pick<LoginRow, "sealed" | "trouble">>) =>
    (row: LoginRow | null): LoginRow | null => {
      if (row === null || row.trouble !== null) return row;
      const isSame = row.sealed === before.row.sealed;
      const { secret } = isSame ? before : open(person, server, row);
      return isSame || (secret !== null && secret === before.secret) ? { ...row, ...to } : row;
    };

  /** Whether `to` changed the row; null takes it away. */
  const change = async (
    person: Person,
    server: string,
    to: (row: LoginRow | null) => LoginRow | null,
    isRenewal = false,
  ): Promise<boolean> => {
    let isChanged = false;
    await of(person).change(server, (value) => {
      const row = toLoginRow(value);
      const next = to(row);
      isChanged = next !== row;
      return next ?? undefined;
    });
    if (isChanged) await news.announce({ person, server, isRenewal });
    return isChanged;
  };

  return {
    find: (person, server) =>
      memory.find(credentialKey(person, server), async () => {
        const row = toLoginRow(await of(person).get(server));
        return row && open(person, server, row);
      }),
    async put(person, server, { secret, ...kept }) {
      const sealed = sealLoginRow(sealer, { scope, person, server }, kept, secret);
      await change(person, server, () => ({ ...kept, since: now(), trouble: null, sealed }));
    },
    replace: (person, server, before, secret) => {
      const sealed = sealLoginRow(sealer, { scope, person, server }, before.row, secret);
      return change(person, server, ifSame(person, server, before, { sealed }), true);
    },
    async doubt(person, server, about, trouble) {
      // Its server refuses it by itself: closing connections now would cut off the very request that was refused.
      await change(person, server, ifSame(person, server, about, { trouble }), true);
    },
    async remove(person, server) {
      const gone: LoginRow[] = [];
      await change(person, server, (row) => {
        gone.splice(0, 1, ...(row === null ? [] : [row]));
        return null;
      });
      return gone[0] === undefined ? null : open(person, server, gone[0]);
    },
    async list(person) {
      return [...(await of(person).entries())].flatMap(([server, value]): KeptCredential[] => {
        const row = toLoginRow(value);
        if (row === null) return [];
        const { kind, origin, issuer, since } = row;
        const trouble = row.trouble ?? (open(person, server, row).secret === null ? CHANGED : null);
        return [{ server, kind, origin, issuer, since, trouble }];
      });
    },
    alone(person, server, signal, work) {
      const values = peopleValues(place, "people.leases", person);
      return withLease({ values, key: `login ${server}` }, signal, () => {
        memory.forget(credentialKey(person, server));
        return work();
      });
    },
  };
}

/** Milliseconds for which a row in memory counts: other machines say when one changes, unless the store is away. */
const KNOWN_FOR = 20_000;
const MOST_KNOWN = 10_000;

interface Memory {
  find(key: string, load: () => Promise<OpenLogin | null>): Promise<OpenLogin | null>;
  forget(key: string): void;
}

function createMemory(now: () => number): Memory {
  const known = new Map<string, { readonly login: OpenLogin | null; readonly until: number }>();
  /** Grows with every change, so that what was read before it is not remembered. */
  let changes = 0;
  return {
    async find(key, load) {
      const kept = known.get(key);
      if (kept !== undefined && kept.until > now()) return kept.login;
      known.delete(key);
      const before = changes;
      const login = await load();
      if (before !== changes) return login;
      const [oldest] = known.size < MOST_KNOWN ? [] : known.keys();
      if (oldest !== undefined) known.delete(oldest);
      known.set(key, { login, until: now() + KNOWN_FOR });
      return login;
    },
    forget(key) {
      changes += 1;
      known.delete(key);
    },
  };
}
