import type { HistoryMessage } from "../call/message.ts";

const LONGEST_PART = 1_000;
const LONGEST = 8_000;

/** The last part of a conversation in brief, for an observing agent. */
export function toDigest(history: readonly HistoryMessage[]): string {
  const lines = history.flatMap(toLines);
  let length = 0;
  let from = lines.length;
  while (from > 0 && length < LONGEST) {
    from -= 1;
    length += lines[from]?.length ?? 0;
  }
  return lines.slice(from).join("\n");
}

function toLines(message: HistoryMessage): readonly string[] {
  if (message.role === "answers")
    return message.answers.map(
      ({ call, result }) => `${call.toolName} answered (${result.resultType}): ${shorten(result.textResultForLlm)}`,
    );
  const who = message.role === "assistant" ? "agent" : message.by === undefined ? "user" : message.by;
  return message.content.flatMap((part) => {
    if (part.type === "text") return [`${who}: ${shorten(part.text)}`];
    if (part.type === "file") return [`${who}: [a file]`];
    return [`agent calls ${part.call.toolName}: ${shorten(JSON.stringify(part.call.arguments ?? {}))}`];
  });
}

function shorten(text: string): string {
  return text.length <= LONGEST_PART ? text : `${text.slice(0, LONGEST_PART)} […]`;
}
