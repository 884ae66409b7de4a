import type { ToldQuestion } from "./told-question.ts";

const MOST_TEXT = 4_000;

/**
 * An adaptive card for a Teams workflow, with a link back: buttons that answer would need a bot. Text of servers and
 * models stands in runs of text, in which Teams sees no Markdown and so no link.
 */
export function toTeamsCard(question: ToldQuestion): object {
  const { tool, client, callerName, reason, argumentsText, parts, fourEyes, link } = question;
  const said = [
    ...(callerName === null ? [] : [["Caller", callerName]]),
    ["Client", client],
    ["Why", reason],
    ...parts.map((part) => ["Does", part]),
    ["Arguments", argumentsText],
    ...(fourEyes ? [["Who", "somebody other than the caller"]] : []),
  ] as const;
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          ...{ $schema: "http://adaptivecards.io/schemas/adaptive-card.json", type: "AdaptiveCard", version: "1.4" },
          body: [
            toText(`Allow ${tool}?`, { weight: "Bolder", size: "Medium" }),
            ...said.map(([name, text]) => toText(`${name}: ${cut(text ?? "")}`)),
          ],
          actions: [{ type: "Action.OpenUrl", title: "Look and answer", url: link }],
        },
      },
    ],
  };
}

function toText(text: string, looks: object = {}): object {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", text, ...looks }] };
}

function cut(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT)}… (all of it is behind the link)`;
}
