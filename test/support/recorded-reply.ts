import { type ScriptedCall, startLoopback } from "../../examples/providers/loopback.mjs";

/** Who serves models, with one of their models and where their interface begins. */
export const PROVIDERS = {
  anthropic: { model: "anthropic/claude-sonnet-4-5", base: "/v1", path: "/v1/messages" },
  openai: { model: "openai/gpt-5", base: "/v1", path: "/v1/responses" },
  azure: { model: "azure/gpt-5", base: "/openai/v1", path: "/v1/responses" },
  gemini: { model: "gemini/gemini-2.5-pro", base: "/v1beta", path: "/v1beta/models/m:streamGenerateContent" },
  compatible: { model: "compatible/some-model", base: "/v1", path: "/v1/chat/completions" },
} as const;
export type ProviderName = keyof typeof PROVIDERS;

const recorded = new Map<string, Promise<Buffer>>();

/**
 * The bytes of a streamed reply with these calls, or with a text, as the loopback writes them for the providers' own
 * SDKs when a request has these tools.
 */
export function recordReply(
  name: ProviderName,
  calls: readonly ScriptedCall[],
  tools: unknown[] = [],
): Promise<Buffer> {
  const key = JSON.stringify([name, calls, tools]);
  const known = recorded.get(key) ?? record(name, calls, tools);
  recorded.set(key, known);
  return known;
}

async function record(name: ProviderName, calls: readonly ScriptedCall[], tools: unknown[]): Promise<Buffer> {
  const server = await startLoopback(calls.length === 0 ? [] : [[...calls]]);
  const body = JSON.stringify({ stream: true, tools });
  const response = await fetch(`${server.url}${PROVIDERS[name].path}`, { method: "POST", body });
  const bytes = Buffer.from(await response.arrayBuffer());
  await server.close();
  return bytes;
}
