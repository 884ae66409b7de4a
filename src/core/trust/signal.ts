/** What happens to a definition, mildest first. `re-approve` is quarantine of something that was approved once. */
const ACTIONS = ["accept", "warn", "re-approve", "quarantine", "block"] as const;
export type Action = (typeof ACTIONS)[number];

/** One finding of a scan. */
export interface Signal {
  readonly name: SignalName;
  /** A clause for people: what it says or does. */
  readonly text: string;
  /** Where in the definition: `description`, `inputSchema.properties.note.description` … */
  readonly where: string;
  /** The words in question, hidden characters written out; only for people, never for a model. */
  readonly quote?: string;
}

/** What each signal leads to by itself. The strictest one of a definition counts. */
export const SIGNALS = {
  "annotation-mismatch": "warn",
  "preference-steering": "warn",
  "unjudged-text": "warn",
  "control-characters": "quarantine",
  "invisible-characters": "quarantine",
  "imperative-to-model": "quarantine",
  "cross-tool-instruction": "quarantine",
  "context-harvest-param": "quarantine",
  "encoded-text": "quarantine",
  "padded-text": "quarantine",
  "definition-changed": "re-approve",
  "confusable-name": "block",
  "name-collision": "block",
  "reserved-name": "block",
  "invalid-name": "block",
  "invalid-schema": "block",
  "remote-ref": "block",
  "schema-too-deep": "block",
  "schema-too-large": "block",
  "unsafe-schema": "block",
} as const satisfies Record<string, Action>;
export type SignalName = keyof typeof SIGNALS;

export interface Scan {
  readonly action: Action;
  readonly signals: readonly Signal[];
}

export function toScan(signals: readonly Signal[]): Scan {
  let worst = 0;
  for (const { name } of signals) worst = Math.max(worst, strictness(SIGNALS[name]));
  return { action: ACTIONS[worst] ?? "accept", signals };
}

/** Higher is stricter; re-approve and quarantine both withhold a tool until a person has looked. */
export function strictness(action: Action): number {
  return ACTIONS.indexOf(action);
}

export function isAction(text: string): text is Action {
  return ACTIONS.some((action) => action === text);
}
