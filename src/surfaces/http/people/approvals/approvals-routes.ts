import type { IncomingMessage, ServerResponse } from "node:http";
import { isToolcribError } from "../../../../core/codes/toolcrib-error.ts";
import { APPROVALS_PATH, toToldQuestion } from "../../../../runtime/approvals/told-question.ts";
import { whyNot } from "../../../../runtime/crib/guarded-approvals.ts";
import type { Actor } from "../../api/actor.ts";
import { HttpRefusal } from "../../api/answers.ts";
import { toCallerNetwork } from "../../door/caller-address.ts";
import type { PeopleRoute } from "../../door/people-port.ts";
import { createRateLimit } from "../../door/rate-limit.ts";
import { problemPage } from "../login/login-pages.ts";
import { onlyMethod, whoIs } from "../login/login-room.ts";
import { formToken, isFormToken } from "../pages/cookies.ts";
import { sendElsewhere, sendPage } from "../pages/page.ts";
import { readForm, readQuery } from "../pages/read-form.ts";
import { toActor } from "../visitors.ts";
import { approvalsPage } from "./approvals-page.ts";
import type { ApprovalsRoom } from "./approvals-room.ts";
import { linkSlack, SLACK_LINK_PATH } from "./slack-link.ts";
import { answerSlack } from "./slack-route.ts";

/** Requests of one address per second on average, and at once. A whole company may share an address, as Slack does. */
const RATE = [20, 300] as const;

/** Where approvers answer, in the browser and by clicks in Slack. */
export function approvalRoutes(room: ApprovalsRoom): ReadonlyMap<string, PeopleRoute> {
  const rate = createRateLimit(...RATE, () => performance.now());
  const check = (address: string): void => {
    const seconds = rate.take(toCallerNetwork(address));
    if (seconds === 0) return;
    throw new HttpRefusal(429, "http.too-many", "too many requests; wait a little", { "retry-after": String(seconds) });
  };
  const page = (answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>): PeopleRoute => ({
    anyOrigin: false,
    async answer(request, response, { address }) {
      try {
        check(address);
        await answer(request, response);
      } catch (error) {
        if (response.headersSent) throw error;
        sendProblem(response, error, room);
      }
    },
  });
  return new Map([
    [APPROVALS_PATH, page((request, response) => answerApprovals(room, request, response))],
    [SLACK_LINK_PATH, page((request, response) => linkSlack(room, request, response))],
    [
      "/slack",
      {
        anyOrigin: false,
        async answer(request, response, { address }) {
          check(address);
          await answerSlack(room, request, response, address);
        },
      },
    ],
  ]);
}

async function answerApprovals(room: ApprovalsRoom, request: IncomingMessage, response: ServerResponse): Promise<void> {
  onlyMethod(request, "GET", "HEAD", "POST");
  const query = readQuery(request);
  const id = query.get("id") ?? null;
  const known = await whoIs(room, request);
  if (known === null) {
    const back = id === null ? APPROVALS_PATH : `${APPROVALS_PATH}?${new URLSearchParams({ id })}`;
    return sendElsewhere(response, room.loginAddress(back));
  }
  const actor = toActor(known.session.caller, room.auth());
  if (request.method !== "POST") {
    const done = DONE.get(query.get("done") ?? "") ?? null;
    return showQuestions(room, response, { id, actor, done, token: formToken(known.cookie) });
  }
  const form = await readForm(request, response);
  if (!isFormToken(form.get("token"), known.cookie))
    throw new HttpRefusal(
      403,
      "http.forbidden",
      `this form is not from the page of this browser; open ${APPROVALS_PATH}`,
    );
  const done = await answerQuestion(room, actor, form);
  sendElsewhere(response, `${APPROVALS_PATH}?done=${done}`);
}

const DONE: ReadonlyMap<string, string> = new Map([
  ["allow", "Allowed, once."],
  ["deny", "Denied."],
]);

interface Shown {
  /** Null: all of them. */
  readonly id: string | null;
  readonly actor: Actor;
  readonly done: string | null;
  readonly token: string;
}

async function showQuestions(room: ApprovalsRoom, response: ServerResponse, shown: Shown): Promise<void> {
  const { queue, publicUrl, redactor, note, now } = room;
  const { id, actor, done, token } = shown;
  const found = id === null ? null : await queue.find(id);
  if (id !== null && found === null)
    return sendPage(response, 404, problemPage("Nothing waits here any more", GONE, null));
  const why = found === null ? null : whyNot(found, actor);
  if (found !== null && why !== null) {
    const text = `${actor.by} opened a call that waits for others: ${why}`;
    note({ type: "approval.refused", text, principal: actor.by, names: [found.root] });
    return sendPage(response, 403, problemPage("This call waits for somebody else", toSentence(why), null));
  }
  const own = found === null ? queue.pending.filter((pending) => whyNot(pending, actor) === null) : [found];
  const questions = own.map((pending) => toToldQuestion(pending, publicUrl, redactor()));
  sendPage(response, 200, approvalsPage({ questions, isOne: found !== null, token, done, now: now() }));
}

const GONE = "It was answered, or nobody waits for an answer any longer.";

async function answerQuestion(
  { queue }: ApprovalsRoom,
  actor: Actor,
  form: ReadonlyMap<string, string>,
): Promise<string> {
  const decision = form.get("answer");
  const reason = (form.get("reason") ?? "").trim();
  if (decision !== "allow" && decision !== "deny")
    throw new HttpRefusal(400, "http.invalid-request", "this form says neither yes nor no");
  const found = await queue.find(form.get("id") ?? "");
  const answer = { decision, ...(reason === "" ? {} : { reason: reason.slice(0, 2_000) }) } as const;
  if (found === null || !(await queue.answer(found.id, answer, actor)))
    throw new HttpRefusal(404, "http.not-found", GONE);
  return decision;
}

/** What went wrong in detail is for those who look after the gateway. */
function sendProblem(response: ServerResponse, error: unknown, { onError }: ApprovalsRoom): void {
  if (error instanceof HttpRefusal) {
    const shown = problemPage("This cannot be answered", error.message, null);
    return void sendPage(response, error.status, shown, error.headers);
  }
  const said = isToolcribError(error) ? SAID.get(error.code) : undefined;
  if (said === undefined || !isToolcribError(error)) {
    onError("a page of approvals failed", error);
    const inside = "Something went wrong inside. Those who look after the gateway see why.";
    return void sendPage(response, 500, problemPage("This does not work now", inside, APPROVALS_PATH));
  }
  const [status, text = toSentence(error.message)] = said;
  sendPage(response, status, problemPage("This answer does not count", text, APPROVALS_PATH));
}

function toSentence(why: string): string {
  return `${why.slice(0, 1).toUpperCase()}${why.slice(1)}.`;
}

const SAID: ReadonlyMap<string, readonly [number, string?]> = new Map([
  ["approval.not-theirs", [403]],
  ["approval.lost", [410, "The machine that asked has ended, and nobody can receive an answer. Nothing was run."]],
  ["store.unavailable", [503, "The gateway cannot reach its store now, so that nobody can answer. Try again later."]],
]);
