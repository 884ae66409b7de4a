import type { Config } from "../../../config/config.ts";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { describePerson, type Person } from "../../../core/people/person.ts";
import type { KeptCredential, UpstreamCredentials } from "../../../runtime/credentials/contract.ts";
import { serversWithLogins } from "../../../runtime/credentials/own-servers.ts";
import type { PeoplePlace, PersonRow } from "../../../runtime/people/contract.ts";
import { escapeText, writeLines } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { LOGIN_ACTIONS } from "../command-line/options.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { choosePerson, unknownPerson } from "../people/choose-person.ts";
import { changePeople, listPeople, readPeople } from "../people/own-people.ts";
import { settingPlaces } from "../running/work-place.ts";
import { toldOf } from "../stored/own-audit.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { openBrowser } from "./open-browser.ts";
import { describeRevocation } from "./servers-text.ts";

/** What `toolcrib logins --json` says about one. */
interface LoginAnswer {
  readonly person: string;
  readonly server: string;
  readonly kind: KeptCredential["kind"];
  readonly issuer: string | null;
  readonly since: string;
  /** Why it is no longer used; null while it is. */
  readonly trouble: string | null;
}

/** `toolcrib logins [list|connect SERVER|forget SERVER]`: people's own logins at the servers behind a gateway (O12). */
export async function runLogins(input: CommandInput): Promise<number> {
  const [word = "list", server] = input.args.operands;
  const action = parseWord("the action", word, LOGIN_ACTIONS);
  if (action === "list") {
    if (server !== undefined) throw usage(`toolcrib logins list has no use for ${JSON.stringify(server)}`);
    return list(input);
  }
  if (server === undefined) throw usage(`toolcrib logins ${action} needs the NAME of a server`);
  return action === "connect" ? connect(input, server) : forget(input, server);
}

async function list(input: CommandInput): Promise<number> {
  const name = input.args.value("person");
  const logins = await readPeople(input, async (own) => {
    const people = (await own?.rows.list()) ?? [];
    const asked = name === null ? people : [find(people, name)];
    if (own === null || asked.length === 0) return [];
    return withCredentials(input, own, async (credentials) => {
      const all = await Promise.all(asked.map(async ({ caller }) => toAnswers(caller, await credentials.list(caller))));
      return all.flat();
    });
  });
  printAnswer(input, { logins }, () =>
    logins.length === 0 ? "Nobody has a login at a server here.\n" : formatLogins(logins, input.io.columns),
  );
  return 0;
}

function toAnswers(person: Person, kept: readonly KeptCredential[]): readonly LoginAnswer[] {
  return kept.map(({ server, kind, issuer, since, trouble }) => ({
    ...{ person: describePerson(person), server, kind, issuer, trouble },
    since: new Date(since).toISOString(),
  }));
}

/** A login is made in the person's own browser: nothing here could show who they are. */
async function connect(input: CommandInput, name: string): Promise<number> {
  const { config } = await listPeople(input);
  const { publicUrl } = config.gateway;
  const own = serversWithLogins(config).map((server) => server.name);
  if (publicUrl === null || !own.includes(name)) {
    const known = own.length === 0 ? "none has them" : `these have: ${own.join(", ")}`;
    const text = `people have no logins of their own at ${JSON.stringify(name)} (credentials: person or key; ${known})`;
    throw new ToolcribError("server.unknown", text, { names: [name] });
  }
  const address = new URL("/connect", publicUrl.value);
  address.searchParams.set("server", name);
  const isOpened = !input.args.has("no-open") && input.io.canAsk && (await openBrowser(address, input.io.env));
  const text = isOpened ? "Your browser has opened this page:" : "Open this page in your browser:";
  printAnswer(input, { address: address.href }, () => writeLines([text, address.href]));
  return 0;
}

/** Forgets what somebody has at a server, and revokes it there; their connections end on every machine. */
async function forget(input: CommandInput, server: string): Promise<number> {
  const name = input.args.value("person");
  if (name === null) throw usage("toolcrib logins forget needs --person NAME: whose login it is");
  return changePeople(input, async ({ rows, place, config }, note) => {
    const { caller } = find(await rows.list(), name);
    const who = describePerson(caller);
    return withCredentials(input, { place, config }, async (credentials) => {
      const kept = (await credentials.list(caller)).find((each) => each.server === server);
      if (kept === undefined) {
        printAnswer(input, { forgotten: null }, () => writeLines([`${who} has no login at ${server}.`]));
        return 1;
      }
      if (!(await confirm(input, `Forget what ${who} has at ${server}, and revoke it there?`, [who]))) return 1;
      const revocation = await credentials.forget(caller, server);
      note({
        type: "login.forgotten",
        text: `their ${kept.kind === "key" ? "key" : "login"} at ${server} was forgotten on the command line`,
        principal: who,
      });
      const said =
        kept.kind === "key" ? " Where it was made, it counts until it is deleted." : describeRevocation(revocation);
      printAnswer(input, { forgotten: { person: who, server }, revoked: revocation?.kind === "revoked" }, () =>
        writeLines([`Forgot what ${who} had at ${server}.${said}`]),
      );
      return 0;
    });
  });
}

interface Own {
  readonly place: PeoplePlace;
  readonly config: Config;
}

async function withCredentials<T>(
  input: CommandInput,
  { place, config }: Own,
  work: (credentials: UpstreamCredentials) => Promise<T>,
): Promise<T> {
  const { openUpstream } = await import("../../../runtime/credentials/open-upstream.ts");
  const upstream = await openUpstream({
    ...{ place, publicUrl: config.gateway.publicUrl?.value ?? "", folder: stateFolder(settingPlaces(input.io)) },
    auth: () => config.gateway.auth,
    onError: toldOf(input).onError,
  });
  try {
    return await work(upstream.credentials);
  } finally {
    await upstream.close();
  }
}

const COLUMNS: readonly Column[] = [
  { heading: "PERSON", shrinks: true },
  { heading: "SERVER" },
  { heading: "WHAT" },
  { heading: "SINCE" },
  { heading: "STATE", shrinks: true },
];

function formatLogins(logins: readonly LoginAnswer[], width: number | null): string {
  const rows = logins.map(({ person, server, kind, since, trouble }) => [
    ...[escapeText(person), escapeText(server), kind === "key" ? "key" : "login", since.slice(0, 10)],
    trouble === null ? "in use" : escapeText(`not used: ${trouble}`),
  ]);
  return writeLines(formatTable(COLUMNS, rows, width));
}

function find(people: readonly PersonRow[], name: string): PersonRow {
  const found = choosePerson(people, name);
  if (found === null) throw unknownPerson(name, people);
  return found;
}
