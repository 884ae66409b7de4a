import type { HistoryMessage, UserMessage } from "../call/message.ts";

/** How many of the last messages are never summarised. */
const KEPT = 6;

/**
 * The index of the first message to keep. A reply is never separated from its tool results, and the last messages
 * always stay. Null when nothing can be cut.
 */
export function findCut(history: readonly HistoryMessage[], kept = KEPT): number | null {
  for (let at = Math.max(0, history.length - kept); at > 0; at -= 1)
    if (history[at]?.role !== "answers") return at >= 2 ? at : null;
  return null;
}

/** The prompt that asks the model to summarise the history. */
export const SUMMARY_REQUEST = [
  "Write a summary of the conversation so far, for yourself to go on from: everything before this message is removed.",
  "Say what the user asked for, in the user's own words where they matter; what was done and found, with names of files,",
  "functions, commands and values; what was decided and why; what went wrong; what is left to do, and the next step.",
  "Call no tool. Answer with the summary alone.",
].join(" ");

const USER_SAID = "The user said:\n";
const HAPPENED = "A summary of what happened:\n<summary>\n";

/** The message that replaces the removed ones. Only the user's own words appear as the user's. */
export function toSummary(gone: readonly HistoryMessage[], summary: string): string {
  const said = gone.flatMap((message) => (message.role === "user" ? [wordsOf(message)] : [])).filter(Boolean);
  return [
    "The earlier part of this conversation was removed to make room.",
    ...(said.length === 0 ? [] : [`${USER_SAID}${said.join("\n")}`]),
    `${HAPPENED}${summary.trim()}\n</summary>`,
  ].join("\n\n");
}

/** The user's words in a message. From an earlier summary, only the user's words it quotes. */
function wordsOf({ content, by }: UserMessage): string {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (by === undefined) return texts.map((text) => `<user_message>\n${text}\n</user_message>`).join("\n");
  if (by !== "summary") return "";
  const [before = ""] = texts.join("").split(`\n\n${HAPPENED}`, 1);
  const at = before.indexOf(USER_SAID);
  return at === -1 ? "" : before.slice(at + USER_SAID.length);
}

/** An estimate for when the provider has reported no count: four characters a token, a flat price per picture. */
export function guessTokens(history: readonly HistoryMessage[], from = 0): number {
  let characters = 0;
  for (let at = from; at < history.length; at += 1) {
    const message = history[at];
    if (message !== undefined) characters += sizes.get(message) ?? measure(message);
  }
  return Math.ceil(characters / 4);
}

/** Messages are immutable and every request holds all of them, so their sizes are cached. */
const sizes = new WeakMap<HistoryMessage, number>();

function measure(message: HistoryMessage): number {
  let characters = 0;
  if (message.role === "answers")
    for (const { result } of message.answers) characters += result.textResultForLlm.length;
  else
    for (const part of message.content) {
      if (part.type === "text") characters += part.text.length;
      else if (part.type === "file") characters += FILE_CHARACTERS;
      else characters += JSON.stringify(part.call.arguments ?? null).length;
    }
  sizes.set(message, characters);
  return characters;
}

const FILE_CHARACTERS = 6_000;
