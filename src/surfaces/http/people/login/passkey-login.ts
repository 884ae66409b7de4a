import { describePerson } from "../../../../core/people/person.ts";
import { isRecord } from "../../../../core/shape/is-record.ts";
import { challengeOf, newSecret } from "../../../../runtime/people/attempts.ts";
import { passkeyOwner } from "../../../../runtime/people/passkeys/passkeys.ts";
import { checkNewPasskey } from "../../../../runtime/people/passkeys/webauthn.ts";
import { HttpRefusal, sendJson, sendText } from "../../api/answers.ts";
import { readJsonBody } from "../../api/read-json.ts";
import type { PeoplePage } from "../pages/page.ts";
import { sendElsewhere, sendPage } from "../pages/page.ts";
import { readQuery } from "../pages/read-form.ts";
import { invitationPage, type PasskeyQuestion, passkeyPage } from "./login-pages.ts";
import { type LoginRoom, letIn, loginSecret, onlyMethod, type PathAnswer, toOwnPath, whoIs } from "./login-room.ts";
import { PASSKEY_SCRIPT } from "./passkey-script.ts";

const BODY_BYTES = 16 * 1024;
type Purpose = "new" | "known";

export function sendScript(): PathAnswer {
  return async (request, response) => {
    onlyMethod(request, "GET", "HEAD");
    sendText(response, PASSKEY_SCRIPT, "text/javascript; charset=utf-8");
  };
}

/** `/login/passkey`: the page, and what its script sends. */
export function logInWithPasskey(room: LoginRoom): PathAnswer {
  const { publicUrl, people, passkeys, log } = room;
  return async (request, response) => {
    onlyMethod(request, "GET", "HEAD", "POST");
    if (request.method !== "POST") {
      const goOn = toOwnPath(readQuery(request).get("back"), publicUrl);
      if ((await whoIs(room, request)) !== null) return sendElsewhere(response, goOn);
      return sendQuestion(room, { purpose: "known", goOn, page: passkeyPage }, [request, response]);
    }
    const fields = await readFields(request, response, [
      "state",
      "id",
      "owner",
      "clientData",
      "authenticatorData",
      "signature",
    ]);
    const { goOn, expected } = await takeAttempt(room, request, fields.state, "known");
    const found = await passkeys.check(fields, expected);
    const row = "wrong" in found ? null : await people.find(found);
    if ("wrong" in found || row === null || row.ended !== null) {
      const why = "wrong" in found ? found.wrong : "nobody has access with it";
      const text = `a passkey was refused: ${why}`;
      log({ type: "person.refused", text, ...("wrong" in found ? {} : { principal: describePerson(found) }) });
      throw refused("This passkey opens nothing here. An admin can invite you again.");
    }
    const cookie = await letIn(room, request, { ...row.caller, client: null }, null);
    log({ type: "person.in", text: "logged in with a passkey", principal: describePerson(row.caller) });
    sendJson(response, 200, { location: goOn }, { "set-cookie": cookie });
  };
}

/** `/login/invitation`: the page; its link's secret is behind "#", and comes here with what the script sends. */
export function acceptInvitation(room: LoginRoom): PathAnswer {
  const { people, passkeys, invitations, log } = room;
  return async (request, response) => {
    onlyMethod(request, "GET", "HEAD", "POST");
    if (request.method !== "POST")
      return sendQuestion(room, { purpose: "new", goOn: toOwnPath(undefined, room.publicUrl), page: invitationPage }, [
        request,
        response,
      ]);
    const fields = await readFields(request, response, [
      "state",
      "token",
      "id",
      "clientData",
      "authenticatorData",
      "publicKey",
    ]);
    const { goOn, expected } = await takeAttempt(room, request, fields.state, "new");
    const passkey = checkNewPasskey(fields, expected);
    if ("wrong" in passkey) throw refused(`This passkey cannot be taken: ${passkey.wrong}.`);
    const invitation = await findInvitation(room, fields.token);
    if ((await people.find(invitation.caller))?.ended) throw refused("Your access has ended; ask an admin.");
    // Only one of two who come at once has it from here on.
    if ((await invitations.use(fields.token)) === null) throw gone();
    await passkeys.replace(invitation.caller, fields.id, passkey);
    const cookie = await letIn(room, request, { ...invitation.caller, client: null }, null);
    const text = `took the invitation of ${invitation.by} and made a passkey`;
    log({ type: "person.in", text, principal: describePerson(invitation.caller) });
    sendJson(response, 200, { location: goOn }, { "set-cookie": cookie });
  };
}

/** `/login/invitation/open`: whom the invitation is for. */
export function openInvitation(room: LoginRoom): PathAnswer {
  return async (request, response) => {
    onlyMethod(request, "POST");
    const { token } = await readFields(request, response, ["token"]);
    const { caller } = await findInvitation(room, token);
    sendJson(response, 200, { name: caller.name ?? caller.subject, owner: passkeyOwner(caller) });
  };
}

interface Question {
  readonly purpose: Purpose;
  readonly goOn: string;
  readonly page: (question: PasskeyQuestion) => PeoplePage;
}

async function sendQuestion(
  room: LoginRoom,
  { purpose, goOn, page }: Question,
  [request, response]: Parameters<PathAnswer>,
): Promise<void> {
  const { secret, cookie } = loginSecret(room, request);
  const attempt = { state: newSecret(), secret };
  await room.attempts.begin(attempt, goOn);
  const host = new URL(room.publicUrl).hostname;
  const question = { state: attempt.state, challenge: challengeOf(attempt, purpose), host };
  sendPage(response, 200, page(question), { "set-cookie": cookie });
}

/** A challenge is answered once, by the browser that it was made for. */
async function takeAttempt(room: LoginRoom, request: Parameters<PathAnswer>[0], state: string, purpose: Purpose) {
  const secret = room.cookies.read(request, "login") ?? "";
  const goOn = secret === "" ? null : await room.attempts.take({ state, secret });
  if (goOn === null) throw refused("This page is too old; load it again.");
  return { goOn, expected: { challenge: challengeOf({ state, secret }, purpose), origin: room.publicUrl } };
}

async function findInvitation({ invitations }: LoginRoom, token: string) {
  const found = await invitations.find(token);
  if (found === null) throw gone();
  return found;
}

/** All of them texts. */
async function readFields<Name extends string>(
  request: Parameters<PathAnswer>[0],
  response: Parameters<PathAnswer>[1],
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const body = await readJsonBody(request, response, BODY_BYTES);
  const fields = names.map((name) => {
    const value = isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined;
    if (typeof value !== "string")
      throw new HttpRefusal(400, "http.invalid-request", `${JSON.stringify(name)} is missing, or is no text`);
    return [name, value] as const;
  });
  return Object.fromEntries(fields) as Record<Name, string>; // Every name, as just read.
}

function refused(text: string): HttpRefusal {
  return new HttpRefusal(403, "people.refused", text);
}

function gone(): HttpRefusal {
  const text = "This invitation is not known, was used, or is too old. An admin can send you another one.";
  return new HttpRefusal(410, "people.refused", text);
}
