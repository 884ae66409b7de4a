import type { Person } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Authorizations, PeoplePlace, PeopleRows } from "./contract.ts";
import { peopleValues } from "./people-values.ts";

export interface EndAccessParts {
  readonly place: PeoplePlace;
  readonly people: Pick<PeopleRows, "end">;
  readonly authorizations: Pick<Authorizations, "end">;
}

/**
 * Ends everything that somebody has, and lets them no longer in, in one act (O8). Also what would count again once
 * somebody is let in again.
 */
export async function endAccess(parts: EndAccessParts, person: Person, by: string): Promise<void> {
  const { place, people, authorizations } = parts;
  // First what keeps anything new from beginning.
  await people.end(person, by);
  await authorizations.end(person);
  for (const name of ["people.browsers", "people.provider-sessions", "people.slack-accounts"] as const) {
    const values = peopleValues(place, name, person);
    for (const key of (await values.entries()).keys()) await values.change(key, () => undefined);
  }
  // A running gateway revokes and forgets them; until then they do not count, not even for somebody who is let in again.
  const logins = peopleValues(place, "people.logins", person);
  for (const server of (await logins.entries()).keys())
    await logins.change(server, (row) => (isRecord(row) ? { ...row, trouble: ENDED } : undefined));
}

const ENDED = "the person's access was ended";
