import { parseJson } from "../../core/shape/parse-json.ts";
import { isTooDeep } from "../text/json-depth.ts";
import { BACKGROUND } from "../time/background.ts";
import { type MessageId, readIdFromEnds } from "./message-id.ts";

export type ReadMessage =
  | { readonly kind: "message"; readonly message: unknown }
  /** Not parsed, because that would take too much; its id, if one of its ends contained it. */
  | { readonly kind: "too-deep"; readonly id: MessageId | null }
  /** Its beginning. */
  | { readonly kind: "junk"; readonly text: string };

/** How much of both ends of a message may contain its id. */
const END = 512;
/** From this size on reading counts as work. */
const LARGE = 64 * 1024;

export function readMessage(text: string): ReadMessage {
  return text.length < LARGE ? read(text) : BACKGROUND.now(() => read(text));
}

function read(text: string): ReadMessage {
  if (isTooDeep(text)) return { kind: "too-deep", id: readIdFromEnds(text.slice(0, END), text.slice(-END)) };
  const message = parseJson(text);
  return message === undefined ? { kind: "junk", text: text.slice(0, END) } : { kind: "message", message };
}
