import type { Caller } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { hashOf, nextSecret, randomSecret } from "./family-token.ts";

/** Milliseconds. */
export const ACCESS_FOR = 3_600_000;
/** How long a retired refresh token still counts, for answers that were lost and for clients that come twice. */
const GRACE = 60_000;
const DAY = 86_400_000;
/** Days without use after which a family ends, and in all. */
const IDLE_DAYS = 30;
const MOST_DAYS = 90;
/** Access tokens of one family at a time; more make the oldest ones end. */
const MOST_ACCESS = 64;
/** Retired refresh tokens that still count. */
const MOST_RETIRED = 64;

/** All tokens of one authorization, as stored: hashes of them, and how one refresh token follows from another. */
export interface TokenFamily {
  readonly caller: Pick<Caller, "issuer" | "subject" | "client">;
  readonly clientName: string;
  readonly scopes: readonly string[];
  readonly browser: string | null;
  readonly since: number;
  readonly seen: number;
  /** The hash of the one refresh token that is not retired. */
  readonly refresh: string;
  /** Oldest first. */
  readonly retired: readonly Retired[];
  /** Oldest first. */
  readonly access: readonly Kept[];
}

interface Kept {
  readonly hash: string;
  readonly until: number;
}

interface Retired extends Kept {
  /** With the token itself, what gives the one after it. */
  readonly step: string;
}

/** A row that says that a family has ended, so that nothing can begin it again. */
interface EndedFamily {
  readonly ended: number;
}

/** New secrets, which are not stored. */
interface FreshSecrets {
  readonly access: string;
  readonly refresh: string;
}

export interface FamilyStep {
  readonly family: TokenFamily;
  readonly secrets: FreshSecrets;
}

export function startFamily(
  given: Pick<TokenFamily, "caller" | "clientName" | "scopes" | "browser">,
  now: number,
): FamilyStep {
  const secrets = { access: randomSecret(), refresh: randomSecret() };
  const family = { ...given, since: now, seen: now, refresh: hashOf(secrets.refresh), retired: [], access: [] };
  return { family: withAccess(family, secrets.access, now), secrets };
}

/**
 * The next tokens. Who comes again with a retired refresh token within the grace gets the same refresh token as the
 * first one did: there is never more than one that counts. Null: this one was retired before that, and so somebody else
 * may have it.
 */
export function continueFamily(family: TokenFamily, secret: string, now: number): FamilyStep | null {
  const hash = hashOf(secret);
  const access = randomSecret();
  const retired = family.retired.filter(({ until }) => until > now).slice(-MOST_RETIRED);
  if (hash === family.refresh) {
    const step = randomSecret();
    const refresh = nextSecret(secret, step);
    const next = {
      ...{ ...family, seen: now, refresh: hashOf(refresh) },
      retired: [...retired, { hash, step, until: now + GRACE }],
    };
    return { family: withAccess(next, access, now), secrets: { access, refresh } };
  }
  const at = retired.findIndex((each) => each.hash === hash);
  if (at === -1) return null;
  const refresh = retired.slice(at).reduce((before, { step }) => nextSecret(before, step), secret);
  return { family: withAccess({ ...family, seen: now, retired }, access, now), secrets: { access, refresh } };
}

/** When an access token ends; null if it is none of this family now. */
export function accessUntil(family: TokenFamily, secret: string, now: number): number | null {
  const hash = hashOf(secret);
  const until = family.access.find((each) => each.hash === hash)?.until ?? 0;
  return until > now ? until : null;
}

export function isOver({ since, seen }: TokenFamily, now: number): boolean {
  return now >= since + MOST_DAYS * DAY || now >= seen + IDLE_DAYS * DAY;
}

export function endedFamily(now: number): EndedFamily {
  return { ended: now };
}

/** As it was stored; null for one that has ended, or none. */
export function toFamily(value: unknown): TokenFamily | null {
  if (!isRecord(value) || !isRecord(value.caller) || !Array.isArray(value.access)) return null;
  return value as unknown as TokenFamily; // This file alone writes it.
}

function withAccess(family: TokenFamily, secret: string, now: number): TokenFamily {
  const until = Math.min(now + ACCESS_FOR, family.since + MOST_DAYS * DAY);
  const live = family.access.filter((each) => each.until > now).slice(1 - MOST_ACCESS);
  return { ...family, access: [...live, { hash: hashOf(secret), until }] };
}
