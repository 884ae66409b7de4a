import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayConfig } from "../../../../config/config.ts";
import { formatOrigin } from "../../../../core/codes/origin.ts";
import { isToolcribError } from "../../../../core/codes/toolcrib-error.ts";
import { mapPerson } from "../../../../core/people/map-person.ts";
import { type Caller, describePerson } from "../../../../core/people/person.ts";
import type { Toolset } from "../../../../core/toolset/toolset.ts";
import type { SlackAccounts } from "../../../../runtime/approvals/slack-accounts.ts";
import type { AuditCall, AuditRow } from "../../../../runtime/audit/audit-row.ts";
import type { PersonTools } from "../../../../runtime/crib/person-tools.ts";
import type { UsedBudget } from "../../../../runtime/limits/read-usage.ts";
import type {
  Authorizations,
  BrowserSession,
  BrowserSessions,
  PeopleNote,
} from "../../../../runtime/people/contract.ts";
import { revealText } from "../../../../system/text/reveal-text.ts";
import { HttpRefusal } from "../../api/answers.ts";
import type { PeopleRoute } from "../../door/people-port.ts";
import { type Cookies, formToken, isFormToken } from "../pages/cookies.ts";
import { sendElsewhere, sendPage } from "../pages/page.ts";
import { readForm, readQuery } from "../pages/read-form.ts";
import { type PersonCall, type PersonLogin, type PersonTool, type PersonView, personPage } from "./person-page.ts";

/** What the page shows of what is not about logging in. */
export interface PersonPorts {
  /** What somebody gets now. Throws what keeps them from all of it. */
  readonly tools: (caller: Caller) => PersonTools;
  /** Their last calls on this machine, newest first. */
  readonly calls: (principal: string) => Promise<readonly (AuditRow & AuditCall)[]>;
  /** What they have used of the limits about them, on all machines; they see no limits if absent. */
  readonly limits?: (caller: Caller) => Promise<readonly UsedBudget[]>;
}

interface PersonRoom extends PersonPorts {
  /** Logins at servers; absent where nobody has any. */
  readonly logins?: (caller: Caller) => Promise<readonly PersonLogin[]>;
  readonly publicUrl: string;
  readonly auth: () => GatewayConfig["auth"];
  readonly cookies: Cookies;
  readonly browsers: Pick<BrowserSessions, "find" | "list" | "end">;
  readonly authorizations: Pick<Authorizations, "list" | "end">;
  readonly loginAddress: (back: string) => string;
  readonly log: (note: PeopleNote) => void;
  /** Their Slack accounts; null where nobody answers in Slack. */
  readonly slack: () => Pick<SlackAccounts, "list"> | null;
}

const PERSON_PATH = "/me";

/** `/me`: a person's own page, and what its forms do. */
export function personRoutes(room: PersonRoom): ReadonlyMap<string, PeopleRoute> {
  return new Map([
    [PERSON_PATH, { anyOrigin: false, answer: (request, response) => answerPerson(room, request, response) }],
  ]);
}

async function answerPerson(room: PersonRoom, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "" } = request;
  if (!["GET", "HEAD", "POST"].includes(method))
    throw new HttpRefusal(405, "http.method", "only GET, HEAD and POST are answered here", {
      allow: "GET, HEAD, POST",
    });
  const cookie = room.cookies.read(request, "session");
  const session = cookie === null ? null : await room.browsers.find(cookie);
  if (cookie === null || session === null) return sendElsewhere(response, room.loginAddress(PERSON_PATH));
  if (method !== "POST") {
    const done = DONE.get(readQuery(request).get("done") ?? "") ?? null;
    return sendPage(response, 200, personPage(await viewOf(room, session, cookie, done)));
  }
  const form = await readForm(request, response);
  if (!isFormToken(form.get("token"), cookie))
    throw new HttpRefusal(403, "http.forbidden", "this form is not from the page of this browser; open /me");
  const done = await carryOut(room, session.caller, form);
  sendElsewhere(response, `${PERSON_PATH}?done=${done}`);
}

