import type { StoredOptions } from "../../../core/events/state-events.ts";
import type { SessionOptions } from "./session-options.ts";

/** Options that a journal keeps. Code, credentials and policy have to be given again on resume. */
const STORED = [
  "model",
  "agent",
  "mode",
  "availableTools",
  "excludedTools",
  "toolGroups",
  "filterPrecedence",
  "disabledSkills",
  "reasoningEffort",
  "systemPrompt",
] as const satisfies readonly (keyof SessionOptions)[];

export function toStoredOptions(options: SessionOptions): StoredOptions {
  const given = STORED.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name] ?? null]));
}

/** Read without trust: only what a journal of ours holds. */
export function fromStoredOptions(stored: StoredOptions): SessionOptions {
  return Object.fromEntries(STORED.filter((name) => Object.hasOwn(stored, name)).map((name) => [name, stored[name]]));
}
