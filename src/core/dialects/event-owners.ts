import { isRecord, type JsonObject, objectOf, textOf } from "./json-value.ts";
import type { DialectName } from "./limits.ts";

const ANTHROPIC = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|error)$/;
const AI_SDK =
  /^(?:(?:text|reasoning|tool)-[a-z-]+|start(?:-step)?|finish(?:-step)?|stream-start|response-metadata|source|file|raw|abort|error)$/;

/** What tells an event of each dialect's streams, also one that says nothing about calls or text. */
const MARKS: Readonly<Record<DialectName, (event: JsonObject, type: string) => boolean>> = {
  anthropic: (_event, type) => ANTHROPIC.test(type),
  "openai-responses": (_event, type) => type.startsWith("response.") || type === "keepalive" || type === "error",
  "openai-chat": ({ choices, object, error }) =>
    Array.isArray(choices) || textOf(object)?.startsWith("chat.completion") === true || isRecord(error),
  gemini: (event) => ["candidates", "promptFeedback", "usageMetadata"].some((key) => event[key] !== undefined),
  "ai-sdk": (_event, type) => AI_SDK.test(type),
  mcp: ({ jsonrpc, method }) => jsonrpc === "2.0" || typeof method === "string",
};

/** The dialects in whose streams such an event comes. */
export function ownersOf(event: unknown): readonly DialectName[] {
  const given = objectOf(event);
  const type = textOf(given.type) ?? "";
  // The table is typed by its keys; `Object.keys` forgets them.
  return (Object.keys(MARKS) as DialectName[]).filter((name) => MARKS[name](given, type));
}

/** Whether a response that is all there has what every response of that dialect has, also one that says nothing. */
export function isWholeOf(dialect: DialectName, response: unknown): boolean {
  const given = objectOf(response);
  switch (dialect) {
    case "anthropic":
      return Array.isArray(given.content);
    case "openai-responses":
      return Array.isArray(given.output);
    case "ai-sdk":
      return Array.isArray(given.content) || given.finishReason !== undefined;
    default:
      return ownersOf(response).includes(dialect);
  }
}
