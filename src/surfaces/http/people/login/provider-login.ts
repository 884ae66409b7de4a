import { describePerson } from "../../../../core/people/person.ts";
import { newSecret } from "../../../../runtime/people/attempts.ts";
import { IssuerProblem } from "../../../../runtime/people/issuers/issuer-problem.ts";
import type { LoginProvider } from "../../../../runtime/people/issuers/login-provider.ts";
import { formToken } from "../pages/cookies.ts";
import { sendElsewhere, sendPage } from "../pages/page.ts";
import { readQuery } from "../pages/read-form.ts";
import { loggedInPage, problemPage } from "./login-pages.ts";
import {
  type LoginRoom,
  letIn,
  loginAddress,
  loginSecret,
  onlyMethod,
  type PathAnswer,
  toOwnPath,
  whoIs,
} from "./login-room.ts";

/** `/login`: on to what the browser came for, if somebody is logged in, else to where people log in. */
export function beginLogin(room: LoginRoom): PathAnswer {
  const { provider, publicUrl, attempts } = room;
  return async (request, response) => {
    onlyMethod(request, "GET", "HEAD");
    const asked = readQuery(request).get("back");
    const goOn = toOwnPath(asked, publicUrl);
    const known = await whoIs(room, request);
    if (known !== null) {
      if (goOn !== toOwnPath(undefined, publicUrl)) return sendElsewhere(response, goOn);
      return sendPage(response, 200, loggedInPage(known.session, formToken(known.cookie)));
    }
    if (provider === null) return sendElsewhere(response, `/login/passkey?${new URLSearchParams({ back: goOn })}`);
    const { secret, cookie } = loginSecret(room, request);
    const attempt = { state: newSecret(), secret };
    const address = await provider.begin(attempt);
    await attempts.begin(attempt, goOn);
    sendElsewhere(response, address, { "set-cookie": cookie });
  };
}

/** `/login/callback`: back from the provider, with a code or an error. */
export function finishLogin(room: LoginRoom, provider: LoginProvider): PathAnswer {
  const { attempts, cookies, log, onError } = room;
  return async (request, response) => {
    onlyMethod(request, "GET");
    const params = readQuery(request);
    const [state = "", secret = ""] = [params.get("state"), cookies.read(request, "login") ?? ""];
    // The secret keeps a login out that somebody else has begun (login CSRF), the state one of another flow.
    const goOn = secret === "" ? null : await attempts.take({ state, secret });
    if (goOn === null) {
      const text = "It was begun in another browser, was finished before, or took longer than ten minutes.";
      return sendPage(response, 400, problemPage("This login cannot be completed", text, "/login"));
    }
    try {
      const { caller, session, problem } = await provider.finish(params, { state, secret });
      const principal = describePerson(caller);
      if (problem !== null) onError(`${principal} ${problem}`, null);
      const cookie = await letIn(room, request, { ...caller, client: null }, session);
      log({ type: "person.in", text: `logged in at ${provider.issuer}`, principal });
      sendElsewhere(response, goOn, { "set-cookie": cookie });
    } catch (error) {
      throw error instanceof IssuerProblem ? new FailedLogin(error, goOn) : error;
    }
  };
}

/** A login that went wrong at the provider, with where to try again. */
export class FailedLogin extends Error {
  override readonly name = "FailedLogin";
  readonly problem: IssuerProblem;
  readonly again: string;

  constructor(problem: IssuerProblem, goOn: string) {
    super(problem.message, { cause: problem });
    this.problem = problem;
    this.again = loginAddress(goOn);
  }
}
