import { CLASS } from "./word-classes.ts";

/** Names that a model fills in without any description: what it was told, what it thinks, what it can call. */
const NAMES: ReadonlySet<string> = new Set(
  "sidenote|side note|system prompt|developer prompt|system message|system instructions|model instructions|conversation history|chat history|message history|full conversation|full context|context window|chain of thought|cot|tools list|tool list|available tools|tool call history".split(
    "|",
  ),
);

/** Whether a parameter of this name asks for the model's own context. Tools about conversations may have one. */
export function isTellingName(words: string, home: () => number): boolean {
  return NAMES.has(words.toLowerCase()) && (home() & (CLASS.talk | CLASS.speech | CLASS.model)) === 0;
}
