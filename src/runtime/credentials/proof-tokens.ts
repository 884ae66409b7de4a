import { isConfidential } from "../../sources/mcp/oauth/auth-address.ts";
import { createSeenSecrets } from "../../sources/parts/seen-secrets.ts";
import type { Tokens } from "../../sources/token-port.ts";

export interface ProofTokensOptions {
  readonly server: URL;
  readonly sentAs?: Tokens["sentAs"];
  /** What to send now, or in place of one that was refused; null if there is nothing. */
  readonly give: (refused: string | null, signal: AbortSignal) => Promise<string | null>;
  /** Whether a new one can come without any request: only then is it worth looking. */
  readonly comes: boolean;
}

const NEVER = new AbortController().signal;

/** What is sent to one server for one person, however it is come by. Without it nothing is sent. */
export function createProofTokens({ server, sentAs, give, comes }: ProofTokensOptions): Tokens {
  const seen = createSeenSecrets();
  let sent: string | null = null;
  const note = (token: string | null): string | null => {
    if (token !== null) seen.add(token);
    return token;
  };
  return {
    ...(sentAs === undefined ? {} : { sentAs }),
    isRequired: true,
    async current(url, signal) {
      if (url.origin !== server.origin || !isConfidential(url)) return null;
      sent = note(await give(null, signal));
      return sent;
    },
    async renew(refused, signal, { url, status }) {
      if (refused === null || status !== 401 || url.origin !== server.origin) return null;
      const other = note(await give(refused, signal));
      if (other === null || other === refused) return null;
      sent = other;
      return other;
    },
    async hasOther() {
      const now = comes ? note(await give(null, NEVER)) : null;
      return now !== null && now !== sent;
    },
    hide: seen.hide,
    close: async () => {},
  };
}
