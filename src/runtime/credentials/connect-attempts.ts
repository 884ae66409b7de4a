import { createHash } from "node:crypto";
import { type Person, personKey } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import type { PendingLogin } from "../../sources/mcp/oauth/begin-server-login.ts";
import type { PeoplePlace, Sealer } from "../people/contract.ts";
import { peopleValues } from "../people/people-values.ts";

/** People on their way through a login at a server; any machine takes them on, also after a restart (O12). */
export interface ConnectAttempts {
  /** The state is a new secret, which comes back from the authorization server. */
  begin(state: string, attempt: ConnectAttempt): Promise<void>;
  /** Takes it back, once. Only who has begun it can, in the same browser. */
  take(state: string, by: Pick<ConnectAttempt, "person" | "browser">): Promise<TakenAttempt>;
}

interface ConnectAttempt {
  readonly person: Person;
  /** The id of their browser session. */
  readonly browser: string;
  readonly server: string;
  readonly pending: PendingLogin;
}

type TakenAttempt =
  | { readonly kind: "own"; readonly server: string; readonly pending: PendingLogin }
  /** It stays with its owner. */
  | { readonly kind: "another's"; readonly owner: Person; readonly server: string }
  /** Unknown, too old, begun in another browser, taken before, or not sealed by us. */
  | { readonly kind: "unknown" };

interface StoredAttempt extends Pick<ConnectAttempt, "person" | "server"> {
  readonly browser: string;
  readonly until: number;
  readonly sealed: string;
}

/** Milliseconds to log in. */
const PATIENCE = 600_000;

export function createConnectAttempts(
  place: PeoplePlace,
  sealer: Sealer,
  now: () => number = Date.now,
): ConnectAttempts {
  const values = peopleValues(place, "people.connecting");
  const about = ({ person: { issuer, subject }, server, browser }: Omit<ConnectAttempt, "pending">) => [
    "connecting",
    ...[place.scope, issuer, subject, server, browser],
  ];
  return {
    begin(state, { pending, ...attempt }) {
      const { issuer, subject } = attempt.person;
      const { server, browser } = attempt;
      const sealed = sealer.seal(JSON.stringify(pending), about(attempt));
      return values.change(
        digestOf(state),
        (): StoredAttempt => ({
          ...{ person: { issuer, subject }, server, browser: digestOf(browser), until: now() + PATIENCE, sealed },
        }),
      );
    },
    async take(state, { person, browser }) {
      let taken: TakenAttempt = { kind: "unknown" };
      await values.change(digestOf(state), (value) => {
        taken = { kind: "unknown" };
        const found = fromStored(value);
        if (found === null || now() >= found.until) return undefined;
        const { person: owner, server, sealed } = found;
        if (personKey(owner) !== personKey(person)) {
          taken = { kind: "another's", owner, server };
          return value;
        }
        if (found.browser !== digestOf(browser)) return value;
        const text = sealer.open(sealed, about({ person, server, browser }));
        // As `begin` sealed it.
        if (text !== null) taken = { kind: "own", server, pending: parseJson(text) as unknown as PendingLogin };
        return undefined;
      });
      return taken;
    },
  };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function fromStored(value: unknown): StoredAttempt | null {
  if (!isRecord(value) || !isRecord(value.person) || typeof value.until !== "number") return null;
  return value as unknown as StoredAttempt; // As `begin` writes it.
}
