import type { IncomingMessage, ServerResponse } from "node:http";
import { isToolcribError } from "../../../../core/codes/toolcrib-error.ts";
import { type Caller, describePerson } from "../../../../core/people/person.ts";
import type { UpstreamServer } from "../../../../runtime/credentials/contract.ts";
import { HttpRefusal } from "../../api/answers.ts";
import { toCallerNetwork } from "../../door/caller-address.ts";
import type { PeopleRoute } from "../../door/people-port.ts";
import { createRateLimit } from "../../door/rate-limit.ts";
import { problemPage } from "../login/login-pages.ts";
import { onlyMethod } from "../login/login-room.ts";
import { openJson } from "../open-json.ts";
import { formToken, isFormToken } from "../pages/cookies.ts";
import { sendElsewhere, sendPage } from "../pages/page.ts";
import { readForm, readQuery } from "../pages/read-form.ts";
import type { PersonLogin } from "../person/person-page.ts";
import { connectedPage, serverPage } from "./connect-pages.ts";
import {
  CLIENT_PATH,
  CONNECT_CALLBACK,
  CONNECT_FORM,
  type ConnectRoom,
  findOwnServer,
  OWN_PAGE,
  type Visitor,
  visitorOf,
} from "./connect-room.ts";
import { beginConnect, takeKey } from "./connect-server.ts";
import { finishConnect } from "./finish-connect.ts";
import { ownLogins } from "./own-logins.ts";
import { refuseStranger } from "./refuse-stranger.ts";

/** Requests of one address per second on average, and at once. A whole company may share an address. */
const RATE = [10, 300] as const;
const LINK = /^\/connect\/([\w-]{43})$/;

type Answer = (request: IncomingMessage, response: ServerResponse, visitor: Visitor) => Promise<void>;

/** Logins of people at servers: the paths where they are made and ended, and what is shown of them elsewhere. */
interface Connect {
  route(path: string): PeopleRoute | null;
  list(caller: Caller): Promise<readonly PersonLogin[]>;
}

/** Where people log in at servers (O12). Nothing happens on GET; a link counts once, for the person it was made for. */
export function openConnect(room: ConnectRoom): Connect {
  const rate = createRateLimit(...RATE, () => performance.now());
  const page = (answer: Answer): PeopleRoute => ({
    anyOrigin: false,
    async answer(request, response, { address }) {
      try {
        const seconds = rate.take(toCallerNetwork(address));
        if (seconds > 0)
          throw new HttpRefusal(429, "http.too-many", "too many requests; wait a little", {
            "retry-after": String(seconds),
          });
        const visitor = await visitorOf(room, request);
        if (visitor !== null) return await answer(request, response, visitor);
        // Not what a form says: it is to be sent again.
        const { method, url = CONNECT_FORM } = request;
        sendElsewhere(response, room.loginAddress(method === "GET" || method === "HEAD" ? url : OWN_PAGE));
      } catch (error) {
        if (response.headersSent) throw error;
        sendFailure(response, error, room);
      }
    },
  });
  const fixed = new Map<string, PeopleRoute>([
    [CONNECT_FORM, page((...given) => answerServer(room, ...given))],
    [
      CONNECT_CALLBACK,
      page(async (request, response, visitor) => {
        onlyMethod(request, "GET");
        await finishConnect(room, request, response, visitor);
      }),
    ],
    [CLIENT_PATH, openJson(describeClient(room.publicUrl))],
  ]);
  return {
    route(path) {
      const token = LINK.exec(path)?.[1];
      if (token === undefined) return fixed.get(path) ?? null;
      return page((...given) => answerLink(room, token, ...given));
    },
    list: (caller) => ownLogins(room, caller),
  };
}

/** Who the gateway is, for authorization servers that read such documents. */
function describeClient(publicUrl: string) {
  return {
    ...{ client_id: `${publicUrl}${CLIENT_PATH}`, client_name: "Toolcrib", client_uri: publicUrl },
    ...{ redirect_uris: [`${publicUrl}${CONNECT_CALLBACK}`], grant_types: ["authorization_code", "refresh_token"] },
    ...{ response_types: ["code"], token_endpoint_auth_method: "none", application_type: "web" },
  };
}

/** `/connect/SECRET`: the page that a call asked for. */
async function answerLink(room: ConnectRoom, token: string, ...[request, response, visitor]: Parameters<Answer>) {
  onlyMethod(request, "GET", "HEAD", "POST");
  const { caller } = visitor.session;
  const link = await room.links.find(token);
  if (link === null) {
    const text =
      "It was used before, or is older than ten minutes. Ask for what you wanted once more, or log in from your own page.";
    return sendPage(response, 404, problemPage("This link no longer works", text, OWN_PAGE));
  }
  const isOwn = link.person.issuer === caller.issuer && link.person.subject === caller.subject;
  if (!isOwn) throw refuseStranger(room, caller, { owner: link.person, what: `a link for ${link.server}` });
  const server = findOwnServer(room, link.server, caller);
  const action = `${CONNECT_FORM}/${token}`;
  if (request.method !== "POST") return showServer(room, server, { action }, response, visitor);
  const form = await readOwnForm(request, response, visitor);
  const used = async (): Promise<void> => {
    if ((await room.links.use(token, caller)) === null)
      throw new HttpRefusal(404, "http.not-found", "this link was used just now");
  };
  await connect(room, server, { action, form, used }, response, visitor);
}

