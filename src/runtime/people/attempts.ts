import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace } from "./contract.ts";
import type { LoginAttempt } from "./issuers/login-provider.ts";
import { peopleValues } from "./people-values.ts";

/** Browsers on their way through a login; any machine takes them on, also after a restart. */
export interface Attempts {
  /** A new one, by a new secret as its state, which leads to a path of the gateway in the end. */
  begin(attempt: LoginAttempt, goOn: string): Promise<void>;
  /** Where it leads; null for one that is unknown, too old, of another browser or was taken before. */
  take(attempt: LoginAttempt): Promise<string | null>;
}

/** Milliseconds to log in. */
const PATIENCE = 600_000;

export function createAttempts(place: PeoplePlace, now: () => number = Date.now): Attempts {
  const values = peopleValues(place, "people.attempts");
  return {
    // The row alone helps nobody: it has neither the state nor the browser's secret.
    begin: ({ state, secret }, goOn) =>
      values.change(digestOf(state), () => ({ goOn, browser: digestOf(secret), until: now() + PATIENCE })),
    async take({ state, secret }) {
      let goOn: string | null = null;
      await values.change(digestOf(state), (value) => {
        goOn = null;
        if (!isRecord(value) || typeof value.goOn !== "string" || typeof value.until !== "number") return undefined;
        // Somebody else's browser must not use it up.
        if (!isSame(String(value.browser), digestOf(secret))) return value;
        if (now() < value.until) goOn = value.goOn;
        return undefined;
      });
      return goOn;
    },
  };
}

/** For a browser, an attempt, a challenge. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** What an authenticator is asked to sign in an attempt; another one for each purpose. */
export function challengeOf({ state, secret }: LoginAttempt, purpose: "new" | "known"): string {
  return createHmac("sha256", secret).update(`passkey ${purpose} ${state}`).digest("base64url");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
