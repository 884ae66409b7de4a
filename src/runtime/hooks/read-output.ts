import { isRecord } from "../../core/shape/is-record.ts";

type Decision = "allow" | "ask" | "deny";

/** The answer of one hook, in a common form. */
export interface HookVerdict {
  readonly decision: Decision | null;
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

export const SILENT_HOOK: HookVerdict = {
  decision: null,
  reason: null,
  updatedPrompt: null,
  additionalContext: [],
  endTurn: false,
  errorHandling: null,
  messages: [],
};

const MOST_CHARACTERS = 10_000;
/** Anything nested deeper is no answer. */
const MOST_LEVELS = 20;

const DECISIONS: ReadonlyMap<string, Decision> = new Map([
  ["allow", "allow"],
  ["approve", "allow"],
  ["ask", "ask"],
  // A deferred decision needs somebody who makes it later: a person.
  ["defer", "ask"],
]);

/** A no also counts in other words than the documented ones. */
export const DENYING = "den(?:y|ied)|block(?:ed)?|reject(?:ed)?|refused?|forbid(?:den)?";
const DENIES = new RegExp(`^\\W*(?:${DENYING})\\W*$`, "i");

/** Undefined if it is not a word that decides. */
export function toDecision(word: unknown): Decision | undefined {
  if (typeof word !== "string") return undefined;
  return DENIES.test(word) ? "deny" : DECISIONS.get(word.trim().toLowerCase());
}

/**
 * Reads a hook's answer; null if it cannot be understood, which is a failure of the hook. If it contradicts itself, the
 * stricter part counts, and a refusal counts even next to parts that cannot be read.
 */
export function readOutput(value: unknown, level = 0): HookVerdict | null {
  if (value === undefined || value === null) return SILENT_HOOK;
  if (level > MOST_LEVELS) return null;
  if (Array.isArray(value)) return joinVerdicts(value.map((item) => readOutput(item, level + 1)));
  if (isRecord(value)) return readObject(value);
  // A bare word may refuse or ask. It cannot allow: that needs the documented form.
  const decision = toDecision(value);
  return decision === undefined || decision === "allow" ? null : { ...SILENT_HOOK, decision };
}

/** Joins several parts of one hook's answer; null if one that refuses nothing cannot be read. */
export function joinVerdicts(parts: readonly (HookVerdict | null)[]): HookVerdict | null {
  const read = parts.filter((verdict) => verdict !== null);
  const joined = mergeVerdicts(read);
  return read.length === parts.length || joined.decision === "deny" ? joined : null;
}

function readObject(value: Readonly<Record<string, unknown>>): HookVerdict | null {
  const specific = value.hookSpecificOutput;
  const inner = isRecord(specific) ? specific : {};
  const field = (...names: readonly string[]): unknown => {
    for (const from of [inner, value]) {
      for (const name of names) if (Object.hasOwn(from, name)) return from[name];
    }
    return undefined;
  };
  const words = (...names: readonly string[]): string | null => {
    const found = field(...names);
    return typeof found === "string" && found !== "" ? found.slice(0, MOST_CHARACTERS) : null;
  };
  const own = [inner, value].flatMap((from) => [from.permissionDecision, wordOf(from.decision), from.behavior]);
  const decisions = own.filter((word) => word !== undefined && word !== null).map(toDecision);
  const all = [...decisions, ...refusalsIn(value, 0)];
  if (all.includes(undefined) && !all.includes("deny")) return null;
  // Copilot's `permissionRequest` hooks have `behavior` at the top, Claude's inside `decision`.
  const behaviour = readBehaviour(Object.hasOwn(value, "behavior") ? value : field("decision"));
  const updatedInput = field("updatedInput", "modifiedArgs") ?? behaviour.updatedInput;
  const updatedOutput = field("updatedToolOutput", "updatedMCPToolOutput", "modifiedResult");
  const context = words("additionalContext");
  const stops = [inner, value].some((from) => from.continue === false) || behaviour.interrupt;
  const handling = field("errorHandling");
  return {
    decision: all.reduce<Decision | null>((most, one) => stricter(most, one ?? null), null),
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

/** Whether an object among other output is meant as an answer, rather than a log line. */
export function isAnswer(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return Object.keys(value).some((key) => FIELDS.has(key)) || !refusalsIn(value, 0).next().done;
}

const FIELDS: ReadonlySet<string> = new Set(
  `hookSpecificOutput permissionDecision decision behavior updatedInput modifiedArgs additionalContext updatedToolOutput
  updatedMCPToolOutput modifiedResult modifiedPrompt continue stopReason systemMessage suppressOutput errorHandling`.split(
    /\s+/,
  ),
);

/** Claude's `PermissionRequest` hooks answer with an object where others have a word. */
function wordOf(decision: unknown): unknown {
  return isRecord(decision) ? (decision.behavior ?? "") : decision;
}

const DECIDING: ReadonlySet<string> = new Set(["permissiondecision", "decision", "behavior"]);
/** Fields about the call, not about the decision. */
const CONTENT: ReadonlySet<string> = new Set(
  `updatedinput modifiedargs updatedtooloutput updatedmcptooloutput modifiedresult updatedpermissions
  toolinput toolargs toolresponse toolresult`.split(/\s+/),
);

/**
 * Every no and every question in an answer, however deeply nested and however its key is spelt. A yes counts only where
 * it is documented.
 */
function* refusalsIn(value: unknown, level: number, hasAnswer = false): Generator<Decision> {
  if (level > MOST_LEVELS) return;
  if (Array.isArray(value)) for (const item of value) yield* refusalsIn(item, level + 1, hasAnswer);
  else if (isRecord(value)) {
    for (const [key, member] of Object.entries(value)) {
      const name = plainKey(key);
      if (!CONTENT.has(name)) yield* refusalsIn(member, level + 1, DECIDING.has(name));
    }
  } else if (hasAnswer) {
    const decision = toDecision(value);
    if (decision === "deny" || decision === "ask") yield decision;
  }
}

function plainKey(key: string): string {
  return key.replaceAll(/[_-]/g, "").toLowerCase();
}

/** The fields next to such a word. */
function readBehaviour(decision: unknown): {
  readonly updatedInput?: unknown;
  readonly message: string | null;
  readonly interrupt: boolean;
} {
  if (!isRecord(decision)) return { message: null, interrupt: false };
  const { message, updatedInput, interrupt } = decision;
  return {
    updatedInput,
    message: typeof message === "string" ? message.slice(0, MOST_CHARACTERS) : null,
    interrupt: interrupt === true,
  };
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

function stricter(one: Decision | null, other: Decision | null): Decision | null {
  if (one === null || other === null) return one ?? other;
  return STRICTNESS[other] > STRICTNESS[one] ? other : one;
}

/** Joins several hooks: deny beats ask beats allow, of two new inputs the later counts, and all context is kept. */
export function mergeVerdicts(all: readonly HookVerdict[]): HookVerdict {
  const [first = SILENT_HOOK] = all;
  if (all.length <= 1) return first;
  let merged = SILENT_HOOK;
  for (const verdict of all) {
    const isStricter = stricter(merged.decision, verdict.decision) !== merged.decision;
    merged = {
      ...merged,
      ...verdict,
      decision: isStricter ? verdict.decision : merged.decision,
      reason: isStricter || (merged.reason === null && merged.decision === null) ? verdict.reason : merged.reason,
      updatedPrompt: verdict.updatedPrompt ?? merged.updatedPrompt,
      additionalContext: [...merged.additionalContext, ...verdict.additionalContext],
      endTurn: merged.endTurn || verdict.endTurn,
      errorHandling: verdict.errorHandling ?? merged.errorHandling,
      messages: [...merged.messages, ...verdict.messages],
    };
  }
  return merged;
}
