import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { describePerson } from "../../../core/people/person.ts";
import type { PersonRow } from "../../../runtime/people/contract.ts";

/** By subject, whole name, name for people, or e-mail address; null if nobody has it. */
export function choosePerson(people: readonly PersonRow[], name: string): PersonRow | null {
  const wanted = name.toLowerCase();
  const isNamed = ({ caller }: PersonRow): boolean =>
    describePerson(caller) === name ||
    caller.subject === name ||
    [caller.name, caller.email].some((each) => each?.toLowerCase() === wanted);
  const found = people.filter(isNamed);
  const [first, second] = found;
  if (first === undefined || second === undefined) return first ?? null;
  const names = found.map(({ caller }) => describePerson(caller));
  const text = `several people are called ${JSON.stringify(name)}: ${names.join(", ")}; write one of these`;
  throw new ToolcribError("people.unknown", text, { names });
}

/** Names of people beyond this many are left out of a message. */
const SHOWN = 5;

export function unknownPerson(name: string, people: readonly PersonRow[], advice = ""): ToolcribError {
  const names = people.map(({ caller }) => describePerson(caller));
  const shown = `${names.slice(0, SHOWN).join(", ")}${names.length > SHOWN ? ", …" : ""}`;
  const who = names.length === 0 ? "nobody has come in yet" : `known: ${shown}`;
  return new ToolcribError("people.unknown", `nobody called ${JSON.stringify(name)} has come in (${who})${advice}`, {
    names,
  });
}
