import type { IncomingMessage } from "node:http";
import { describePerson, type Person } from "../../../core/people/person.ts";
import { createSlackAccounts } from "../../../runtime/approvals/slack-accounts.ts";
import type { AuditNote } from "../../../runtime/audit/audit-row.ts";
import { openUpstream, type Upstream } from "../../../runtime/credentials/open-upstream.ts";
import { startUpkeep } from "../../../runtime/credentials/upkeep.ts";
import type { Profile } from "../../../runtime/crib/crib.ts";
import { createAuthorizations } from "../../../runtime/people/authorizations.ts";
import type { Authorizations, Pass, PeoplePlace, PeopleRows, PersonRow } from "../../../runtime/people/contract.ts";
import { createForeignTokens, type ForeignTokens, isForeign } from "../../../runtime/people/foreign-tokens.ts";
import { createPeopleRows } from "../../../runtime/people/people-rows.ts";
import { forgetOldRowsHourly } from "../../../runtime/people/people-values.ts";
import { createTokenTable, isAbout, type TokenRefusal, type TokenTable } from "../../../runtime/people/token-table.ts";
import type { CallerPlace, PeoplePort, PeopleRoute } from "../door/people-port.ts";
import type { ApprovalPorts } from "./approvals/approvals-room.ts";
import { openApprovals } from "./approvals/open-approvals.ts";
import { authorizationRoutes } from "./authorization/authorization-routes.ts";
import type { DocumentOptions } from "./authorization/client-documents.ts";
import { createBearers, type PeopleGateway } from "./bearers.ts";
import type { ConnectPorts } from "./connect/connect-room.ts";
import { openConnect } from "./connect/connect-routes.ts";
import { openLogin } from "./login/open-login.ts";
import { openJson } from "./open-json.ts";
import { createCookies } from "./pages/cookies.ts";
import { type PersonPorts, personRoutes } from "./person/person-routes.ts";
import { metadataOf, resourceOf, resourceRoutes } from "./resource-metadata.ts";
import { createVisitors } from "./visitors.ts";

