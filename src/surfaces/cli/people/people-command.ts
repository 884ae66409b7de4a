import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { describePerson } from "../../../core/people/person.ts";
import { createAuthorizations } from "../../../runtime/people/authorizations.ts";
import type { PersonRow } from "../../../runtime/people/contract.ts";
import { endAccess } from "../../../runtime/people/end-access.ts";
import { createInvitations } from "../../../runtime/people/invitations.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { PEOPLE_ACTIONS } from "../command-line/options.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { byHere } from "./by-here.ts";
import { choosePerson, unknownPerson } from "./choose-person.ts";
import { changePeople, listPeople } from "./own-people.ts";
import { formatPeople, formatPerson, toPersonRow } from "./people-text.ts";

type Action = (input: CommandInput, name: string) => Promise<number>;

/** `toolcrib people [list|show NAME|invite NAME|end NAME|admit NAME]`: who comes in to this workspace's gateway. */
export async function runPeople(input: CommandInput): Promise<number> {
  const [word = "list", name = null] = input.args.operands;
  const action = parseWord("the action", word, PEOPLE_ACTIONS);
  if (action !== "list" && name === null) throw usage(`toolcrib people ${action} needs the NAME of a person`);
  if (action === "list" && name !== null) throw usage(`toolcrib people list has no use for ${JSON.stringify(name)}`);
  return ACTIONS[action](input, name ?? "");
}

const ACTIONS: Readonly<Record<(typeof PEOPLE_ACTIONS)[number], Action>> = { list, show, invite, end, admit };

async function list(input: CommandInput): Promise<number> {
  const { people, config } = await listPeople(input);
  const rows = people.map((row) => toPersonRow(row, config));
  printAnswer(input, { people: rows }, () =>
    rows.length === 0 ? "Nobody has come in yet.\n" : formatPeople(rows, input.io.columns),
  );
  return 0;
}

async function show(input: CommandInput, name: string): Promise<number> {
  const { people, config } = await listPeople(input);
  const row = toPersonRow(find(people, name), config);
  printAnswer(input, { person: row }, () => formatPerson(row));
  return 0;
}

/** A link for somebody without an identity provider, or for one of them who has lost their passkey (O5). */
async function invite(input: CommandInput, name: string): Promise<number> {
  return changePeople(input, async ({ rows, place, config }, note) => {
    const publicUrl = config.gateway.publicUrl?.value ?? "";
    const known = choosePerson(await rows.list(), name);
    if (known !== null && known.caller.issuer !== publicUrl)
      throw settled(`${describePerson(known.caller)} logs in at ${known.caller.issuer}, and needs no invitation`, name);
    const groups = input.args.list("groups") ?? known?.caller.groups ?? [];
    const again = known === null ? {} : { again: known.caller };
    const invited = { name: known?.caller.name ?? name, email: known?.caller.email ?? null, groups, ...again };
    const { link, until } = await createInvitations(place, { publicUrl, people: rows }).create(invited, byHere());
    const text = `${byHere()} invited ${JSON.stringify(invited.name)} with ${groups.length === 0 ? "no people groups" : `people groups ${groups.join(", ")}`}`;
    note({ type: "person.invited", text, ...(known === null ? {} : { principal: describePerson(known.caller) }) });
    const end = new Date(until).toISOString();
    const told = `For ${invited.name} alone, once, until ${end.slice(0, 16).replace("T", " ")}Z: it lets in who opens it first.`;
    printAnswer(input, { link, until: end, name: invited.name, groups }, () => writeLines([link, told]));
    return 0;
  });
}

/** Ends what somebody has, on every machine (O8). */
async function end(input: CommandInput, name: string): Promise<number> {
  return changePeople(input, async ({ rows, place }, note) => {
    const { caller, ended } = find(await rows.list(), name);
    const who = describePerson(caller);
    if (ended !== null) throw settled(`the access of ${who} was ended already, by ${ended.by}`, who);
    const question = `End the access of ${who}: tokens, browsers, sessions and running calls, on every machine?`;
    if (!(await confirm(input, question, [who]))) return 1;
    const authorizations = createAuthorizations(place, { people: rows, log: note });
    await endAccess({ place, people: rows, authorizations }, caller, byHere());
    note({ type: "person.ended", text: `their access was ended by ${byHere()}`, principal: who });
    const text = `The access of ${who} has ended. "toolcrib people admit" lets them log in again.`;
    printAnswer(input, { ended: who }, () => writeLines([text]));
    return 0;
  });
}

async function admit(input: CommandInput, name: string): Promise<number> {
  return changePeople(input, async ({ rows }, note) => {
    const { caller, ended } = find(await rows.list(), name);
    const who = describePerson(caller);
    if (ended === null) throw settled(`${who} may come in as it is`, who);
    await rows.readmit(caller);
    note({ type: "person.admitted", text: `${byHere()} let them log in again`, principal: who });
    printAnswer(input, { admitted: who }, () => writeLines([`${who} can log in again.`]));
    return 0;
  });
}

function find(people: readonly PersonRow[], name: string): PersonRow {
  const found = choosePerson(people, name);
  if (found === null) throw unknownPerson(name, people);
  return found;
}

function settled(text: string, who: string): ToolcribError {
  return new ToolcribError("people.unchanged", text, { names: [who] });
}
