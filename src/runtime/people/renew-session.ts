import type { Person } from "../../core/people/person.ts";
import type { LoginProvider } from "./issuers/login-provider.ts";
import type { KeptSession, ProviderSessions } from "./provider-sessions.ts";

interface RenewParts {
  readonly provider: Pick<LoginProvider, "renew">;
  readonly sessions: Pick<ProviderSessions, "list" | "renew" | "alone">;
}

type Renewed = Awaited<ReturnType<LoginProvider["renew"]>>;

/** Milliseconds that it may take, waiting for another machine included. */
const PATIENCE = 30_000;

/**
 * Asks the provider with the refresh token of a session. Null if another machine has done so since the session was read,
 * or it has ended. Throws an `IssuerProblem`.
 */
export function renewSession(
  { provider, sessions }: RenewParts,
  person: Person,
  { browser, refreshToken: known }: KeptSession,
): Promise<Renewed | null> {
  return sessions.alone(person, browser, AbortSignal.timeout(PATIENCE), async () => {
    const kept = (await sessions.list(person)).find((session) => session.browser === browser);
    const token = kept?.refreshToken;
    if (kept === undefined || token?.kind !== "open") return null;
    if (known?.kind !== "open" || known.sealed !== token.sealed) return null;
    const renewed = await provider.renew(token.value, person);
    const next = { refreshToken: renewed.refreshToken ?? token.value, tokens: renewed.tokens };
    await sessions.renew(person, kept, next);
    return renewed;
  });
}
