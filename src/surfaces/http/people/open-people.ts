import type { IncomingMessage } from "node:http";
import type { GatewayConfig } from "../../../config/config.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { describePerson } from "../../../core/people/person.ts";
import type { AuditNote } from "../../../runtime/audit/audit-row.ts";
import { personProfile } from "../../../runtime/crib/profile.ts";
import { createAuthorizations } from "../../../runtime/people/authorizations.ts";
import { createBrowserSessions } from "../../../runtime/people/browser-sessions.ts";
import type { Pass, PeoplePlace } from "../../../runtime/people/contract.ts";
import { createPeopleRows } from "../../../runtime/people/people-rows.ts";
import { forgetOldRowsDaily } from "../../../runtime/people/people-values.ts";
import { createTokenTable, type TokenRefusal } from "../../../runtime/people/token-table.ts";
import { HttpRefusal } from "../api/answers.ts";
import { type Bearer, type CallerPlace, type PeoplePort, type PeopleRoute, SCOPES } from "../door/people-port.ts";
import { authorizationRoutes } from "./authorization/authorization-routes.ts";
import type { DocumentOptions } from "./authorization/client-documents.ts";
import { createCookies } from "./pages/cookies.ts";
import { metadataOf, resourceOf, resourceRoutes } from "./resource-metadata.ts";
import { createVisitors } from "./visitors.ts";

export interface PeopleOptions {
  /** What of the configuration is about people; the address is that of the start. */
  readonly gateway: Pick<GatewayConfig, "auth" | "profiles">;
  /** An origin (O1). */
  readonly publicUrl: string;
  readonly place: PeoplePlace;
  /** A row of the log. */
  readonly note: (note: AuditNote) => void;
  readonly onError: (text: string, error: unknown) => void;
  /** How documents of clients are fetched. */
  readonly documents?: DocumentOptions;
}

/** People of a company's gateway: who they are, and every page and endpoint that is theirs. */
export async function openPeople(options: PeopleOptions): Promise<PeoplePort> {
  const { publicUrl, note } = options;
  let { gateway } = options;
  const { place, onError } = options;
  const people = createPeopleRows(place);
  const authorizations = createAuthorizations(place, { people, log: note });
  const browsers = createBrowserSessions({ place, people, provider: null });
  const routes = new Map<string, PeopleRoute>([
    ...resourceRoutes(publicUrl),
    ...authorizationRoutes({
      ...{ publicUrl, resource: resourceOf(publicUrl), place, authorizations, browsers, log: note, onError },
      ...(options.documents === undefined ? {} : { documents: options.documents }),
      auth: () => gateway.auth ?? { clients: [], registration: false },
      loginAddress: (back) => `/login?${new URLSearchParams({ back })}`,
    }),
  ]);
  const find = async (token: string): Promise<Pass | TokenRefusal> =>
    (await authorizations.find(token)) ?? { refused: "nobody gave it out, it has expired, or it was revoked" };
  const table = createTokenTable({ find });
  const stopFollowing = people.follow(table.drop);
  const stopTidying = forgetOldRowsDaily(place);
  let bearers = new WeakMap<Pass, Bearer>();
  const toBearer = (pass: Pass): Bearer => {
    const known = bearers.get(pass);
    if (known !== undefined) return known;
    const scopes = SCOPES.filter((scope) => pass.scopes.includes(scope));
    const bearer = { profile: profileOf(pass, gateway), scopes };
    bearers.set(pass, bearer);
    return bearer;
  };

  const visitor = createVisitors({ cookies: createCookies(publicUrl), browsers, auth: () => gateway.auth });

  return {
    visitor,
    list: people.list,
    metadata: metadataOf(publicUrl),
    route: (path) => routes.get(path) ?? null,
    known(token, digest) {
      const pass = table.known(token, digest);
      return pass === null ? null : toBearer(pass);
    },
    async ask(token, digest, { address }) {
      const found = await table.ask(token, digest);
      if (!("refused" in found)) return toBearer(found);
      note({ type: "token.refused", text: `a token from ${address} was refused: ${found.refused}` });
      return null;
    },
    noteMain: (request, caller, isTaken) => note(toMainNote(request, caller, isTaken)),
    setAccess({ auth = null, profiles = new Map() }) {
      gateway = { auth, profiles };
      bearers = new WeakMap();
    },
    async close() {
      stopTidying();
      stopFollowing();
      people.close();
    },
  };
}

/** What rules give a person may contradict itself. */
function profileOf({ caller, authorization }: Pass, gateway: PeopleOptions["gateway"]): Bearer["profile"] {
  try {
    return personProfile({ gateway }, caller, authorization);
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    throw new HttpRefusal(403, error.code, `nothing can be given to ${describePerson(caller)}: ${error.message}`);
  }
}

function toMainNote({ method, url = "" }: IncomingMessage, { address }: CallerPlace, isTaken: boolean): AuditNote {
  const [path = ""] = url.split("?");
  const what = `the gateway's own token was ${isTaken ? "used" : "refused"} for ${method ?? ""} ${path.slice(0, 100)}`;
  const why = isTaken ? "" : ", because it counts on this machine alone";
  return { type: "token.main", text: `${what} from ${address}${why}` };
}
