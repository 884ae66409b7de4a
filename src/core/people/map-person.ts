import { formatOrigin, type Origin } from "../codes/origin.ts";
import type { Approves } from "./may-answer.ts";
import type { Caller, Role } from "./person.ts";

/** A rule of the configuration: those whom it is about get its profile and its roles. All of its conditions must hold. */
export interface PersonRule {
  readonly origin: Origin;
  readonly issuer: string | null;
  readonly subject: string | null;
  /** One of these people groups; null if it asks for none. */
  readonly groups: readonly string[] | null;
  /** One of these clients, by id or by the host of an id that is an address. */
  readonly clients: readonly string[] | null;
  /** For each claim one of these values. */
  readonly claims: ReadonlyMap<string, readonly string[]>;
  /** Every person that comes in, where nothing else is asked for. */
  readonly everybody: boolean;
  readonly profile: string | null;
  readonly roles: readonly Role[];
  /** The servers that its role `approver` is for; null: all, and what no server runs. */
  readonly servers: readonly string[] | null;
}

/** Why somebody has something: the rule, and what of the person it found. */
export interface Because {
  readonly origin: Origin;
  /** Such as: people group "eng". */
  readonly found: string;
}

/** What a person gets. */
export interface PersonAccess {
  /** Profiles by name, each with the first rule that gives it. */
  readonly profiles: ReadonlyMap<string, Because>;
  readonly roles: ReadonlyMap<Role, Because>;
  /** What the role `approver` is for; no server without that role. */
  readonly approves: Approves;
}

/** The profiles and roles of somebody. Without a matching rule there are none, and so no tools (O6). */
export function mapPerson(caller: Caller, rules: readonly PersonRule[]): PersonAccess {
  const profiles = new Map<string, Because>();
  const roles = new Map<Role, Because>();
  const approved = new Set<string>();
  let approvesAll = false;
  for (const rule of rules) {
    const found = findReason(caller, rule);
    if (found === null) continue;
    const because = { origin: rule.origin, found };
    if (rule.profile !== null && !profiles.has(rule.profile)) profiles.set(rule.profile, because);
    for (const role of rule.roles) if (!roles.has(role)) roles.set(role, because);
    if (!rule.roles.includes("approver")) continue;
    if (rule.servers === null) approvesAll = true;
    for (const server of rule.servers ?? []) approved.add(server);
  }
  return { profiles, roles, approves: approvesAll ? "all" : approved };
}

/** A sentence for people, such as: people group "eng" gives profile "engineers" (toolcrib.yaml:41). */
export function describeBecause(what: string, { found, origin }: Because): string {
  return `${found} gives ${what} (${formatOrigin(origin)})`;
}

/** What of the person a rule is about, in words; null if it is not about this person. */
function findReason(caller: Caller, rule: PersonRule): string | null {
  const found: string[] = [];
  if (rule.subject !== null) {
    if (rule.subject !== caller.subject) return null;
    found.push(`subject ${JSON.stringify(rule.subject)}`);
  }
  if (rule.groups !== null) {
    const group = rule.groups.find((name) => caller.groups.includes(name));
    if (group === undefined) return null;
    found.push(`people group ${JSON.stringify(group)}`);
  }
  for (const [name, wanted] of rule.claims) {
    const [, values = []] = caller.claims.find(([claim]) => claim === name) ?? [];
    const value = wanted.find((each) => values.includes(each));
    if (value === undefined) return null;
    found.push(`claim ${name} ${JSON.stringify(value)}`);
  }
  if (rule.clients !== null) {
    const client = rule.clients.find((each) => isClient(caller.client, each));
    if (client === undefined) return null;
    found.push(`client ${JSON.stringify(client)}`);
  }
  if (rule.issuer !== null) {
    if (rule.issuer !== caller.issuer) return null;
    found.push(`issuer ${JSON.stringify(rule.issuer)}`);
  }
  if (found.length > 0) return found.join(" and ");
  return rule.everybody ? "coming in" : null;
}

/** By its whole id, or by the host of an https address: a name that a client gives itself proves nothing. */
export function isClient(id: string | null, wanted: string): boolean {
  if (id === null) return false;
  if (id === wanted) return true;
  return id.startsWith("https://") && URL.canParse(id) && new URL(id).host === wanted;
}
