import { createHash } from "node:crypto";
import type { NameList, Origin } from "../codes/origin.ts";
import { isClient } from "../people/map-person.ts";
import { type Caller, personKey } from "../people/person.ts";

/** What is counted: calls, calls that run at once, tokens of results, or millionths of a US dollar for models. */
export type Measure = "calls" | "atOnce" | "tokens" | "money";
export const PERIODS = ["minute", "day", "month"] as const;
export type Period = (typeof PERIODS)[number];
export const EACH = ["person", "group", "client", "server", "tool"] as const;
type Each = (typeof EACH)[number];

/** How much may be used (O13), as the configuration says. */
export interface UsageLimit {
  readonly origin: Origin;
  readonly measure: Measure;
  readonly most: number;
  /** Null for calls at once. */
  readonly period: Period | null;
  /** What has an amount of its own; with none of them all share one. */
  readonly each: readonly Each[];
  /** It is about callers with one of these people groups; null: whatever groups they have. */
  readonly groups: readonly string[] | null;
  /** About calls from one of these clients; null: from any. */
  readonly clients: readonly string[] | null;
  /** About tools of one of these servers; null: of any, and what belongs to no server. */
  readonly servers: readonly string[] | null;
  /** About these tools; null: any. */
  readonly tools: NameList | null;
  /** It refuses nothing: it says that it was passed. */
  readonly isSoft: boolean;
  /** The profile that it is part of; null: of the gateway as a whole. */
  readonly profile: string | null;
}

/** Whose call it is, as limits tell them apart. */
export interface LimitedCaller {
  /** The same for the same person or, without one, for the same entry of the configuration. */
  readonly person: string;
  readonly groups: readonly string[];
  /** The client's id; without a person the entry's own name. */
  readonly client: string;
}

/** Whom limits count somebody as; without a person, the entry that their token belongs to. */
export function toLimitedCaller(
  caller: Caller | null,
  entry: { readonly key: string; readonly principal: string },
): LimitedCaller {
  if (caller === null) return { person: `entry ${entry.key}`, groups: [], client: entry.principal };
  return { person: personKey(caller), groups: caller.groups, client: caller.client ?? "" };
}

/** One amount that is used up: of one limit, for one person, client and so on. */
export interface Budget {
  readonly limit: UsageLimit;
  /** The same on every machine, whatever the amount: a changed one counts what was used before. */
  readonly id: string;
  /** What it is for, in the order of `limit.each`. */
  readonly of: readonly (readonly [Each, string])[];
}

/** Whether a limit is about somebody at all, whatever they call. */
export function isAboutCaller({ groups, clients }: UsageLimit, caller: LimitedCaller): boolean {
  if (groups !== null && !groups.some((group) => caller.groups.includes(group))) return false;
  return clients === null || clients.some((client) => isClient(caller.client, client));
}

/** The budgets of a limit that a call would use up; several only where it is for each of several people groups. */
export function budgetsOf(
  limit: UsageLimit,
  caller: LimitedCaller,
  { server, tool }: { readonly server: string; readonly tool: string },
): readonly Budget[] {
  const own = { person: [caller.person], client: [caller.client], server: [server], tool: [tool] };
  const groups = (limit.groups ?? caller.groups).filter((group) => caller.groups.includes(group));
  let all: readonly Budget["of"][] = [[]];
  for (const each of limit.each) {
    const values = each === "group" ? groups : own[each];
    all = all.flatMap((of) => values.map((value): Budget["of"] => [...of, [each, value]]));
  }
  return all.map((of) => toBudget(limit, of));
}

export function toBudget(limit: UsageLimit, of: Budget["of"]): Budget {
  return { limit, of, id: digestOf([identityOf(limit), of]) };
}

/** The same for limits that count the same, whatever they allow. */
export function limitId(limit: UsageLimit): string {
  return digestOf(identityOf(limit));
}

/** Of several limits that count the same the lowest, so that nothing is counted twice. */
export function withoutRepeats(limits: readonly UsageLimit[]): readonly UsageLimit[] {
  const lowest = new Map<string, UsageLimit>();
  for (const limit of limits) {
    const id = limitId(limit);
    const known = lowest.get(id);
    if (known === undefined || limit.most < known.most) lowest.set(id, limit);
  }
  return [...lowest.values()];
}

function identityOf(limit: UsageLimit): unknown {
  const { measure, period, each, groups, clients, servers, tools, isSoft, profile } = limit;
  const named = (list: readonly string[] | null) => list && [...list].sort();
  const tool = tools?.value.map(({ value }) => value) ?? null;
  return [
    measure,
    period,
    [...each].sort(),
    named(groups),
    named(clients),
    named(servers),
    named(tool),
    isSoft,
    profile,
  ];
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
