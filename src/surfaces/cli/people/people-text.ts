import type { Config } from "../../../config/config.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { describeBecause, mapPerson } from "../../../core/people/map-person.ts";
import { describePerson } from "../../../core/people/person.ts";
import { personProfile } from "../../../runtime/crib/profile.ts";
import type { PersonRow } from "../../../runtime/people/contract.ts";
import { escapeText, writeLines } from "../../../system/text/escape-text.ts";
import { type Column, formatTable } from "../terminal/table.ts";

/** What `toolcrib people --json` says about one. */
interface PersonAnswer {
  readonly person: string;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly groups: readonly string[];
  readonly profiles: readonly string[];
  readonly roles: readonly string[];
  /** Which rule gives what, as sentences. */
  readonly because: readonly string[];
  /** What keeps them from getting any tool; null if nothing does. */
  readonly problem: string | null;
  readonly since: string;
  readonly seen: string;
  readonly ended: { readonly at: string; readonly by: string } | null;
}

/** What somebody gets by the rules as they are now; rules about clients are left out. */
export function toPersonRow({ caller: known, since, seen, ended }: PersonRow, config: Config): PersonAnswer {
  const caller = { ...known, client: null };
  const { issuer, subject, name, email, groups } = caller;
  const { profiles, roles } = mapPerson(caller, config.gateway.auth?.people ?? []);
  const because = [
    ...[...profiles].map(([profile, why]) => describeBecause(`profile ${JSON.stringify(profile)}`, why)),
    ...[...roles].map(([role, why]) => describeBecause(`role ${role}`, why)),
  ];
  return {
    ...{ person: describePerson(caller), issuer, subject, name, email, groups, because },
    profiles: [...profiles.keys()],
    roles: [...roles.keys()],
    problem: profiles.size === 0 ? "no rule gives a profile, so there are no tools" : findProblem(config, caller),
    ...{ since: toDate(since), seen: toDate(seen) },
    ended: ended && { at: toDate(ended.at), by: ended.by },
  };
}

function findProblem(config: Config, caller: Parameters<typeof personProfile>[1]): string | null {
  try {
    personProfile(config, caller);
    return null;
  } catch (error) {
    if (isToolcribError(error)) return error.message;
    throw error;
  }
}

const COLUMNS: readonly Column[] = [
  { heading: "PERSON", shrinks: true },
  { heading: "NAME", shrinks: true, drops: true },
  { heading: "PROFILES" },
  { heading: "ROLES" },
  { heading: "SEEN" },
];

export function formatPeople(people: readonly PersonAnswer[], width: number | null): string {
  const rows = people.map(({ person, name, profiles, roles, seen, ended }) => [
    escapeText(person),
    escapeText(name ?? ""),
    escapeText(profiles.join(", ") || "none"),
    roles.join(", "),
    ended === null ? `${seen.slice(0, 16).replace("T", " ")}Z` : "ended",
  ]);
  return writeLines(formatTable(COLUMNS, rows, width));
}

export function formatPerson(row: PersonAnswer): string {
  const { person, name, email, groups, because, problem, since, seen, ended } = row;
  const known = [name, email].flatMap((each) => each ?? []).join(", ");
  return writeLines([
    `${escapeText(person)}${known === "" ? "" : ` (${escapeText(known)})`}`,
    ...(ended === null ? [] : [`  access ended ${ended.at} by ${escapeText(ended.by)}`]),
    `  people groups: ${escapeText(groups.join(", ") || "none")}`,
    ...because.map((each) => `  ${escapeText(each)}`),
    ...(problem === null ? [] : [`  ${escapeText(problem)}`]),
    `  first came in ${since}, last ${seen}`,
    `What they get: toolcrib list --person ${escapeText(person)}`,
  ]);
}

function toDate(time: number): string {
  return new Date(time).toISOString();
}
