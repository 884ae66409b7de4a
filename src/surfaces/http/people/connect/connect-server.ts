import type { ServerResponse } from "node:http";
import { isToolcribError, ToolcribError } from "../../../../core/codes/toolcrib-error.ts";
import { describePerson } from "../../../../core/people/person.ts";
import type { UpstreamServer } from "../../../../runtime/credentials/contract.ts";
import { newSecret } from "../../../../runtime/people/attempts.ts";
import { sendPage } from "../pages/page.ts";
import { leavingPage } from "./connect-pages.ts";
import { CLIENT_PATH, CONNECT_CALLBACK, type ConnectRoom, placeOf, type Visitor } from "./connect-room.ts";

/** Milliseconds for finding out where to log in. */
const BEGINNING = 30_000;

/** Sends somebody off to log in at a server, from where they come back to `finishConnect`. */
export async function beginConnect(
  room: ConnectRoom,
  server: UpstreamServer,
  { session }: Visitor,
  response: ServerResponse,
): Promise<void> {
  const { publicUrl, attempts, clients } = room;
  const url = placeOf(server);
  if (url === null) throw notOffered("its entry names no address, so that nobody knows where its logins are");
  if (server.transport.type === "openapi" && (server.oauth?.authorizationUrl ?? null) === null)
    throw notOffered(
      "an API does not say where people log in, so its entry needs oauth.authorizationUrl and oauth.tokenUrl",
    );
  const { beginServerLogin } = await import("../../../../sources/mcp/oauth/begin-server-login.ts");
  const state = newSecret();
  const { address, pending } = await beginServerLogin({
    ...{ server: url, headers: headersOf(server), state, redirect: `${publicUrl}${CONNECT_CALLBACK}` },
    settings: server.oauth ?? NO_SETTINGS,
    // Nobody else could read it.
    document: publicUrl.startsWith("https:") ? `${publicUrl}${CLIENT_PATH}` : null,
    registrations: clients(url),
    signal: AbortSignal.timeout(BEGINNING),
  });
  await attempts.begin(state, { person: session.caller, browser: session.id, server: server.name, pending });
  sendPage(response, 200, leavingPage(server, address), { refresh: `0; url=${address.href}` });
}

/** Keeps the key that somebody entered; what is wrong with it in words, null if it is kept. */
export async function takeKey(
  { credentials, log }: ConnectRoom,
  server: UpstreamServer,
  { session: { caller } }: Visitor,
  key: string,
): Promise<string | null> {
  if (key.trim() === "") return "Nothing was entered.";
  try {
    await credentials.putKey(server, caller, key.trim());
  } catch (error) {
    if (isToolcribError(error) && error.code.startsWith("credentials."))
      return "This cannot be a key: a request could not carry it.";
    throw error;
  }
  const principal = describePerson(caller);
  log({ type: "login.made", text: `${principal} entered their key for ${server.name}`, principal });
  return null;
}

function headersOf({ transport }: UpstreamServer): Readonly<Record<string, string>> {
  return transport.type === "stdio" ? {} : Object.fromEntries(transport.headers);
}

function notOffered(why: string): ToolcribError {
  return new ToolcribError("login.not-offered", `Nobody can log in there yet: ${why}.`);
}

const NO_SETTINGS = { clientId: null, clientSecret: null, scope: null };
