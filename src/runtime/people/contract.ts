import type { Caller, Person } from "../../core/people/person.ts";
import type { SharedStore } from "../store/late-store.ts";

/** Where rows about people are stored: the same for all machines behind one public address. */
export interface PeoplePlace {
  readonly store: SharedStore;
  readonly scope: string;
}

/** What a token lets its bearer do. */
export interface Pass {
  readonly caller: Caller;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Our own tokens, in families of one authorization each: a person has given a client access (O4). */
export interface Authorizations {
  /** A first access token and refresh token. */
  issue(caller: Caller, scopes: readonly string[]): Promise<IssuedTokens>;
  /** The next ones; null for a refresh token that does not count (`invalid_grant`). */
  refresh(refreshToken: string, client: string): Promise<IssuedTokens | null>;
  /** Whose an access token is; null if it is not ours, has expired or was revoked. Asks the store. */
  find(accessToken: string): Promise<Pass | null>;
  /** Revokes the family of an access or refresh token of this client. */
  revoke(token: string, client: string): Promise<void>;
  list(person: Person): Promise<readonly Authorization[]>;
  /** Ends one, or all of a person. */
  end(person: Person, id?: string): Promise<void>;
  /** New people groups and claims, which count from the next call on. */
  renew(caller: Omit<Caller, "client">): Promise<void>;
}

export interface IssuedTokens {
  readonly accessToken: string;
  /** Absent in the grace of a retired refresh token. */
  readonly refreshToken?: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly scopes: readonly string[];
}

/** What a person has given a client. */
export interface Authorization {
  readonly id: string;
  readonly client: string;
  /** As the client names itself. */
  readonly clientName: string;
  readonly scopes: readonly string[];
  readonly since: number;
  readonly seen: number;
}

/** Secrets at rest (O11): what `about` says is part of the seal, so that a row copied elsewhere does not open. */
export interface Sealer {
  seal(secret: string, about: readonly string[]): string;
  /** Null if it was sealed about something else, with an unknown key, or was changed. */
  open(sealed: string, about: readonly string[]): string | null;
}

/** Browsers of people who have logged in. */
export interface BrowserSessions {
  /** The value of the cookie. */
  open(caller: Caller, provider: ProviderSession | null): Promise<string>;
  find(cookie: string): Promise<BrowserSession | null>;
  end(which: { readonly cookie: string } | { readonly person: Person } | { readonly sid: string }): Promise<void>;
}

export interface BrowserSession {
  readonly id: string;
  /** Its `client` is null. */
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** What the identity provider gave with a login; its refresh token is for the re-check alone (O8). */
export interface ProviderSession {
  readonly sid: string | null;
  readonly refreshToken: string | null;
}

/** Everybody who has come in. */
export interface PeopleRows {
  /** Records that somebody came in, with what is known about them now. Throws for one whose access has ended. */
  note(caller: Caller): Promise<void>;
  list(): Promise<readonly PersonRow[]>;
  find(person: Person): Promise<PersonRow | null>;
  /** No access from now on, on every machine, until an admin lets the person in again (O8). */
  end(person: Person, by: string): Promise<void>;
  readmit(person: Person, by: string): Promise<void>;
  /** Calls back on every machine when somebody's access ends or what they get changes. Returns how to stop. */
  follow(listener: (change: PersonChange) => void): () => void;
}

export type PersonChange =
  /** Everything of the person ends here: tokens, sessions, calls, streams, questions. */
  | { readonly kind: "ended"; readonly person: Person }
  /** What one client was given ends. */
  | { readonly kind: "revoked"; readonly person: Person; readonly client: string }
  /** Other people groups or claims. */
  | { readonly kind: "changed"; readonly person: Person };

export interface PersonRow {
  readonly caller: Omit<Caller, "client">;
  readonly since: number;
  readonly seen: number;
  readonly ended: { readonly at: number; readonly by: string } | null;
}
