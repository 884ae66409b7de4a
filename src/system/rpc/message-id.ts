import { parseJson } from "../../core/shape/parse-json.ts";

export type MessageId = string | number;

export function isMessageId(value: unknown): value is MessageId {
  return typeof value === "string" || typeof value === "number";
}

const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\]|\\.){0,200}")`;
/** The id as the last member of the message, where the official TypeScript servers put it. */
const AT_END = new RegExp(String.raw`,\s*${ID}\s*\}\s*$`);
/** The id among the first members, before anything nested begins. */
const AT_START = new RegExp(String.raw`^[^{]{0,16}\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}`);

/**
 * The id of a message of which only both ends were kept. A string inside the message cannot be mistaken for it: its
 * quotes would be escaped, and a nested object would be followed by another brace.
 */
export function readIdFromEnds(head: string, tail: string): MessageId | null {
  const text = (AT_END.exec(tail) ?? AT_START.exec(head))?.[1];
  const id = parseJson(text ?? "");
  return isMessageId(id) ? id : null;
}