export interface PeopleOptions {
  /** The address is that of the start. */
  readonly gateway: PeopleGateway;
  /** An origin (O1). */
  readonly publicUrl: string;
  readonly place: PeoplePlace;
  /** The person's state folder. */
  readonly folder: string;
  /** What it keeps secret for people; opened and closed here if absent. */
  readonly upstream?: Upstream;
  /** A row of the log. */
  readonly note: (note: AuditNote) => void;
  readonly onError: (text: string, error: unknown) => void;
  /** What a person's own page shows of tools and calls; there is no such page if absent. */
  readonly person?: PersonPorts;
  /** Logins of people at servers; nobody has any if absent. */
  readonly connect?: ConnectPorts;
  /** Calls that wait for people; nobody answers them here if absent. */
  readonly approvals?: ApprovalPorts;
  /** How documents of clients are fetched. */
  readonly documents?: DocumentOptions;
  /** The gateway behind the door, where people have sessions, streams and running calls. */
  readonly front: { endOf(isTheirs: (profile: Profile) => boolean): Promise<void> };
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** People of a company's gateway: who they are, and every page and endpoint that is theirs. */
export async function openPeople(options: PeopleOptions): Promise<PeoplePort> {
  const { publicUrl, place, folder, note, front, onError, now = Date.now } = options;
  let { gateway } = options;
  const resource = resourceOf(publicUrl);
  const people = createPeopleRows(place, now);
  const authorizations = createAuthorizations(place, { people, log: note, now });
  const auth = () => gateway.auth;
  const accounts = createSlackAccounts(place, now);
  const upstream = options.upstream ?? (await openUpstream({ publicUrl, place, folder, auth, onError, now }));
  const login = openLogin({
    ...{ publicUrl, place, people, authorizations, upstream, auth, log: note, onError, now },
    holds: async (person) => (await accounts.list(person)).length > 0,
  });
  const foreign = createForeignTokens({ auth: gateway.auth, resource, people, now });
  const table = createTokenTable({ find: (token) => findPass(token, { authorizations, foreign, upstream }), now });
  const bearers = createBearers({ gateway, table, note });
  const cookies = createCookies(publicUrl);
  const { browsers, loginAddress } = login;
  const connecting =
    options.connect &&
    openConnect({ ...options.connect, publicUrl, cookies, browsers, loginAddress, log: note, onError });
  const logins = connecting && { logins: connecting.list };
  const approvals = openApprovals(options.approvals ?? null, {
    ...{ publicUrl, place, auth, cookies, browsers, people, accounts, loginAddress, note, onError, now },
    isConfirmed: login.isConfirmed,
  });
  const routes = new Map<string, PeopleRoute>([
    ...resourceRoutes(publicUrl),
    ["/.well-known/jwks.json", openJson(async () => ({ keys: await upstream.signing.published() }))],
    ...login.routes,
    ...approvals.routes,
    ...(options.person === undefined
      ? []
      : personRoutes({
          ...{ ...options.person, ...logins, publicUrl, auth, cookies, browsers },
          ...{ authorizations, loginAddress, log: note },
          slack: () => (approvals.hasSlack() ? accounts : null),
        })),
    ...authorizationRoutes({
      ...{ publicUrl, resource, place, authorizations, browsers, log: note, onError },
      ...(options.documents === undefined ? {} : { documents: options.documents }),
      auth: () => gateway.auth ?? { clients: [], registration: false },
      loginAddress,
    }),
  ]);
  const stopTidying = forgetOldRowsHourly(place);
  const upkeep = startUpkeep({ upstream, people, place, auth, onError });
  const stopFollowing = followEndings({ people, table, front, upstream, note, onError });
  const visitor = createVisitors({ cookies, browsers, auth });

  return {
    visitor,
    list: people.list,
    metadata: metadataOf(publicUrl),
    route: (path) => routes.get(path) ?? connecting?.route(path) ?? null,
    known: bearers.known,
    ask: bearers.ask,
    noteMain: (request, caller, isTaken) => note(toMainNote(request, caller, isTaken)),
    noteBearer: (request, caller, principal) => note(toBearerNote(request, caller, principal)),
    setAccess({ auth = null, profiles = new Map() }) {
      gateway = { auth, profiles };
      bearers.setGateway(gateway);
      void upkeep.look();
      if (foreign.setAuth(auth)) table.clear();
    },
    async close() {
      await approvals.close();
      await login.close();
      await upkeep.close();
      if (options.upstream === undefined) await upstream.close();
      stopTidying();
      stopFollowing();
      people.close();
    },
  };
}

interface EndingParts extends Pick<PeopleOptions, "front" | "note" | "onError"> {
  readonly people: Pick<PeopleRows, "follow" | "find">;
  readonly table: Pick<TokenTable, "drop">;
  readonly upstream: Pick<Upstream, "credentials">;
}

/** Ends here what has ended anywhere; returns how to stop. */
function followEndings({ people, table, front, upstream, note, onError }: EndingParts): () => void {
  return people.follow((change) => {
    table.drop(change);
    front
      .endOf(({ caller, authorization = null }) => caller !== null && isAbout(change, { caller, authorization }))
      .then(async () => {
        if (change.kind !== "ended") return;
        const row = await people.find(change.person).catch(() => null);
        note(toEndedNote(change.person, row));
        // Somebody who has to log in again keeps their logins at servers.
        if (row?.ended != null) await upstream.credentials.end(change.person);
      })
      .catch((error: unknown) => onError("what somebody had open could not be ended everywhere", error));
  });
}

interface FindParts {
  readonly authorizations: Pick<Authorizations, "find">;
  readonly foreign: ForeignTokens;
  readonly upstream: Pick<Upstream, "subjects">;
}

/** Told apart by their form, before anybody is asked. */
async function findPass(token: string, { authorizations, foreign, upstream }: FindParts): Promise<Pass | TokenRefusal> {
  if (isForeign(token)) {
    const found = await foreign.find(token);
    if (!("refused" in found)) upstream.subjects.note(found.caller, token, found.expires);
    return found;
  }
  return (await authorizations.find(token)) ?? { refused: "nobody gave it out, it has expired, or it was revoked" };
}

/** Each machine has a log of its own, and says there what has ended on it. */
function toEndedNote(person: Person, row: PersonRow | null): AuditNote {
  const by = row?.ended?.by;
  const text = `nothing of theirs is open here any longer: their access was ended${by === undefined ? "" : ` by ${by}`}`;
  return { type: "person.ended", text, principal: describePerson(person) };
}

function toMainNote({ method, url = "" }: IncomingMessage, { address }: CallerPlace, isTaken: boolean): AuditNote {
  const what = `the gateway's own token was ${isTaken ? "used" : "refused"} for ${describeRequest({ method, url })}`;
  const why = isTaken ? "" : ", because it counts on this machine alone";
  return { type: "token.main", text: `${what} from ${address}${why}` };
}

function toBearerNote({ method, url = "" }: IncomingMessage, { address }: CallerPlace, principal: string): AuditNote {
  const what = `a client's token was refused for ${describeRequest({ method, url })}`;
  return { type: "token.refused", text: `${what} from ${address}, because it opens /mcp alone`, principal };
}

function describeRequest({ method = "", url }: { readonly method?: string | undefined; readonly url: string }): string {
  const [path = ""] = url.split("?");
  return `${method} ${path.slice(0, 100)}`;
}
