import type { TokenCounter } from "./eval-tokens.ts";

/** English definitions in JSON have about this many characters per token. */
const CHARACTERS_PER_TOKEN = 4;

/** A real tokenizer where `gpt-tokenizer` is installed, else an estimate that says so. It is too large to ship. */
export async function loadTokenCounter(): Promise<TokenCounter> {
  try {
    const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    return { name: "o200k_base", count: (text) => countTokens(text) };
  } catch {
    return { name: "estimate", count: (text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN) };
  }
}
