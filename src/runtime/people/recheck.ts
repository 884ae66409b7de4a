import { type Caller, describePerson, type Person } from "../../core/people/person.ts";
import { type Clock, SYSTEM_CLOCK, type Timer } from "../../system/time/clock.ts";
import { keepNobodyAwake } from "../../system/time/keep-nobody-awake.ts";
import { BROWSER_SESSION_LIFE } from "./browser-sessions.ts";
import type { Authorizations, BrowserSessions, PeopleNote } from "./contract.ts";
import { IssuerProblem } from "./issuers/issuer-problem.ts";
import type { LoginProvider } from "./issuers/login-provider.ts";
import type { AllPeople } from "./people-rows.ts";
import type { KeptSession, ProviderSessions } from "./provider-sessions.ts";
import { renewSession } from "./renew-session.ts";

export interface RecheckOptions {
  readonly people: Pick<AllPeople, "asked" | "announce">;
  readonly provider: Pick<LoginProvider, "issuer" | "renew">;
  readonly sessions: ProviderSessions;
  readonly browsers: Pick<BrowserSessions, "list" | "end">;
  readonly authorizations: Pick<Authorizations, "list" | "end">;
  /** Keys of this machine; the first one seals. */
  readonly keys: () => readonly string[];
  /** Whether somebody needs their newest login also while no browser or client does, such as to answer elsewhere. */
  readonly holds: (person: Person) => Promise<boolean>;
  /** `gateway.auth.recheck`, which may change. */
  readonly every: () => number;
  readonly log: (note: PeopleNote) => void;
  /** What went wrong and is tried again. */
  readonly onError: (text: string, error: unknown) => void;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface Recheck {
  /** Asks about everybody for whom it is time. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** People who are asked about at a time. */
const AT_ONCE = 8;
/** The part of the interval after which it is time: the rest is for the machines and the provider to take. */
const DUE = 0.7;
/** Milliseconds for which a person goes on whom the provider can say nothing about. */
const UNCONFIRMED = 86_400_000;

/**
 * Asks the identity provider about everybody who has access, one machine for each person, for a provider tells nobody
 * when it lets somebody no longer in (O8). A session that it refuses ends with what was given in it; a person whose last
 * one ended has to log in again.
 */
export function startRecheck(options: RecheckOptions): Recheck {
  const { people, provider, every, onError, clock = SYSTEM_CLOCK, now = Date.now } = options;
  let timer: Timer = null;
  let isClosed = false;
  let running: Promise<void> = Promise.resolve();
  const sweep = async (): Promise<void> => {
    const before = now() - every() * DUE;
    const due = (await people.asked.due(before)).filter(({ issuer }) => issuer === provider.issuer);
    const next = due[Symbol.iterator]();
    const failures: { readonly caller: Person; readonly error: unknown }[] = [];
    const isAway = (): boolean => failures.some(({ error }) => error instanceof IssuerProblem && error.kind === "away");
    const work = async (): Promise<void> => {
      for (const caller of next) {
        // The others are asked about another time, instead of waiting for each of them now.
        if (isClosed || isAway()) return;
        try {
          const claimed = await people.asked.claim(caller, before);
          if (claimed) await recheckPerson(caller, options, (error) => failures.push({ caller, error }));
        } catch (error) {
          failures.push({ caller, error });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const [first] = failures;
    if (first === undefined) return;
    const others = failures.length === 1 ? "" : ` and ${failures.length - 1} others`;
    onError(`${describePerson(first.caller)}${others} could not be confirmed at the identity provider`, first.error);
  };
  const again = (): void => {
    if (isClosed) return;
    timer = clock.setTimeout(
      () => {
        running = sweep()
          .catch((error: unknown) => onError("people could not be confirmed at the identity provider", error))
          .then(again);
      },
      Math.max(100, every() / 10),
    );
    keepNobodyAwake(timer);
  };
  again();
  return {
    sweep,
    async close() {
      isClosed = true;
      clock.clearTimeout(timer);
      await running;
    },
  };
}

type OnFailure = (error: unknown) => void;

async function recheckPerson(
  caller: Omit<Caller, "client">,
  options: RecheckOptions,
  onFailure: OnFailure,
): Promise<void> {
  const { issuer, subject } = caller;
  const person = { issuer, subject };
  const { people, sessions, browsers, authorizations, holds, log } = options;
  const [kept, given, open, isHeld] = await Promise.all([
    sessions.list(person),
    authorizations.list(person),
    browsers.list(person),
    holds(person),
  ]);
  const held = isHeld ? kept.slice(0, 1).map(({ browser }) => browser) : [];
  const needed = new Set([...given.map(({ browser }) => browser), ...open.map(({ id }) => id), ...held]);
  let confirmed = 0;
  for (const session of kept) {
    if (!needed.has(session.browser)) await sessions.drop(person, session.browser);
    else if (await recheckSession(person, session, options, onFailure)) confirmed += 1;
    else {
      await browsers.end({ person, id: session.browser });
      await authorizations.end(person, { browser: session.browser });
    }
  }
  if (confirmed > 0 || given.length + open.length === 0) return;
  // Also what belongs to no session that is known.
  if ((await authorizations.list(person)).length > 0) await authorizations.end(person);
  await browsers.end({ person });
  await people.announce({ kind: "ended", person });
  const text = "has to log in again: the identity provider no longer confirms any of their sessions";
  log({ type: "person.out", text, principal: describePerson(person) });
}

/** Whether the session goes on. */
async function recheckSession(
  person: Person,
  session: KeptSession,
  options: RecheckOptions,
  onFailure: OnFailure,
): Promise<boolean> {
  const { people, provider, sessions, keys, log, now = Date.now } = options;
  const { refreshToken, confirmed } = session;
  const age = now() - confirmed;
  if (refreshToken === null) return age < BROWSER_SESSION_LIFE;
  // Another machine may have the key; with ours, it was sealed for another client.
  if (refreshToken.kind === "closed")
    return refreshToken.key !== null && !keys().includes(refreshToken.key) && age < UNCONFIRMED;
  try {
    const renewed = await renewSession({ provider, sessions }, person, session);
    if (renewed === null || renewed.caller === null || !(await people.asked.update(renewed.caller))) return true;
    const text = `has other people groups or claims now; groups: ${renewed.caller.groups.join(", ") || "none"}`;
    log({ type: "person.changed", text, principal: describePerson(person) });
    return true;
  } catch (error) {
    if (!(error instanceof IssuerProblem)) throw error;
    if (error.kind === "refused") return false;
    onFailure(error);
    return age < UNCONFIRMED;
  }
}
