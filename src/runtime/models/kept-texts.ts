import type { HistoryMessage } from "../../core/call/message.ts";
import type { Payload } from "../../core/dialects/contract/dialect.ts";
import { type WrittenJson, writtenJson } from "../../core/shape/json-text.ts";

/** What messages are written by. */
type Sent = Pick<Payload<unknown>, "names" | "deferral" | "loadable">;

interface Kept extends Pick<Sent, "names" | "loadable"> {
  readonly text: string;
}

/** Characters of a longer message are mostly those of one string, which is written again as fast as it is copied. */
const LONGEST = 4_000;

/**
 * Writes the messages of histories as JSON, of which each request repeats all that were in the last one. They never
 * change, so that the text of one is kept as long as it; in the order of the history, and without those that say nothing.
 */
export function createMessageWriter(
  render: (history: readonly HistoryMessage[], sent: Sent) => unknown[],
): (history: readonly HistoryMessage[], sent: Sent) => readonly string[] {
  const kept = new WeakMap<HistoryMessage, Kept>();
  return (history, sent) => {
    const { names, loadable } = sent;
    const texts: string[] = [];
    for (const message of history) {
      const known = kept.get(message);
      const isKept = known?.names === names && known.loadable === loadable;
      const text = isKept ? known.text : JSON.stringify(render([message], sent)).slice(1, -1);
      if (!isKept && text.length <= LONGEST) kept.set(message, { names, loadable, text });
      if (text !== "") texts.push(text);
    }
    return texts;
  };
}

const toolTexts = new WeakMap<object, WrittenJson>();

/** The tools of a payload, which all requests share while nothing about them changes. */
export function writeTools(tools: object): WrittenJson {
  const known = toolTexts.get(tools) ?? writtenJson(JSON.stringify(tools));
  toolTexts.set(tools, known);
  return known;
}
