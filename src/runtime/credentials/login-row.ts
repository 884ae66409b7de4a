import type { CredentialKind } from "../../config/shape/credential-shape.ts";
import type { Person } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Sealer } from "../people/contract.ts";

/** What a row is bound to: if that is changed in it, it no longer opens. */
export interface LoginBond {
  readonly kind: Extract<CredentialKind, "person" | "key">;
  /** Of the server; null for a process. */
  readonly origin: string | null;
  /** The authorization server; null for a key. */
  readonly issuer: string | null;
  readonly clientId: string | null;
}

/** A login or key as it is stored. */
export interface LoginRow extends LoginBond {
  /** What was asked for, by the configuration at the time. */
  readonly scope: string | null;
  readonly since: number;
  /** Why it no longer counts; null while it does. */
  readonly trouble: string | null;
  readonly sealed: string;
}

/** A row, opened. */
export interface OpenLogin {
  readonly row: LoginRow;
  /** Null: sealed with a key that is not here, about something else, or changed. */
  readonly secret: string | null;
}

/** Whose it is. */
export interface LoginOwner {
  readonly scope: string;
  readonly person: Person;
  /** The server's name in the configuration. */
  readonly server: string;
}

export function sealLoginRow(sealer: Sealer, owner: LoginOwner, bond: LoginBond, secret: string): string {
  return sealer.seal(secret, aboutOf(owner, bond));
}

export function openLoginRow(sealer: Sealer, owner: LoginOwner, row: LoginRow): OpenLogin {
  return { row, secret: sealer.open(row.sealed, aboutOf(owner, row)) };
}

function aboutOf({ scope, person, server }: LoginOwner, { kind, ...bond }: LoginBond): readonly string[] {
  const rest = [bond.origin, bond.issuer, bond.clientId].map((part) => (part === null ? "-" : `+${part}`));
  return ["upstream credential", kind, scope, person.issuer, person.subject, server, ...rest];
}

/** As it was written; null for what is none. */
export function toLoginRow(value: unknown): LoginRow | null {
  if (!isRecord(value)) return null;
  const { kind, since, sealed } = value;
  if ((kind !== "person" && kind !== "key") || typeof since !== "number" || typeof sealed !== "string") return null;
  const text = (part: unknown): string | null => (typeof part === "string" ? part : null);
  return {
    ...{ kind, since, sealed, origin: text(value.origin), issuer: text(value.issuer) },
    ...{ clientId: text(value.clientId), scope: text(value.scope), trouble: text(value.trouble) },
  };
}
