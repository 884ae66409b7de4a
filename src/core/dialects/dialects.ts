import type { Toolset } from "../toolset/toolset.ts";
import type { PayloadOptions } from "./advertise.ts";
import { aiSdk } from "./ai-sdk.ts";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import type { DialectName } from "./limits.ts";
import { mcp } from "./mcp.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

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

export function payloadFor<Name extends DialectName>(
  name: Name,
  toolset: Toolset,
  options?: PayloadOptions,
): PayloadOf<Name> {
  // The table is typed by its keys; the compiler does not follow a generic key to its entry.
  return DIALECTS[name].payload(toolset, options) as PayloadOf<Name>;
}
