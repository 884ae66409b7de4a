import type { Person } from "../../core/people/person.ts";
import type { Pass, PersonChange } from "./contract.ts";

/** Why a token does not count, for the log alone. */
export interface TokenRefusal {
  readonly refused: string;
}

export interface TokenTableOptions {
  /** Asks the store or the issuer. Throws if neither can say. */
  readonly find: (token: string) => Promise<Pass | TokenRefusal>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Tokens that are remembered. */
  readonly most?: number;
}

/** Tokens that were seen a short while ago, by their digests: a call pays for a look into a table alone (O2). */
export interface TokenTable {
  /** Null: it is not known here, or for too long already. One in use is confirmed again in time. */
  known(token: string, digest: string): Pass | null;
  /** Asks, and remembers a token that counts. */
  ask(token: string, digest: string): Promise<Pass | TokenRefusal>;
  /** Forgets what a change is about, and answers to it that are still on their way. */
  drop(change: PersonChange): void;
  /** The same for everybody. */
  clear(): void;
  /** Whether what was found counts no more, for requests that take their time. */
  isOver(pass: Pass): boolean;
  readonly size: number;
}

/** Milliseconds for which a token counts after it was confirmed, while nobody can be asked again (O8). */
const CONFIRMED_FOR = 60_000;
/** Milliseconds after which one that is in use is confirmed again, while it still counts. */
const CONFIRM_AFTER = 20_000;
/** Milliseconds between tries, while nobody can be asked. */
const TRY_AGAIN = 2_000;
const MOST = 20_000;
/** How often an answer that was overtaken by a change is asked for again. */
const MOST_TRIES = 5;

interface Row {
  readonly pass: Pass;
  readonly until: number;
  confirmAt: number;
}

export function createTokenTable({ find, now = Date.now, most = MOST }: TokenTableOptions): TokenTable {
  const rows = new Map<string, Row>();
  const asking = new Map<string, Promise<Pass | TokenRefusal>>();
  const over = new WeakSet<Pass>();
  /** Grows with every change, so that an answer from before it does not count. */
  let changes = 0;

  const forget = (digest: string): void => {
    const row = rows.get(digest);
    if (row === undefined) return;
    over.add(row.pass);
    rows.delete(digest);
  };
  /** What gives the same access stays the same object. */
  const keep = (digest: string, found: Pass): Pass => {
    const before = rows.get(digest)?.pass;
    const pass = before !== undefined && whatCounts(before) === whatCounts(found) ? before : found;
    if (before !== pass) forget(digest);
    // The newest are last, so that the first one has not been confirmed for longest.
    rows.delete(digest);
    const [oldest] = rows.size < most ? [] : rows.keys();
    if (oldest !== undefined) rows.delete(oldest);
    const at = now();
    rows.set(digest, { pass, until: Math.min(found.expires, at + CONFIRMED_FOR), confirmAt: at + CONFIRM_AFTER });
    return pass;
  };

  const findNow = async (token: string, digest: string): Promise<Pass | TokenRefusal> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = changes;
      const found = await find(token);
      if ("refused" in found) {
        forget(digest);
        return found;
      }
      if (before !== changes) continue;
      if (found.expires <= now()) return { refused: "it has expired" };
      return keep(digest, found);
    }
    return { refused: "what it gives access to changes all the time" };
  };

  const ask = (token: string, digest: string): Promise<Pass | TokenRefusal> => {
    const known = asking.get(digest);
    if (known !== undefined) return known;
    const work = findNow(token, digest).finally(() => asking.delete(digest));
    asking.set(digest, work);
    return work;
  };

  return {
    known(token, digest) {
      const row = rows.get(digest);
      if (row === undefined) return null;
      const at = now();
      if (at >= row.until) {
        rows.delete(digest);
        return null;
      }
      if (at >= row.confirmAt) {
        row.confirmAt = at + TRY_AGAIN;
        ask(token, digest).catch(() => {}); // It goes on until then, and the next use tries again.
      }
      return row.pass;
    },
    ask,
    drop(change) {
      changes += 1;
      for (const [digest, { pass }] of rows) if (isAbout(change, pass)) forget(digest);
    },
    clear() {
      changes += 1;
      for (const digest of [...rows.keys()]) forget(digest);
    },
    isOver: (pass) => over.has(pass),
    get size() {
      return rows.size;
    },
  };
}

function whatCounts({ expires: _, ...rest }: Pass): string {
  return JSON.stringify(rest);
}

/** Whether a change is about what somebody got with an authorization. */
export function isAbout(
  change: PersonChange,
  { caller, authorization }: { readonly caller: Person; readonly authorization: string | null },
): boolean {
  const { issuer, subject } = change.person;
  if (caller.issuer !== issuer || caller.subject !== subject) return false;
  return change.kind !== "revoked" || change.authorization === authorization;
}
