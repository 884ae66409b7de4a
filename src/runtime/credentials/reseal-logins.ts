import type { Person } from "../../core/people/person.ts";
import type { PeoplePlace } from "../people/contract.ts";
import { peopleValues } from "../people/people-values.ts";
import { type KeyedSealer, sealedWith } from "../people/sealer.ts";
import { openLoginRow, sealLoginRow, toLoginRow } from "./login-row.ts";

/** Seals the logins and keys of a person with the key that seals now; true if none is left that another one opens. */
export async function resealLogins(
  { place, sealer }: { readonly place: PeoplePlace; readonly sealer: KeyedSealer },
  person: Person,
): Promise<boolean> {
  const values = peopleValues(place, "people.logins", person);
  const isNewest = (sealed: string): boolean => sealedWith(sealed) === sealer.keys[0];
  let isWhole = true;
  for (const [server, value] of await values.entries()) {
    const row = toLoginRow(value);
    if (row === null || isNewest(row.sealed)) continue;
    const owner = { scope: place.scope, person, server };
    const { secret } = openLoginRow(sealer, owner, row);
    // What no key here opens is lost anyway, unless it is one of another machine.
    const key = sealedWith(row.sealed);
    if (secret === null) isWhole = isWhole && key !== null && sealer.keys.includes(key);
    else {
      const sealed = sealLoginRow(sealer, owner, row, secret);
      await values.change(server, (now) => {
        const then = toLoginRow(now);
        if (then !== null && then.sealed === row.sealed) return { ...then, sealed };
        isWhole = isWhole && (then === null || isNewest(then.sealed));
        return now;
      });
    }
  }
  return isWhole;
}
