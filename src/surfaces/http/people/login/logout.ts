import { describePerson, type Person } from "../../../../core/people/person.ts";
import { IssuerProblem } from "../../../../runtime/people/issuers/issuer-problem.ts";
import type { LoginProvider } from "../../../../runtime/people/issuers/login-provider.ts";
import { HttpRefusal, sendJson } from "../../api/answers.ts";
import { formToken, isFormToken } from "../pages/cookies.ts";
import { sendElsewhere, sendPage } from "../pages/page.ts";
import { readForm } from "../pages/read-form.ts";
import { loggedOutPage, logoutPage } from "./login-pages.ts";
import { type LoginRoom, onlyMethod, type PathAnswer, whoIs } from "./login-room.ts";

const LOGOUT_BYTES = 64 * 1024;

/** `/logout`: a page that asks, and its form. Clients keep what they were given. */
export function logOut(room: LoginRoom): PathAnswer {
  const { browsers, cookies, provider, log } = room;
  return async (request, response) => {
    onlyMethod(request, "GET", "HEAD", "POST");
    const known = await whoIs(room, request);
    if (request.method !== "POST")
      return known === null
        ? sendElsewhere(response, "/login")
        : sendPage(response, 200, logoutPage(formToken(known.cookie)));
    const form = await readForm(request, response);
    if (known !== null) {
      if (!isFormToken(form.get("token"), known.cookie))
        throw new HttpRefusal(403, "http.forbidden", "this form is not from the page of this browser; open /logout");
      await browsers.end({ cookie: known.cookie });
      log({ type: "person.out", text: "logged out", principal: describePerson(known.session.caller) });
    }
    const address = (await provider?.logoutAddress().catch(() => null)) ?? null;
    const elsewhere = provider === null || address === null ? null : { name: provider.name, address };
    sendPage(response, 200, loggedOutPage(elsewhere), { "set-cookie": cookies.clear("session") });
  };
}

/** `/login/backchannel-logout`: the provider says that one of its sessions has ended (O8). */
export function takeLogout(room: LoginRoom, provider: LoginProvider): PathAnswer {
  const { browsers, authorizations, people, log } = room;
  const { issuer } = provider;
  const end = async (person: Person, browser: string | null): Promise<void> => {
    await authorizations.end(person, ...(browser === null ? [] : [{ browser }]));
    const text = browser === null ? "was logged out everywhere" : "was logged out in one browser";
    log({ type: "person.out", text: `${text} by ${issuer}`, principal: describePerson(person) });
  };
  return async (request, response) => {
    onlyMethod(request, "POST");
    try {
      const form = await readForm(request, response, LOGOUT_BYTES);
      const { sid, subject } = await provider.readLogout(form.get("logout_token") ?? "");
      if (sid !== null) for (const { person, id } of await browsers.end({ issuer, sid })) await end(person, id);
      else if (subject !== null) {
        const person = { issuer, subject };
        await browsers.end({ person });
        await end(person, null);
        await people.announce({ kind: "ended", person });
      }
      response.writeHead(200, { "cache-control": "no-store", "content-length": 0 }).end();
    } catch (error) {
      if (!(error instanceof IssuerProblem)) throw error;
      const status = error.kind === "away" ? 503 : 400;
      sendJson(response, status, { error: "invalid_request", error_description: error.message });
    }
  };
}
