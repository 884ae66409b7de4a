import type { AuthConfig } from "../../../../config/shape/people-shape.ts";
import type { Person } from "../../../../core/people/person.ts";
import type { Upstream } from "../../../../runtime/credentials/open-upstream.ts";
import { createAttempts } from "../../../../runtime/people/attempts.ts";
import { createBrowserSessions } from "../../../../runtime/people/browser-sessions.ts";
import type { Authorizations, BrowserSessions, PeopleNote, PeoplePlace } from "../../../../runtime/people/contract.ts";
import { createInvitations } from "../../../../runtime/people/invitations.ts";
import { createPasskeys } from "../../../../runtime/people/passkeys/passkeys.ts";
import type { AllPeople } from "../../../../runtime/people/people-rows.ts";
import { type Recheck, startRecheck } from "../../../../runtime/people/recheck.ts";
import type { PeopleRoute } from "../../door/people-port.ts";
import { createCookies } from "../pages/cookies.ts";
import { loginAddress } from "./login-room.ts";
import { loginRoutes } from "./login-routes.ts";

export interface LoginOptions {
  /** An origin. */
  readonly publicUrl: string;
  readonly place: PeoplePlace;
  readonly people: AllPeople;
  readonly authorizations: Authorizations;
  /** With the provider, as it was at the start. */
  readonly upstream: Pick<Upstream, "login" | "sealer">;
  readonly auth: () => AuthConfig | null;
  /** Whether somebody needs their login also while no browser or client of theirs does. */
  readonly holds?: (person: Person) => Promise<boolean>;
  readonly log: (note: PeopleNote) => void;
  readonly onError: (text: string, error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface LoginPages {
  readonly routes: ReadonlyMap<string, PeopleRoute>;
  readonly browsers: BrowserSessions;
  /** Null where there is no provider to ask. */
  readonly recheck: Recheck | null;
  /** Whether a login of the person still counts: the identity provider has not refused to confirm it. */
  readonly isConfirmed: (person: Person) => Promise<boolean>;
  /** Where somebody logs in who is to come back to this path. */
  readonly loginAddress: (back: string) => string;
  close(): Promise<void>;
}

/** Logging in at the company's identity provider, or with passkeys of people who were invited (O5). */
export function openLogin(options: LoginOptions): LoginPages {
  const { publicUrl, place, people, authorizations, upstream, auth, log, onError, now = Date.now } = options;
  const { provider, sessions } = upstream.login ?? { provider: null, sessions: null };
  const browsers = createBrowserSessions({ place, people, provider: sessions, now });
  const recheck =
    provider && sessions
      ? startRecheck({
          ...{ people, provider, sessions, browsers, authorizations, log, onError, now },
          keys: () => upstream.sealer.keys,
          every: () => auth()?.recheck ?? 900_000,
          holds: options.holds ?? (async () => false),
        })
      : null;
  const routes = loginRoutes({
    ...{ publicUrl, provider, browsers, people, authorizations, log, onError },
    attempts: createAttempts(place, now),
    invitations: createInvitations(place, { publicUrl, people, now }),
    passkeys: createPasskeys(place, now),
    cookies: createCookies(publicUrl),
  });
  const isConfirmed = async (person: Person): Promise<boolean> =>
    person.issuer === publicUrl ||
    ((await sessions?.list(person)) ?? []).length > 0 ||
    (await browsers.list(person)).length > 0;
  return { routes, browsers, recheck, isConfirmed, loginAddress, close: async () => recheck?.close() };
}
