import { createHash } from "node:crypto";

/** Somebody who may come in. Never known by an e-mail address, which anybody may be given (company.md 1). */
export interface Person {
  /** The identity provider, exactly as it names itself; the gateway's own address for people who were invited. */
  readonly issuer: string;
  readonly subject: string;
}

/** Who makes a request, as stored with everything that belongs to them (O7). All of it can be written as JSON. */
export interface Caller extends Person {
  /** The id of the client that the person uses; null for a person's browser, or a service with a token of its own. */
  readonly client: string | null;
  /** People groups, as the issuer names them. */
  readonly groups: readonly string[];
  /** Values of those claims that rules of the configuration ask about. */
  readonly claims: readonly (readonly [name: string, values: readonly string[]])[];
  /** For display alone. */
  readonly name: string | null;
  readonly email: string | null;
}

/** What somebody may do at the gateway itself (O9). */
export const ROLES = ["member", "viewer", "approver", "auditor", "admin"] as const;
export type Role = (typeof ROLES)[number];

export function isSamePerson(one: Person, other: Person): boolean {
  return one.issuer === other.issuer && one.subject === other.subject;
}

/** The same for the same person, whatever client and token they use. */
export function personKey({ issuer, subject }: Person): string {
  return digestOf([issuer, subject]);
}

/** The same for the same person and client, whatever the token. */
export function callerKey({ issuer, subject, client }: Pick<Caller, "issuer" | "subject" | "client">): string {
  return digestOf([issuer, subject, client]);
}

/**
 * The same for the same person and client with the same people groups and claims, whatever the token: what sessions,
 * streams and questions belong to (O7). Two tokens that give different access never meet in one session.
 */
export function accessKey({ issuer, subject, client, groups, claims }: Caller): string {
  const sorted = claims.map(([name, values]) => [name, [...values].sort()]).sort();
  return digestOf([issuer, subject, client, JSON.stringify([[...groups].sort(), sorted])]);
}

/** A person for logs and people: whole, so that nobody can take the name of another one. */
export function describePerson({ issuer, subject }: Person): string {
  return `${subject}@${issuer.replace(/^https?:\/\//, "")}`;
}

function digestOf(parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
