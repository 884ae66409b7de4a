import { isToolcribError } from "../../../../core/codes/toolcrib-error.ts";
import { INVITATION_PATH } from "../../../../runtime/people/invitations.ts";
import { IssuerProblem } from "../../../../runtime/people/issuers/issuer-problem.ts";
import { LOGIN_CALLBACK } from "../../../../runtime/people/issuers/login-provider.ts";
import { HttpRefusal } from "../../api/answers.ts";
import { toCallerNetwork } from "../../door/caller-address.ts";
import type { PeopleRoute } from "../../door/people-port.ts";
import { createRateLimit } from "../../door/rate-limit.ts";
import { type PeoplePage, sendPage } from "../pages/page.ts";
import { problemPage, SCRIPT_PATH } from "./login-pages.ts";
import type { LoginRoom, PathAnswer } from "./login-room.ts";
import { logOut, takeLogout } from "./logout.ts";
import { acceptInvitation, logInWithPasskey, openInvitation, sendScript } from "./passkey-login.ts";
import { beginLogin, FailedLogin, finishLogin } from "./provider-login.ts";

/** Requests of one address per second on average, and at once. A whole company may share an address. */
const RATE = [10, 300] as const;

/** Every path of logging in and out. */
export function loginRoutes(room: LoginRoom): ReadonlyMap<string, PeopleRoute> {
  const { provider } = room;
  const rate = createRateLimit(...RATE, () => performance.now());
  const check = (address: string): void => {
    const seconds = rate.take(toCallerNetwork(address));
    if (seconds === 0) return;
    throw new HttpRefusal(429, "http.too-many", "too many requests; wait a little", { "retry-after": String(seconds) });
  };
  /** A person reads the answer, so that a failure is a page too. */
  const page = (answer: PathAnswer): PeopleRoute => ({
    anyOrigin: false,
    async answer(request, response, { address }) {
      try {
        check(address);
        await answer(request, response);
      } catch (error) {
        // What a script sends is answered as the door answers: the script reads it.
        if (response.headersSent || request.headers["content-type"]?.startsWith("application/json")) throw error;
        const { status, shown, headers = {} } = toPage(error, room);
        sendPage(response, status, shown, headers);
      }
    },
  });
  return new Map([
    ["/login", page(beginLogin(room))],
    ["/logout", page(logOut(room))],
    ["/login/passkey", page(logInWithPasskey(room))],
    [SCRIPT_PATH, page(sendScript())],
    [INVITATION_PATH, page(acceptInvitation(room))],
    [`${INVITATION_PATH}/open`, page(openInvitation(room))],
    ...(provider === null
      ? []
      : ([
          [LOGIN_CALLBACK, page(finishLogin(room, provider))],
          ["/login/backchannel-logout", page(takeLogout(room, provider))],
        ] as const)),
  ]);
}

interface Failure {
  readonly status: number;
  readonly shown: PeoplePage;
  readonly headers?: HttpRefusal["headers"];
}

function toPage(error: unknown, room: LoginRoom): Failure {
  if (error instanceof FailedLogin) return toProblem(error.problem, error.again, room);
  if (error instanceof IssuerProblem) return toProblem(error, "/login", room);
  if (error instanceof HttpRefusal) {
    const { status, headers, message } = error;
    return { status, headers, shown: problemPage("This cannot be answered", message, null) };
  }
  if (isToolcribError(error) && error.code === "people.ended") {
    room.log({
      type: "person.refused",
      text: "tried to log in, and their access has ended",
      principal: error.names[0] ?? "",
    });
    const text = "An admin has ended your access to this gateway, and can let you in again.";
    return { status: 403, shown: problemPage("Your access has ended", text, null) };
  }
  room.onError("a page of the login failed", error);
  const isAway = isToolcribError(error) && error.code === "store.unavailable";
  const text = isAway
    ? "The gateway cannot reach its store now, so that nobody can log in. Those who look after it see why."
    : "Something went wrong inside. Those who look after the gateway see why.";
  return { status: isAway ? 503 : 500, shown: problemPage("This does not work now", text, "/login") };
}

/** What went wrong in detail is for those who look after the gateway. */
function toProblem(problem: IssuerProblem, again: string, { provider, log, onError }: LoginRoom): Failure {
  const name = provider?.name ?? "the identity provider";
  if (problem.kind === "refused") {
    log({ type: "person.refused", text: problem.message });
    const text = `${name} did not let you in${problem.said === null ? "" : ` (${problem.said})`}.`;
    return { status: 403, shown: problemPage("You were not let in", text, again) };
  }
  onError("somebody could not log in", problem);
  if (problem.kind === "away") {
    const text = `${name}, where you log in, does not answer now. What you are logged in to goes on; try again later.`;
    return { status: 503, shown: problemPage("Nobody can log in now", text, again), headers: { "retry-after": "10" } };
  }
  log({ type: "person.refused", text: problem.message });
  const text = `What ${name} answered does not fit together, so that nobody was let in.`;
  return { status: 400, shown: problemPage("This login cannot be completed", text, again) };
}
