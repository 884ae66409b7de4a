import type { Person } from "../../core/people/person.ts";
import type { PeoplePlace } from "../people/contract.ts";
import { peopleValues } from "../people/people-values.ts";
import { toLoginRow } from "./login-row.ts";

/** At which servers something is stored for a person, and why it is no longer used; null while it is. Opens nothing. */
export async function readStoredLogins(
  place: PeoplePlace,
  person: Person,
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await peopleValues(place, "people.logins", person).entries();
  return new Map(
    [...rows].flatMap(([server, value]) => {
      const row = toLoginRow(value);
      return row === null ? [] : [[server, row.trouble] as const];
    }),
  );
}
