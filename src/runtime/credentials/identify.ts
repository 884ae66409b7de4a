import type { CredentialConfig } from "../../config/shape/credential-shape.ts";
import { accessKey, type Caller, callerKey, describePerson, personKey } from "../../core/people/person.ts";
import type { Login } from "../../sources/mcp/oauth/login-store.ts";
import { createTokens } from "../../sources/mcp/oauth/tokens.ts";
import type { Tokens } from "../../sources/token-port.ts";
import type { UpstreamIdentity, UpstreamServer, UpstreamState } from "./contract.ts";
import type { ExchangedTokens } from "./exchanged-tokens.ts";
import type { KeptLogins } from "./kept-logins.ts";
import { createPersonLogin, whyUnusable } from "./person-login.ts";
import { createProofTokens } from "./proof-tokens.ts";
import type { SignedTokens } from "./signed-tokens.ts";
import { upstreamUrl } from "./upstream-url.ts";

/** What every kind of credential is made from. */
export interface IdentityParts {
  readonly kept: KeptLogins;
  readonly exchanged: ExchangedTokens;
  readonly signed: SignedTokens;
  readonly onLeftOver: (login: Login) => void;
}

type OwnConfig = Exclude<CredentialConfig, { readonly kind: "none" | "shared" }>;
type Make = Pick<UpstreamIdentity, "key" | "proof" | "state">;

const READY: UpstreamState = { kind: "ready" };

/** Who a caller is at a server. Never the token that the caller came with (O10). */
export function identify(server: UpstreamServer, caller: Caller | null, parts: IdentityParts): UpstreamIdentity {
  const { credentials } = server;
  if (credentials === null || credentials.kind === "shared") return common("shared", { kind: "entry" });
  if (credentials.kind === "none") return common("none", { kind: "nothing" });
  const { kind } = credentials;
  if (caller === null) return nobody(kind);
  const { issuer, subject } = caller;
  const own = makeOwn(server, credentials, caller, parts);
  return { kind, person: { issuer, subject }, login: `${kind} ${describePerson(caller)}`, ...own };
}

function common(kind: "shared" | "none", proof: UpstreamIdentity["proof"]): UpstreamIdentity {
  return { kind, key: "", login: kind, person: null, proof, state: async () => READY };
}

/** A token of the configuration belongs to no person: nobody's credentials are used, and the server sees a stranger. */
function nobody(kind: OwnConfig["kind"]): UpstreamIdentity {
  const reason = "only a person who logs in has credentials of their own there";
  return {
    ...{ kind, key: "nobody", login: "nobody", person: null, proof: { kind: "nothing" } },
    state: async () => ({ kind: "unavailable", reason }),
  };
}

function makeOwn(server: UpstreamServer, credentials: OwnConfig, caller: Caller, parts: IdentityParts): Make {
  const url = upstreamUrl(server);
  switch (credentials.kind) {
    case "person":
      return makePerson(server, url, caller, parts);
    case "key":
      return makeKey(server, url, caller, parts.kept, credentials);
    case "exchange": {
      const give: Give = (refused) => parts.exchanged.get(caller, credentials, refused);
      return {
        key: `exchange:${accessKey(caller)}`,
        proof: toProof(url, (at) => createProofTokens({ server: at, give, comes: true })),
        async state() {
          const token = await give(null, NEVER);
          const reason = parts.exchanged.why(caller, credentials) ?? "its issuer gave no token";
          return token === null ? { kind: "unavailable", reason } : READY;
        },
      };
    }
    case "signed": {
      const audience = credentials.audience ?? url?.href ?? server.name;
      const give: Give = (refused) => parts.signed.get(caller, credentials, audience, refused);
      return {
        key: `signed:${callerKey(caller)}`,
        proof: toProof(url, (at) => createProofTokens({ server: at, give, comes: false })),
        state: async () => READY,
      };
    }
  }
}

type Give = Parameters<typeof createProofTokens>[0]["give"];
const NEVER = new AbortController().signal;

/** What has no address gets nothing; the configuration was refused then. */
function toProof(url: URL | null, open: (at: URL) => Tokens): UpstreamIdentity["proof"] {
  return url === null ? { kind: "nothing" } : { kind: "tokens", open: () => open(url) };
}

function makePerson(server: UpstreamServer, url: URL | null, person: Caller, parts: IdentityParts): Make {
  const { kept, onLeftOver } = parts;
  const store = createPersonLogin({ kept, server, person, onLeftOver });
  const hasOwnClient = (server.oauth?.clientId ?? null) !== null;
  const open = (at: URL): Tokens => ({ ...createTokens({ server: at, store, hasOwnClient }), isRequired: true });
  return {
    key: `person:${personKey(person)}`,
    proof: toProof(url, open),
    state: stateOf(server, person, kept, "person"),
  };
}

function makeKey(
  server: UpstreamServer,
  url: URL | null,
  person: Caller,
  kept: KeptLogins,
  { header, prefix, variable }: Extract<CredentialConfig, { readonly kind: "key" }>,
): Make {
  const read = async (): Promise<string | null> => {
    const open = await kept.find(person, server.name);
    return open === null || whyUnusable(open, server, "key") !== null ? null : open.secret;
  };
  const sentAs = { header, prefix };
  const variables = async () => {
    const key = await read();
    return key === null || variable === null ? null : new Map([[variable, key]]);
  };
  return {
    key: `key:${personKey(person)}`,
    proof:
      url === null
        ? { kind: "variables", read: variables }
        : toProof(url, (at) => createProofTokens({ server: at, sentAs, give: read, comes: true })),
    state: stateOf(server, person, kept, "key"),
  };
}

function stateOf(server: UpstreamServer, person: Caller, kept: KeptLogins, kind: "person" | "key") {
  return async (): Promise<UpstreamState> => {
    const open = await kept.find(person, server.name);
    const what = kind === "key" ? "needs-key" : "needs-login";
    if (open === null) return { kind: what, reason: `there is no ${kind === "key" ? "key" : "login"} of theirs yet` };
    const reason = whyUnusable(open, server, kind);
    return reason === null ? READY : { kind: what, reason };
  };
}
