import type { IncomingMessage, ServerResponse } from "node:http";
import { ToolcribError } from "../../../../core/codes/toolcrib-error.ts";
import { describePerson } from "../../../../core/people/person.ts";
import { sendElsewhere } from "../pages/page.ts";
import { readQuery } from "../pages/read-form.ts";
import { CONNECT_FORM, type ConnectRoom, findOwnServer, placeOf, type Visitor } from "./connect-room.ts";
import { refuseStranger } from "./refuse-stranger.ts";

/** Milliseconds for asking for a token, and for keeping it. */
const FINISHING = 30_000;

/** Somebody is back from an authorization server: the other half of `beginConnect`, on any machine. */
export async function finishConnect(
  room: ConnectRoom,
  request: IncomingMessage,
  response: ServerResponse,
  { session: { id, caller } }: Visitor,
): Promise<void> {
  const params = readQuery(request);
  const [code = null, error = null] = [params.get("code"), params.get("error")];
  const taken = await room.attempts.take(params.get("state") ?? "", { person: caller, browser: id });
  if (taken.kind === "another's")
    throw refuseStranger(room, caller, { owner: taken.owner, what: `a login at ${taken.server}` });
  if (taken.kind === "unknown")
    throw new ToolcribError(
      "login.failed",
      "This login cannot be completed: it was begun in another browser, was finished before, or took longer than ten minutes.",
    );
  const server = findOwnServer(room, taken.server, caller);
  const store = room.credentials.loginStore(server, caller);
  // Its entry has changed in the meantime.
  if (store === null || placeOf(server)?.href !== taken.pending.url)
    throw new ToolcribError("login.failed", "The server was changed in the meantime; begin again.");
  const { finishServerLogin } = await import("../../../../sources/mcp/oauth/finish-server-login.ts");
  const signal = AbortSignal.timeout(FINISHING);
  const login = await finishServerLogin(taken.pending, { code, error, iss: params.get("iss") }, { signal });
  await store.alone(signal, () => store.write(login));
  const principal = describePerson(caller);
  room.log({ type: "login.made", text: `${principal} logged in at ${server.name} (${login.issuer})`, principal });
  sendElsewhere(response, `${CONNECT_FORM}?${new URLSearchParams({ server: server.name, done: "in" })}`);
}
