import { cleanContent, withDropped } from "../../../system/text/clean-content.ts";
import { dropHiddenParts } from "../../../system/text/clean-text.ts";
import { isObject, type Params, type ProtocolAnswer } from "../wire/json-rpc.ts";

/** Text of servers in prompts and resources reaches a model like results of tools do, and is cleaned the same way. */
export function cleanAnswer(answer: ProtocolAnswer): ProtocolAnswer {
  if (answer.kind === "error") return { ...answer, message: dropHiddenParts(answer.message).text };
  if (answer.kind !== "result") return answer;
  const { messages, contents, description, _meta: meta } = answer.result;
  const about = typeof description === "string" ? dropHiddenParts(description) : null;
  let dropped = about?.dropped ?? 0;
  const clean = (blocks: readonly unknown[]): readonly unknown[] => {
    const cleaned = cleanContent(blocks);
    dropped += cleaned.dropped;
    return cleaned.blocks;
  };
  const texts: Params = {
    ...(Array.isArray(messages) ? { messages: messages.map((message) => cleanMessage(message, clean)) } : {}),
    ...(about === null ? {} : { description: about.text }),
    ...(Array.isArray(contents) ? { contents: clean(contents) } : {}),
  };
  if (dropped === 0) return answer;
  return { kind: "result", result: { ...answer.result, ...texts, _meta: withDropped(meta, dropped) } };
}

function cleanMessage(message: unknown, clean: (blocks: readonly unknown[]) => readonly unknown[]): unknown {
  if (!isObject(message)) return message;
  const { content } = message;
  return { ...message, content: Array.isArray(content) ? clean(content) : clean([content])[0] };
}