/** `/connect?server=NAME`: the same page, from a person's own; and its forms. */
async function answerServer(room: ConnectRoom, ...[request, response, visitor]: Parameters<Answer>) {
  onlyMethod(request, "GET", "HEAD", "POST");
  const { caller } = visitor.session;
  if (request.method !== "POST") {
    const query = readQuery(request);
    const server = findOwnServer(room, query.get("server"), caller);
    if (query.get("done") === "in") return sendPage(response, 200, connectedPage(server.name));
    return showServer(room, server, { action: CONNECT_FORM }, response, visitor);
  }
  const form = await readOwnForm(request, response, visitor);
  const name = form.get("server");
  if (form.get("do") === "forget") return forget(room, name ?? "", response, visitor);
  const server = findOwnServer(room, name, caller);
  await connect(room, server, { action: CONNECT_FORM, form, used: async () => {} }, response, visitor);
}

interface Asked {
  readonly action: string;
  readonly form: ReadonlyMap<string, string>;
  /** Throws if a link was used before. */
  readonly used: () => Promise<void>;
}

async function connect(
  room: ConnectRoom,
  server: UpstreamServer,
  { action, form, used }: Asked,
  response: ServerResponse,
  visitor: Visitor,
): Promise<void> {
  if (server.credentials?.kind !== "key") {
    await used();
    return beginConnect(room, server, visitor, response);
  }
  const problem = await takeKey(room, server, visitor, form.get("key") ?? "");
  if (problem !== null) return showServer(room, server, { action, problem }, response, visitor);
  await used();
  sendElsewhere(response, `${CONNECT_FORM}?${new URLSearchParams({ server: server.name, done: "in" })}`);
}

async function showServer(
  { credentials }: ConnectRoom,
  server: UpstreamServer,
  { action, problem }: { readonly action: string; readonly problem?: string },
  response: ServerResponse,
  { session: { caller }, cookie }: Visitor,
): Promise<void> {
  const kept = (await credentials.list(caller)).find((each) => each.server === server.name) ?? null;
  const shown = { server, kept, action, token: formToken(cookie), ...(problem === undefined ? {} : { problem }) };
  sendPage(response, problem === undefined ? 200 : 400, serverPage(shown));
}

/** Also of a server that is not configured any longer: what is kept there is the person's to end. */
async function forget(
  { credentials, log }: ConnectRoom,
  server: string,
  response: ServerResponse,
  { session: { caller } }: Visitor,
): Promise<void> {
  const kept = (await credentials.list(caller)).find((each) => each.server === server);
  if (kept === undefined)
    throw new HttpRefusal(404, "http.not-found", "there is nothing of that name, or not any more");
  const revocation = await credentials.forget(caller, server);
  const principal = describePerson(caller);
  const said = revocation === null || kept.kind === "key" ? "" : ` (${revocation.kind} there)`;
  log({ type: "login.forgotten", text: `${principal} disconnected ${server}${said}`, principal });
  const done = kept.kind === "key" ? "key" : (revocation?.kind ?? "not-offered");
  sendElsewhere(response, `${OWN_PAGE}?${new URLSearchParams({ done: `login-${done}` })}`);
}

async function readOwnForm(request: IncomingMessage, response: ServerResponse, { cookie }: Visitor) {
  const form = await readForm(request, response);
  if (!isFormToken(form.get("token"), cookie))
    throw new HttpRefusal(403, "http.forbidden", "this form is not from the page of this browser; open the page again");
  return form;
}

function sendFailure(response: ServerResponse, error: unknown, room: ConnectRoom): void {
  const { status, headers = {}, title, text } = toProblem(error, room);
  sendPage(response, status, problemPage(title, text, OWN_PAGE), headers);
}

function toProblem(error: unknown, { onError }: ConnectRoom) {
  if (error instanceof HttpRefusal) {
    const { status, headers, message } = error;
    return { status, headers, title: "This cannot be answered", text: sentence(message) };
  }
  onError("somebody could not log in at a server", error);
  // Its text names no address and repeats nothing that a server said.
  if (isToolcribError(error) && error.code.startsWith("login."))
    return { status: 400, title: "You are not logged in there", text: error.message };
  const title = "This does not work now";
  return isToolcribError(error) && error.code === "store.unavailable"
    ? { status: 503, title, text: "The gateway cannot reach its store now. Those who look after it see why." }
    : { status: 500, title, text: "Something went wrong inside. Those who look after the gateway see why." };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