const DONE: ReadonlyMap<string, string> = new Map([
  ["client", "That client has no access any more."],
  ["browser", "That browser is logged out."],
  ["login-revoked", "You are disconnected there, and the login was revoked."],
  [
    "login-not-offered",
    "The login is forgotten. The server offers no way to revoke it, so it counts there until it runs out.",
  ],
  [
    "login-failed",
    "The login is forgotten. It could not be revoked at the server, so it counts there until it runs out.",
  ],
  ["login-key", "The key is forgotten. Where you made it, it counts until you delete it."],
  ["slack", "That Slack account is linked no more."],
]);

/** Ids count only among the person's own: those of others end nothing. */
async function carryOut(room: PersonRoom, caller: Caller, form: ReadonlyMap<string, string>): Promise<string> {
  const [client, browser] = [form.get("client"), form.get("browser")];
  const principal = describePerson(caller);
  if (client !== undefined) {
    const own = (await room.authorizations.list(caller)).find(({ id }) => id === client);
    if (own === undefined) throw gone();
    await room.authorizations.end(caller, { id: client });
    room.log({
      type: "authorization.ended",
      text: `${principal} took back what ${own.clientName} (${own.client}) had`,
      principal,
    });
    return "client";
  }
  if (browser === undefined) throw new HttpRefusal(400, "http.invalid-request", "this form says nothing to do");
  if (!(await room.browsers.list(caller)).some(({ id }) => id === browser)) throw gone();
  await room.browsers.end({ person: caller, id: browser });
  return "browser";
}

function gone(): HttpRefusal {
  return new HttpRefusal(404, "http.not-found", "there is nothing of that name, or not any more");
}

async function viewOf(
  room: PersonRoom,
  { id, caller }: BrowserSession,
  cookie: string,
  done: string | null,
): Promise<PersonView> {
  const { profiles, roles } = mapPerson(caller, room.auth()?.people ?? []);
  const [clients, browsers, calls, logins, limits, slack] = await Promise.all([
    room.authorizations.list(caller),
    room.browsers.list(caller),
    room.calls(describePerson(caller)),
    room.logins?.(caller) ?? [],
    limitsOf(room, caller),
    room.slack()?.list(caller) ?? null,
  ]);
  return {
    ...{ caller, profiles, roles, clients, browsers, logins, limits, slack, browser: id, done },
    ...toolsOf(room, caller),
    calls: calls.map(toPersonCall),
    endpoint: `${room.publicUrl}/mcp`,
    token: formToken(cookie),
  };
}

/** Where nothing can be given to somebody, the part about tools says so. */
async function limitsOf(room: PersonRoom, caller: Caller): Promise<readonly UsedBudget[]> {
  try {
    return (await room.limits?.(caller)) ?? [];
  } catch (error) {
    if (!isToolcribError(error) || error.code !== "agent.bound") throw error;
    return [];
  }
}

function toolsOf(room: PersonRoom, caller: Caller): Pick<PersonView, "tools" | "others" | "problem"> {
  try {
    const { toolset, givenToNobody } = room.tools(caller);
    const own = toolset.placements.filter(({ entry }) => !givenToNobody.has(entry.identity));
    return { tools: own.map(toPersonTool), others: givenToNobody.size, problem: null };
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    return { tools: null, others: 0, problem: error.message };
  }
}

function toPersonTool({ entry, standing, trace }: Toolset["placements"][number]): PersonTool {
  const reasons = trace.flatMap(({ verdict, reason }) => (verdict === "hide" ? [reason] : []));
  return {
    name: revealText(entry.identity),
    description: revealText(entry.tool.description),
    isHidden: standing === "hidden",
    reasons: reasons.map(({ text, origin }) => revealText(`${text} (${formatOrigin(origin)})`)),
  };
}

function toPersonCall({ tool, time, client, decision, result }: AuditRow & AuditCall): PersonCall {
  const outcome = result ?? decision?.decision ?? "running";
  return { tool: revealText(tool), at: `${time.slice(0, 16).replace("T", " ")}Z`, client: revealText(client), outcome };
}
