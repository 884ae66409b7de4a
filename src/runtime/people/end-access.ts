import type { Person } from "../../core/people/person.ts";
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
}
