import type { AuthConfig } from "../../../../config/shape/people-shape.ts";
import { defaultOrigin } from "../../../../core/codes/origin.ts";
import { isToolcribError } from "../../../../core/codes/toolcrib-error.ts";
import { createAttempts } from "../../../../runtime/people/attempts.ts";
import { createBrowserSessions } from "../../../../runtime/people/browser-sessions.ts";
import type { Authorizations, BrowserSessions, PeopleNote, PeoplePlace } from "../../../../runtime/people/contract.ts";
import { createInvitations } from "../../../../runtime/people/invitations.ts";
import { createLoginProvider } from "../../../../runtime/people/issuers/login-provider.ts";
import { createPasskeys } from "../../../../runtime/people/passkeys/passkeys.ts";
import type { AllPeople } from "../../../../runtime/people/people-rows.ts";
import { createProviderSessions } from "../../../../runtime/people/provider-sessions.ts";
import { type Recheck, startRecheck } from "../../../../runtime/people/recheck.ts";
import type { KeyedSealer } from "../../../../runtime/people/sealer.ts";
import { checkSealingKeys, loadSealer, settleSealingKeys } from "../../../../runtime/people/sealing-keys.ts";
import type { PeopleRoute } from "../../door/people-port.ts";
import { createCookies } from "../pages/cookies.ts";
import { loginAddress } from "./login-room.ts";
import { loginRoutes } from "./login-routes.ts";
import { CALLBACK_PATH } from "./provider-login.ts";

export interface LoginOptions {
  /** An origin. */
  readonly publicUrl: string;
  readonly place: PeoplePlace;
  readonly people: AllPeople;
  readonly authorizations: Authorizations;
  /** The person's state folder, for a sealing key where none is configured. */
  readonly folder: string;
  /** The provider and the keys are those of the start. */
  readonly auth: () => AuthConfig | null;
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
  /** Where somebody logs in who is to come back to this path. */
  readonly loginAddress: (back: string) => string;
  close(): Promise<void>;
}

/**
 * Logging in at the company's identity provider, or with passkeys of people who were invited (O5). Throws
 * `people.wrong-key` and `config.invalid`.
 */
export async function openLogin(options: LoginOptions): Promise<LoginPages> {
  const { publicUrl, place, people, authorizations, auth, log, onError, now = Date.now } = options;
  const sealer = await openSealer(options);
  const login = auth()?.login ?? null;
  const asked = (): readonly string[] => [
    ...new Set((auth()?.people ?? []).flatMap((rule) => [...rule.claims.keys()])),
  ];
  const provider =
    login === null ? null : createLoginProvider({ login, redirect: `${publicUrl}${CALLBACK_PATH}`, asked, now });
  const sessions = provider && createProviderSessions({ place, sealer, clientId: provider.clientId, now });
  const browsers = createBrowserSessions({ place, people, provider: sessions, now });
  const recheck =
    provider && sessions
      ? startRecheck({
          ...{ people, provider, sessions, browsers, authorizations, log, onError, now },
          keys: sealer.keys,
          settleKeys: () => settleSealingKeys(place, sealer),
          every: () => auth()?.recheck ?? 900_000,
        })
      : null;
  const routes = loginRoutes({
    ...{ publicUrl, provider, browsers, people, authorizations, log, onError },
    attempts: createAttempts(place, now),
    invitations: createInvitations(place, { publicUrl, people, now }),
    passkeys: createPasskeys(place, now),
    cookies: createCookies(publicUrl),
  });
  return { routes, browsers, recheck, loginAddress, close: async () => recheck?.close() };
}

/** A store that is away is no reason not to start; with a wrong key nothing must. */
async function openSealer({ place, folder, auth, onError }: LoginOptions): Promise<KeyedSealer> {
  const { keys, origin } = auth() ?? { keys: null, origin: defaultOrigin };
  const sealer = await loadSealer({ keys: keys ?? [], origin, folder });
  await checkSealingKeys(place, sealer).catch((error: unknown) => {
    if (!isToolcribError(error) || error.code !== "store.unavailable") throw error;
    onError("whether the sealing keys are right is not known while the store is away", error);
  });
  return sealer;
}
