import type { ServerConfig } from "../../config/config.ts";
import type { CredentialKind } from "../../config/shape/credential-shape.ts";
import type { Caller, Person } from "../../core/people/person.ts";
import type { LoginStore } from "../../sources/mcp/oauth/login-store.ts";
import type { Revocation } from "../../sources/mcp/oauth/revoke.ts";
import type { Tokens } from "../../sources/token-port.ts";

/** Who callers of a gateway are at upstream servers (O10, O11). */
export interface UpstreamCredentials {
  /** Who this caller is at a server; without a caller, who nobody is: only what the entry itself says is used. */
  of(server: UpstreamServer, caller: Caller | null): UpstreamIdentity;
  /** Where a person's login at a server is kept; null for a server whose credentials are of another kind. */
  loginStore(server: UpstreamServer, person: Person): LoginStore | null;
  /** Keeps the key that a person entered; throws `credentials.invalid` for what no request could carry. */
  putKey(server: UpstreamServer, person: Person, key: string): Promise<void>;
  /** Logins and keys of a person, by the name of the server. */
  list(person: Person): Promise<readonly KeptCredential[]>;
  /** Forgets the login or key of a person at a server, and revokes a login there; null if there was none. */
  forget(person: Person, server: string): Promise<Revocation | null>;
  /** Calls back on every machine when a login or key was made or ended. Returns how to stop. */
  changes(listener: (change: CredentialChange) => void): () => void;
  close(): Promise<void>;
}

/** What of an entry decides who callers are there. */
export type UpstreamServer = Pick<ServerConfig, "name" | "credentials" | "oauth" | "transport">;

/** One caller at one server. */
export interface UpstreamIdentity {
  readonly kind: CredentialKind;
  /**
   * Whether connections, lists and results may be shared: only under the same key. Made of person and kind, never of
   * secrets; "" where everybody is the same.
   */
  readonly key: string;
  /** For the log: `shared`, `none`, or the kind with the person as the log names them. */
  readonly login: string;
  readonly person: Person | null;
  /** How a source proves it. */
  readonly proof: UpstreamProof;
  /** What is missing before the server can be used, as known now. */
  state(): Promise<UpstreamState>;
}

type UpstreamProof =
  /** With the headers of the entry, or a login of this machine. */
  | { readonly kind: "entry" }
  /** Not at all, even if this machine has a login. */
  | { readonly kind: "nothing" }
  /** Made for one source, which closes it. */
  | { readonly kind: "tokens"; open(): Tokens }
  /** Variables that a process gets besides its own when it starts; null: it cannot be started yet. */
  | { readonly kind: "variables"; read(): Promise<ReadonlyMap<string, string> | null> };

export type UpstreamState =
  | { readonly kind: "ready" }
  /** The person can log in or enter a key; `reason` follows "because" and names nobody. */
  | { readonly kind: "needs-login" | "needs-key"; readonly reason: string }
  /** Nothing that the person could do here. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** A login or key that is kept for a person. */
export interface KeptCredential {
  readonly server: string;
  readonly kind: "person" | "key";
  /** The server's origin at the time; a key for a process has none. */
  readonly origin: string | null;
  /** Of the authorization server. */
  readonly issuer: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Why it is no longer used; null while it is. */
  readonly trouble: string | null;
}

export interface CredentialChange {
  readonly person: Person;
  readonly server: string;
}
