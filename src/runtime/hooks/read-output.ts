/** What one hook said, whichever way it spells it. */
export interface HookSaid {
  readonly decision: "allow" | "ask" | "deny" | null;
  readonly reason: string | null;
  readonly updatedInput?: unknown;
  readonly updatedOutput?: unknown;
  readonly updatedPrompt: string | null;
  readonly additionalContext: readonly string[];
  /** The turn ends here. */
  readonly endTurn: boolean;
  readonly errorHandling: "retry" | "skip" | "abort" | null;
  /** For people, never for the model. */
  readonly messages: readonly string[];
}

export const SILENT_HOOK: HookSaid = {
  decision: null,
  reason: null,
  updatedPrompt: null,
  additionalContext: [],
  endTurn: false,
  errorHandling: null,
  messages: [],
};

const MOST_CHARACTERS = 10_000;

const DECISIONS: ReadonlyMap<unknown, "allow" | "ask" | "deny"> = new Map([
  ["allow", "allow"],
  ["approve", "allow"],
  ["ask", "ask"],
  // To put a decision off needs somebody who takes it up again: a person.
  ["defer", "ask"],
  ["deny", "deny"],
  ["block", "deny"],
]);

/** Reads a hook's answer; null when it cannot be understood, which is a failure of the hook. */
export function readOutput(value: unknown): HookSaid | null {
  if (value === undefined || value === null) return SILENT_HOOK;
  if (typeof value !== "object" || Array.isArray(value)) return null;
  const specific: unknown = Reflect.get(value, "hookSpecificOutput");
  const inner = typeof specific === "object" && specific !== null ? specific : {};
  const field = (...names: readonly string[]): unknown => {
    for (const from of [inner, value]) {
      for (const name of names) if (Object.hasOwn(from, name)) return Reflect.get(from, name);
    }
    return undefined;
  };
  const words = (...names: readonly string[]): string | null => {
    const found = field(...names);
    return typeof found === "string" && found !== "" ? found.slice(0, MOST_CHARACTERS) : null;
  };
  // Copilot's `permissionRequest` hooks say `behavior` where Claude's have it inside `decision`.
  const behaviour = readBehaviour(Object.hasOwn(value, "behavior") ? value : field("decision"));
  const stated = field("permissionDecision") ?? behaviour.decision;
  const decision = stated === undefined ? null : (DECISIONS.get(stated) ?? undefined);
  if (decision === undefined) return null;
  const updatedInput = field("updatedInput", "modifiedArgs") ?? behaviour.updatedInput;
  const updatedOutput = field("updatedToolOutput", "updatedMCPToolOutput", "modifiedResult");
  const context = words("additionalContext");
  const stops = field("continue") === false || behaviour.interrupt;
  const handling = field("errorHandling");
  return {
    decision,
    reason:
      words("permissionDecisionReason") ?? behaviour.message ?? words("reason") ?? (stops ? words("stopReason") : null),
    ...(updatedInput === undefined || updatedInput === null ? {} : { updatedInput }),
    ...(updatedOutput === undefined || updatedOutput === null ? {} : { updatedOutput }),
    updatedPrompt: words("modifiedPrompt"),
    additionalContext: context === null ? [] : [context],
    endTurn: stops,
    errorHandling: handling === "retry" || handling === "skip" || handling === "abort" ? handling : null,
    messages: [words("systemMessage")].filter((message) => message !== null),
  };
}

/** Claude's `PermissionRequest` hooks answer with an object where others have a word. */
function readBehaviour(decision: unknown): {
  readonly decision: unknown;
  readonly updatedInput?: unknown;
  readonly message: string | null;
  readonly interrupt: boolean;
} {
  if (typeof decision !== "object" || decision === null) return { decision, message: null, interrupt: false };
  const message: unknown = Reflect.get(decision, "message");
  return {
    decision: Reflect.get(decision, "behavior") ?? "unknown",
    updatedInput: Reflect.get(decision, "updatedInput"),
    message: typeof message === "string" ? message.slice(0, MOST_CHARACTERS) : null,
    interrupt: Reflect.get(decision, "interrupt") === true,
  };
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** Several hooks as one: deny beats ask beats allow, of two new inputs the later counts, and all context is kept. */
export function mergeSaid(all: readonly HookSaid[]): HookSaid {
  const [first = SILENT_HOOK] = all;
  if (all.length <= 1) return first;
  let merged = SILENT_HOOK;
  for (const said of all) {
    const isStricter =
      said.decision !== null && (merged.decision === null || STRICTNESS[said.decision] > STRICTNESS[merged.decision]);
    merged = {
      ...merged,
      ...said,
      decision: isStricter ? said.decision : merged.decision,
      reason: isStricter || (merged.reason === null && merged.decision === null) ? said.reason : merged.reason,
      updatedPrompt: said.updatedPrompt ?? merged.updatedPrompt,
      additionalContext: [...merged.additionalContext, ...said.additionalContext],
      endTurn: merged.endTurn || said.endTurn,
      errorHandling: said.errorHandling ?? merged.errorHandling,
      messages: [...merged.messages, ...said.messages],
    };
  }
  return merged;
}
