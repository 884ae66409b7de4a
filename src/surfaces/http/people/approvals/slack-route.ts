import type { IncomingMessage, ServerResponse } from "node:http";
import type { SlackApp } from "../../../../config/shape/approvals-shape.ts";
import { isToolcribError } from "../../../../core/codes/toolcrib-error.ts";
import { describePerson } from "../../../../core/people/person.ts";
import { isRecord } from "../../../../core/shape/is-record.ts";
import { parseJson } from "../../../../core/shape/parse-json.ts";
import type { SlackUser } from "../../../../runtime/approvals/slack-accounts.ts";
import { askSlack } from "../../../../runtime/approvals/slack-api.ts";
import { escapeSlack, SLACK_ACTIONS, toSlackOutcome } from "../../../../runtime/approvals/slack-blocks.ts";
import { isFromSlack } from "../../../../runtime/approvals/slack-signature.ts";
import { describeToldQuestion, type ToldOutcome, toToldQuestion } from "../../../../runtime/approvals/told-question.ts";
import { isTooDeep } from "../../../../system/text/json-depth.ts";
import { revealText } from "../../../../system/text/reveal-text.ts";
import type { Actor } from "../../api/actor.ts";
import { HttpRefusal, sendJson } from "../../api/answers.ts";
import { readTextBody } from "../../api/read-json.ts";
import { onlyMethod } from "../login/login-room.ts";
import { toActor } from "../visitors.ts";
import type { ApprovalsRoom } from "./approvals-room.ts";

const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;|$)/i;
/** A click comes with the whole message. */
const MOST_BYTES = 256 * 1024;
/** Milliseconds for what follows a click, which Slack does not wait for. */
const PATIENCE = 30_000;

/** `/slack`: clicks, and the command that links an account. Only what Slack has signed within five minutes counts. */
export async function answerSlack(
  room: ApprovalsRoom,
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
): Promise<void> {
  onlyMethod(request, "POST");
  const { slack: app } = room.settings();
  if (app === null) throw new HttpRefusal(404, "http.not-found", "gateway.approvals.slack is not set here");
  const limits = { type: FORM_TYPE, name: "application/x-www-form-urlencoded", limit: MOST_BYTES };
  const body = await readTextBody(request, response, limits);
  const { "x-slack-request-timestamp": timestamp, "x-slack-signature": signature } = request.headers;
  const signed = { timestamp: onlyOne(timestamp), signature: onlyOne(signature), body };
  if (!isFromSlack(signed, app.signingSecret, room.now())) {
    const text = `a request to /slack from ${address} was refused, because Slack has not signed it within five minutes`;
    room.note({ type: "approval.refused", text });
    throw new HttpRefusal(401, "http.unauthorized", "this is not signed by Slack, or is too old");
  }
  const form = new URLSearchParams(body);
  const payload = form.get("payload");
  if (payload === null) return sendJson(response, 200, await answerCommand(room, form));
  const click = readClick(payload);
  // Slack waits three seconds at most.
  response.writeHead(200, { "content-length": 0 }).end();
  if (click === null) return;
  const { said, title, outcome } = await answerClick(room, click).catch((error: unknown): Clicked => {
    room.onError("a click in Slack could not be carried out", error);
    return { said: "Something went wrong, and nothing was answered. Try again, or open the page." };
  });
  // The machine that asked says it too, unless it has ended.
  const shown = outcome === undefined ? null : { title: title ?? "This call", outcome };
  await Promise.all([tellUser(app, click, said), shown && changeMessage(app, click, shown)]).catch((error: unknown) =>
    room.onError("what became of a click in Slack could not be said there", error),
  );
}

/** What became of a click. */
interface Clicked {
  /** For the one who clicked. */
  readonly said: string;
  /** What the message says from then on; absent while it waits. */
  readonly title?: string;
  readonly outcome?: ToldOutcome;
}

interface Click extends SlackUser {
  readonly channel: string;
  /** The message; null if it has no buttons any more. */
  readonly ts: string | null;
  readonly decision: "allow" | "deny";
  /** The question, by the id that it was asked under first. */
  readonly question: string;
}

/** Null for everything but a click on one of our two buttons. */
function readClick(payload: string): Click | null {
  const value = isTooDeep(payload) ? null : parseJson(payload);
  if (!isRecord(value) || value.type !== "block_actions") return null;
  const { user, team, channel, actions, message } = value;
  const action: unknown = Array.isArray(actions) ? actions[0] : null;
  if (!isRecord(user) || !isRecord(action) || typeof user.id !== "string" || typeof action.value !== "string")
    return null;
  // In a channel of several workspaces the person's own one counts.
  const own = user.team_id ?? (isRecord(team) ? team.id : null);
  if (typeof own !== "string") return null;
  const { action_id } = action;
  const decision = action_id === SLACK_ACTIONS.allow ? "allow" : action_id === SLACK_ACTIONS.deny ? "deny" : null;
  if (decision === null) return null;
  const place = isRecord(channel) && typeof channel.id === "string" ? channel.id : "";
  return { team: own, user: user.id, channel: place, ts: readMessage(message), decision, question: action.value };
}

