import { createHash } from "node:crypto";
import type { ApprovalSettings, ToldPlace } from "../../config/shape/approvals-shape.ts";
import { postJson } from "./post-json.ts";
import { signWebhook } from "./sign-webhook.ts";
import { askSlack, type SlackPlace } from "./slack-api.ts";
import { toSlackOutcome, toSlackQuestion } from "./slack-blocks.ts";
import { toTeamsCard } from "./teams-card.ts";
import type { ToldOutcome, ToldQuestion } from "./told-question.ts";

interface Telling {
  readonly settings: Pick<ApprovalSettings, "slack">;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The same for the same place, whatever stands beside it. Says nothing about an address. */
export function placeKey({ slack, webhook, teams, after }: ToldPlace): string {
  const what = JSON.stringify([slack, webhook, teams, after]);
  return createHash("sha256").update(what).digest("base64url").slice(0, 16);
}

/** For people and the log: no address but its host, for the rest may be a secret. */
export function describeToldPlace({ slack, webhook, teams }: ToldPlace): string {
  if (slack !== null) return `Slack channel ${slack}`;
  const address = webhook ?? teams ?? "";
  return `${webhook === null ? "Teams" : "webhook"} at ${URL.canParse(address) ? new URL(address).host : "an address"}`;
}

/** Tells one place of a question. Throws `Undelivered`. */
export async function tellPlace(
  place: ToldPlace,
  question: ToldQuestion,
  { settings: { slack: app }, signal, now }: Telling,
): Promise<SlackPlace | null> {
  const isEscalated = place.after > 0;
  if (place.slack !== null && app !== null) {
    const message = { channel: place.slack, ...toSlackQuestion(question, isEscalated), ...UNFURLS_NOTHING };
    return askSlack(app, "chat.postMessage", message, signal);
  }
  if (place.teams !== null) await postJson(place.teams, JSON.stringify(toTeamsCard(question)), {}, signal);
  if (place.webhook !== null) {
    const type = isEscalated ? "approval.escalated" : "approval.asked";
    await postSigned(place, { id: question.id, type, ...toWebhook(question) }, { signal, now });
  }
  return null;
}

/** Tells a place how a question ended that it was told of. Throws `Undelivered`. */
export async function tellOutcome(
  place: Omit<ToldPlace, "origin">,
  ended: {
    readonly id: string;
    readonly title: string;
    readonly outcome: ToldOutcome;
    readonly slack: SlackPlace | null;
  },
  { settings: { slack: app }, signal, now }: Telling,
): Promise<void> {
  const { id, title, outcome, slack } = ended;
  if (slack !== null && app !== null) {
    await askSlack(app, "chat.update", { ...slack, ...toSlackOutcome(title, outcome) }, signal);
  } else if (place.webhook !== null)
    await postSigned(place, { id, type: "approval.ended", ...outcome }, { signal, now });
}

const UNFURLS_NOTHING = { unfurl_links: false, unfurl_media: false };

interface WebhookBody {
  readonly id: string;
  readonly type: string;
}

async function postSigned(
  place: Pick<ToldPlace, "webhook" | "secret">,
  body: WebhookBody,
  { signal, now }: Pick<Telling, "signal" | "now">,
): Promise<void> {
  const text = JSON.stringify(body);
  const message = { id: `${body.type}.${body.id}`, body: text, at: Math.floor(now() / 1_000) };
  await postJson(place.webhook ?? "", text, signWebhook(message, place.secret ?? ""), signal);
}

/** What a webhook gets: words of ours alone are keys, and everything that is known is a value. */
function toWebhook(question: ToldQuestion): object {
  const { tool, server, client, caller, reason, parts, fourEyes, since, until, link } = question;
  return {
    ...{ tool, server, client, caller, reason, arguments: question.arguments, parts, fourEyes, link },
    since: new Date(since).toISOString(),
    until: until === null ? null : new Date(until).toISOString(),
  };
}
