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
  /** The id of the authorization behind it; two of one person for one client are two (O8). */
  readonly authorization: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Our own tokens, in families of one authorization each: a person has given a client access (O4). */
export interface Authorizations {
  /** The code for which a client gets its first tokens, once and soon. */
  allow(given: GivenAccess): Promise<string>;
  /** A first access token and refresh token; null for a code that does not count (`invalid_grant`). */
  redeem(code: string, shown: ShownWithCode): Promise<IssuedTokens | null>;
  /** The next ones; null for a refresh token that does not count (`invalid_grant`). */
  refresh(refreshToken: string, client: string): Promise<IssuedTokens | null>;
  /**
   * Whose an access token is, with what is known about the person now; null if it is not ours, has expired or was
   * revoked. Asks the store.
   */
  find(accessToken: string): Promise<Pass | null>;
  /** Revokes the family of an access or refresh token of this client. */
  revoke(token: string, client: string): Promise<void>;
  list(person: Person): Promise<readonly Authorization[]>;
  /** Ends one, those given in one browser session, or all of a person; others learn of each that it is revoked. */
  end(person: Person, which?: { readonly id: string } | { readonly browser: string }): Promise<void>;
}

/** What a person lets a client have. */
export interface GivenAccess {
  readonly caller: Pick<Caller, "issuer" | "subject" | "client">;
  /** As the client names itself. */
  readonly clientName: string;
  readonly scopes: readonly string[];
  /** Where the code is sent, as asked for. */
  readonly redirect: string;
  /** The S256 challenge of PKCE. */
  readonly challenge: string;
  /** The browser session it is given in: when the identity provider ends that session, the tokens end with it. */
  readonly browser: string | null;
}

/** What a client has to show with its code. */
export interface ShownWithCode {
  readonly client: string;
  /** Null if it names none; PKCE binds the code all the same. */
  readonly redirect: string | null;
  readonly verifier: string;
}

export interface IssuedTokens {
  readonly accessToken: string;
  /** The same one for all who come with its predecessor while that still counts. */
  readonly refreshToken: string;
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
  /** The browser session it was given in. */
  readonly browser: string | null;
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
  /** The value of the cookie: always a new one, so that nobody can have known it before (session fixation). */
  open(caller: Caller, provider: ProviderSession | null): Promise<string>;
  /** Null for an unknown one, one that is too old, and one of a person whose access has ended. */
  find(cookie: string): Promise<BrowserSession | null>;
  list(person: Person): Promise<readonly BrowserSession[]>;
  /** Returns those that ended, also such as were too old: authorizations that were given in them may have to end too. */
  end(which: EndedBrowsers): Promise<readonly EndedBrowser[]>;
}

interface EndedBrowser {
  readonly id: string;
  readonly person: Person;
}

type EndedBrowsers =
  | { readonly cookie: string }
  /** All of a person, or the one with this id. */
  | { readonly person: Person; readonly id?: string }
  /** One session at the identity provider. */
  | { readonly issuer: string; readonly sid: string };

export interface BrowserSession {
  readonly id: string;
  /** Its `client` is null. */
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** What the identity provider gave with a login; its refresh token is for asking again about the person (O8). */
export interface ProviderSession {
  readonly sid: string | null;
  readonly refreshToken: string | null;
  /** What can be exchanged for tokens of servers (O10). */
  readonly tokens?: ProviderTokens;
}

/** Tokens of the person, for us. */
export interface ProviderTokens {
  readonly access: string | null;
  readonly id: string | null;
  /** When the first of them expires, in milliseconds since 1970. */
  readonly expires: number;
}

/** What about people is worth a row in the log. */
export interface PeopleNote {
  readonly type:
    | "authorization.given"
    | "authorization.ended"
    | "authorization.replayed"
    | "client.registered"
    | "login.forgotten"
    | "login.made"
    | "login.refused"
    | "person.in"
    | "person.out"
    | "person.refused"
    | "person.changed"
    | "person.ended"
    | "person.admitted"
    | "person.invited"
    | "keys.rotated";
  readonly text: string;
  /** The person, as the log names them. */
  readonly principal?: string;
}

/** Everybody who has come in. */
export interface PeopleRows {
  /** Records that somebody came in, with what is known about them now. Throws for one whose access has ended. */
  note(caller: Omit<Caller, "client">): Promise<void>;
  list(): Promise<readonly PersonRow[]>;
  find(person: Person): Promise<PersonRow | null>;
  /** No access from now on, on every machine, until an admin lets the person in again (O8). */
  end(person: Person, by: string): Promise<void>;
  readmit(person: Person): Promise<void>;
  /** Lets every machine know of a change, this one included. */
  announce(change: PersonChange): Promise<void>;
  /** Calls back on every machine when somebody's access ends or what they get changes. Returns how to stop. */
  follow(listener: (change: PersonChange) => void): () => void;
}

export type PersonChange =
  /** Everything of the person ends here: tokens, sessions, calls, streams, questions. */
  | { readonly kind: "ended"; readonly person: Person }
  /** What one client was given ends: tokens of that authorization, and what was opened with them. */
  | { readonly kind: "revoked"; readonly person: Person; readonly client: string; readonly authorization: string }
  /** Other people groups or claims. */
  | { readonly kind: "changed"; readonly person: Person };

export interface PersonRow {
  readonly caller: Omit<Caller, "client">;
  readonly since: number;
  readonly seen: number;
  readonly ended: { readonly at: number; readonly by: string } | null;
}