function readMessage(message: unknown): string | null {
  if (!isRecord(message) || typeof message.ts !== "string" || !Array.isArray(message.blocks)) return null;
  return message.blocks.some((block) => isRecord(block) && block.type === "actions") ? message.ts : null;
}

/** Carries a click out. */
async function answerClick(room: ApprovalsRoom, click: Click): Promise<Clicked> {
  const { queue, note, publicUrl, redactor } = room;
  const actor = await whoClicked(room, click);
  if (typeof actor === "string") {
    const text = `a click of the Slack account ${click.user} of ${click.team} was refused: ${actor}`;
    note({ type: "approval.refused", text, names: [click.question] });
    return { said: `${actor} Nothing was answered. ${publicUrl}/me` };
  }
  const found = await queue.find(click.question);
  if (found === null) return GONE;
  const title = describeToldQuestion(toToldQuestion(found, publicUrl, redactor()));
  try {
    if (!(await queue.answer(found.id, { decision: click.decision }, actor))) return GONE;
    const isYes = click.decision === "allow";
    const outcome = { outcome: isYes ? "allowed" : "denied", by: actor.by, reason: null } as const;
    return { said: isYes ? "You allowed it, once." : "You denied it.", title, outcome };
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    if (error.code === "approval.not-theirs") return { said: `You cannot answer this: ${error.message}.` };
    if (error.code !== "approval.lost") throw error;
    return { said: "Nobody can receive an answer any more, and nothing was run.", title, outcome: WITHDRAWN };
  }
}

const WITHDRAWN: ToldOutcome = { outcome: "withdrawn", by: null, reason: null };
const GONE: Clicked = {
  said: "Nobody waits for this answer any longer: somebody was faster, or the call was given up.",
  outcome: WITHDRAWN,
};

/** Who that is here, with the roles that they have now; or why nobody who counts. */
async function whoClicked(
  { accounts, people, isConfirmed, auth }: ApprovalsRoom,
  user: SlackUser,
): Promise<Actor | string> {
  const person = await accounts.find(user);
  if (person === null) return "Your Slack account is not linked to you here; link it on your page, once.";
  const row = await people.find(person);
  if (row === null || row.ended !== null) return "Your access has ended.";
  if (!(await isConfirmed(person))) return "You are not logged in any more; log in on your page, then click again.";
  const actor = toActor({ ...row.caller, client: null }, auth());
  return { ...actor, by: `${actor.by} in Slack` };
}

async function tellUser(app: SlackApp, { channel, user }: Click, said: string): Promise<void> {
  if (channel === "") return;
  const given = { channel, user, text: escapeSlack(said) };
  await askSlack(app, "chat.postEphemeral", given, AbortSignal.timeout(PATIENCE));
}

async function changeMessage(
  app: SlackApp,
  { channel, ts }: Click,
  { title, outcome }: { readonly title: string; readonly outcome: ToldOutcome },
): Promise<void> {
  if (channel === "" || ts === null) return;
  const given = { channel, ts, ...toSlackOutcome(title, outcome) };
  await askSlack(app, "chat.update", given, AbortSignal.timeout(PATIENCE));
}

/** `/toolcrib link CODE`: the answer is for the one who typed it. */
async function answerCommand({ accounts, note, publicUrl, onError }: ApprovalsRoom, form: URLSearchParams) {
  const [team, user] = [form.get("team_id") ?? "", form.get("user_id") ?? ""];
  const [, code] = /^\s*link\s+([\w-]{20})\s*$/.exec(form.get("text") ?? "") ?? [];
  if (code === undefined || team === "" || user === "")
    return toReply(`Make a code at ${publicUrl}/me, then type: ${form.get("command") ?? ""} link CODE`);
  try {
    const person = await accounts.link(code, { team, user }, revealText(form.get("user_name") ?? user).slice(0, 80));
    if (person === null) {
      note({
        type: "approval.refused",
        text: `the Slack account ${user} of ${team} showed a code that does not count`,
      });
      return toReply(`This code was used, is too old, or was never made. Make another one at ${publicUrl}/me`);
    }
    const principal = describePerson(person);
    note({ type: "person.slack", text: `${principal} linked the Slack account ${user} of ${team}`, principal });
    return toReply(`This Slack account is ${principal} from now on.`);
  } catch (error) {
    onError("a Slack account could not be linked", error);
    return toReply("This does not work now; try again later.");
  }
}

function toReply(text: string): object {
  return { response_type: "ephemeral", text: escapeSlack(text) };
}

function onlyOne(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}
