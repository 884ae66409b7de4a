import { describePerson, type Person } from "../../core/people/person.ts";
import type { Authorizations, BrowserSessions, PeopleNote, PeopleRows } from "./contract.ts";

export interface EndAccessParts {
  readonly people: Pick<PeopleRows, "end">;
  readonly authorizations: Pick<Authorizations, "end">;
  readonly browsers: Pick<BrowserSessions, "end">;
  readonly log: (note: PeopleNote) => void;
}

/** Ends everything that somebody has, and lets them no longer in, in one act (O8). */
export async function endAccess(parts: EndAccessParts, person: Person, by: string): Promise<void> {
  const { people, authorizations, browsers, log } = parts;
  // First what keeps anything new from beginning; the rest must not count again once somebody is let in again.
  await people.end(person, by);
  await authorizations.end(person);
  await browsers.end({ person });
  log({ type: "person.out", text: `was kept out by ${by}`, principal: describePerson(person) });
}
