import type { Config } from "../../../config/config.ts";
import type { Caller } from "../../../core/people/person.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { Overrides } from "../command-line/overrides.ts";
import { choosePerson, unknownPerson } from "../people/choose-person.ts";
import { listPeople } from "../people/own-people.ts";

type Named = Pick<Overrides, "person" | "groups" | "client">;

/**
 * Who a question is about: somebody who has come in, as the store knows them; with `--groups` also somebody who has not,
 * as the identity provider would describe them.
 */
export async function findCaller(input: CommandInput, { person, groups, client }: Named): Promise<Caller> {
  const name = person?.value ?? "";
  const { people, config } = await listPeople(input);
  const known = choosePerson(people, name)?.caller ?? (groups === null ? null : stranger(name, config));
  if (known === null) throw unknownPerson(name, people, "; --groups LIST asks about somebody who has not");
  return { ...known, client: client?.value ?? null, groups: groups ?? known.groups };
}

/** Somebody whom the identity provider would let in, or who would be invited. */
function stranger(subject: string, { gateway: { auth, publicUrl } }: Config): Omit<Caller, "client"> {
  const issuer = auth?.login?.issuer ?? publicUrl?.value ?? "";
  return { issuer, subject, groups: [], claims: [], name: null, email: null };
}
