import type { AnsweredCall } from "../call/message.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";
import type { Toolset } from "../toolset/toolset.ts";
import type { DialectName } from "./limits/limits.ts";
import { aiSdk } from "./providers/ai-sdk.ts";
import { type AnthropicOptions, anthropic } from "./providers/anthropic.ts";
import { gemini } from "./providers/gemini.ts";
import { mcp } from "./providers/mcp.ts";
import { openaiChat } from "./providers/openai-chat.ts";
import { openaiResponses } from "./providers/openai-responses.ts";

/** Every dialect by its name. */
export const DIALECTS = {
  anthropic,
  "openai-responses": openaiResponses,
  "openai-chat": openaiChat,
  gemini,
  "ai-sdk": aiSdk,
  mcp,
} as const satisfies Record<DialectName, { readonly name: DialectName }>;

export type PayloadOf<Name extends DialectName> = ReturnType<(typeof DIALECTS)[Name]["payload"]>;
export type MessageOf<Name extends DialectName> = ReturnType<(typeof DIALECTS)[Name]["results"]>[number];

// The table is typed by its keys, and the compiler does not follow a generic key to its entry. Hence the casts below.

/** Options that only one provider knows are ignored by the others. */
export function payloadFor<Name extends DialectName>(
  name: Name,
  toolset: Toolset,
  options?: AnthropicOptions,
): PayloadOf<Name> {
  return dialectOf(name).payload(toolset, options) as PayloadOf<Name>;
}

export function resultsFor<Name extends DialectName>(
  name: Name,
  results: readonly AnsweredCall[],
  payload: PayloadOf<DialectName>,
): MessageOf<Name>[] {
  return dialectOf(name).results(results, payload) as MessageOf<Name>[];
}

/**
 * What to send when the model waits for results and none of them is ours: the AI SDK answers calls of unknown tools
 * itself. An empty message makes the run continue, and the SDK leaves it out of its request.
 */
export function goOnFor<Name extends DialectName>(name: Name): MessageOf<Name>[] {
  const messages: MessageOf<"ai-sdk">[] = name === "ai-sdk" ? [{ role: "tool", content: [] }] : [];
  return messages as MessageOf<Name>[];
}

/** Names also come from untyped programs, and plain `openai` is none of ours. */
export function dialectOf<Name extends DialectName>(name: Name): (typeof DIALECTS)[Name] {
  if (Object.hasOwn(DIALECTS, name)) return DIALECTS[name];
  const known = Object.keys(DIALECTS).join(", ");
  throw new ToolcribError("dialect.unknown", `there is no dialect "${String(name)}"; expected one of ${known}`, {
    names: [String(name)],
  });
}
