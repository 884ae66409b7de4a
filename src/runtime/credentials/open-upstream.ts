import type { ExchangeCredential } from "../../config/shape/credential-shape.ts";
import type { AuthConfig } from "../../config/shape/people-shape.ts";
import { defaultOrigin } from "../../core/codes/origin.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { PeoplePlace } from "../people/contract.ts";
import { createLoginProvider, LOGIN_CALLBACK, type LoginProvider } from "../people/issuers/login-provider.ts";
import { createProviderQuestions, type ProviderQuestions } from "../people/issuers/provider-questions.ts";
import { createLiveSealer, type LiveSealer } from "../people/live-sealer.ts";
import { createProviderSessions, type ProviderSessions } from "../people/provider-sessions.ts";
import { checkSealingKeys, loadSealer } from "../people/sealing-keys.ts";
import { createCredentials, type OwnCredentials } from "./create-credentials.ts";
import type { Exchanger } from "./exchanged-tokens.ts";
import { createSigningKeys, type SigningKeys } from "./signing-keys.ts";
import { createSubjectTokens, type SubjectTokens } from "./subject-tokens.ts";

export interface UpstreamOptions {
  /** An origin. */
  readonly publicUrl: string;
  readonly place: PeoplePlace;
  /** The person's state folder, for a sealing key where none is configured. */
  readonly folder: string;
  /** `gateway.auth` as it is now; the provider is that of the start. */
  readonly auth: () => AuthConfig | null;
  /** Whether tokens of logins are worth keeping, because servers get others in exchange; no if absent. */
  readonly keepsTokens?: () => boolean;
  /** Milliseconds for which what the keys seal elsewhere is kept; null: for ever. Nothing is if absent. */
  readonly sealsElsewhere?: () => number | null;
  readonly onError: (text: string, error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What a gateway keeps secret for its people, and who they are at servers. */
export interface Upstream {
  readonly credentials: OwnCredentials;
  readonly sealer: LiveSealer;
  readonly signing: SigningKeys;
  readonly subjects: SubjectTokens;
  /** Where people log in; null where nobody does. */
  readonly login: { readonly provider: LoginProvider; readonly sessions: ProviderSessions } | null;
  readonly sealsElsewhere: () => number | null;
  close(): Promise<void>;
}

/** Throws `people.wrong-key` and `config.invalid`. */
export async function openUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { publicUrl, place, auth, keepsTokens = () => false, onError, now = Date.now } = options;
  const first = auth();
  const sealer = await openSealer(options, first);
  const asked = (): readonly string[] => [
    ...new Set((auth()?.people ?? []).flatMap((rule) => [...rule.claims.keys()])),
  ];
  const provider =
    first?.login == null
      ? null
      : createLoginProvider({ login: first.login, redirect: `${publicUrl}${LOGIN_CALLBACK}`, asked, now });
  const sessions = provider && createProviderSessions({ place, sealer, clientId: provider.clientId, keepsTokens, now });
  const login = provider && sessions && { provider, sessions };
  const signing = createSigningKeys({ place, sealer, now });
  const subjects = createSubjectTokens({ login, now });
  const exchanger = createExchangers(first?.login ?? null, now);
  const credentials = createCredentials({ place, sealer, publicUrl, signing, subjects, exchanger, onError, now });
  const { sealsElsewhere = () => 0 } = options;
  return { credentials, sealer, signing, subjects, login, sealsElsewhere, close: credentials.close };
}

/** A store that is away is no reason not to start; with a wrong key nothing must. */
async function openSealer({ place, folder, onError }: UpstreamOptions, auth: AuthConfig | null): Promise<LiveSealer> {
  const { keys, origin } = auth ?? { keys: null, origin: defaultOrigin };
  const sealer = await loadSealer({ keys: keys ?? [], origin, folder });
  await checkSealingKeys(place, sealer).catch((error: unknown) => {
    if (!isToolcribError(error) || error.code !== "store.unavailable") throw error;
    onError("whether the sealing keys are right is not known while the store is away", error);
  });
  return createLiveSealer(sealer, { place, folder });
}

/** Those who exchange tokens, each asked for its metadata once. */
function createExchangers(login: AuthConfig["login"] | null, now: () => number) {
  const known = new Map<string, ProviderQuestions>();
  return (client: ExchangeCredential["client"]): Exchanger | null => {
    const asks = client ?? login;
    if (asks === null) return null;
    const { issuer, clientId, clientSecret } = asks;
    const key = JSON.stringify([issuer, clientId, clientSecret]);
    const questions = known.get(key) ?? createProviderQuestions({ issuer, clientId, clientSecret }, now);
    known.set(key, questions);
    return { issuer, takesOthers: client !== null, askForTokens: questions.askForTokens };
  };
}
