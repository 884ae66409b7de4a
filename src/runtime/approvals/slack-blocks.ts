import { describeOutcome, type ToldOutcome, type ToldQuestion } from "./told-question.ts";

/** What the buttons are called in what Slack sends. */
export const SLACK_ACTIONS = { allow: "toolcrib_allow", deny: "toolcrib_deny", open: "toolcrib_open" } as const;

/** What Slack takes in one text. */
const MOST_TEXT = 2_900;
const MOST_TITLE = 140;

interface SlackMessage {
  /** For notifications, where blocks are not shown. */
  readonly text: string;
  readonly blocks: readonly object[];
}

/**
 * A question with buttons. Everything that servers, models and clients say is plain text, in which Slack sees no
 * mention and no link. What does not fit is not approved unseen: then there is the link alone.
 */
export function toSlackQuestion(question: ToldQuestion, isEscalated: boolean): SlackMessage {
  const { id, tool, client, callerName, reason, parts, argumentsText, fourEyes, link } = question;
  const said = [
    ...(callerName === null ? [] : [`Caller: ${callerName}`]),
    `Client: ${client}`,
    `Why it asks: ${reason}`,
    ...parts.map((part) => `It would do: ${part}`),
    ...(fourEyes ? ["Somebody other than the caller has to answer."] : []),
  ].join("\n");
  const isWhole = said.length <= MOST_TEXT && argumentsText.length <= MOST_TEXT && tool.length <= MOST_TITLE - 20;
  const title = `${isEscalated ? "Still waits: allow" : "Allow"} ${tool}?`;
  return {
    text: escapeSlack(title),
    blocks: [
      { type: "header", text: plain(cut(title, MOST_TITLE)) },
      { type: "section", text: plain(cut(said, MOST_TEXT)) },
      { type: "section", text: plain(cut(argumentsText, MOST_TEXT)) },
      ...(isWhole ? [] : [{ type: "section", text: plain("Not all of it fits here, so it is answered on the page.") }]),
      {
        type: "actions",
        elements: [
          ...(isWhole
            ? [
                { ...button("Allow once", SLACK_ACTIONS.allow), style: "primary", value: id },
                { ...button("Deny", SLACK_ACTIONS.deny), style: "danger", value: id },
              ]
            : []),
          { ...button("Open the page", SLACK_ACTIONS.open), url: link },
        ],
      },
    ],
  };
}

/** What stays of a question that has ended: no button, and no arguments. */
export function toSlackOutcome(title: string, outcome: ToldOutcome): SlackMessage {
  const text = cut(`${title}: ${describeOutcome(outcome)}`, MOST_TEXT);
  return { text: escapeSlack(text), blocks: [{ type: "section", text: plain(text) }] };
}

function plain(text: string): object {
  return { type: "plain_text", text, emoji: false };
}

function button(text: string, action: string) {
  return { type: "button", action_id: action, text: plain(text) };
}

/** In a message's own text mentions and links would count. */
export function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
