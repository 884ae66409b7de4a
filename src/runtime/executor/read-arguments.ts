import { endWith, go, type Step } from "./step.ts";

export type Args = Readonly<Record<string, unknown>>;

const MOST_LEVELS = 64;
const MOST_VALUES = 100_000;

/** Arguments as a plain frozen object of our own, whatever the model or its client sent. */
export function readArguments(given: unknown): Step<Args> {
  const value = typeof given === "string" ? parse(given) : (given ?? {});
  if (value === undefined)
    return endWith("The arguments are not valid JSON. Call the tool again with a JSON object.", "failure");
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return endWith("The arguments must be a JSON object. Call the tool again with one.", "failure");
  const problem = findHazard(value);
  if (problem !== null) return endWith(`The arguments cannot be used: ${problem}.`, "failure");
  try {
    return go(freezeDeep(structuredClone(value) as Args)); // A clone of an object is an object.
  } catch {
    return endWith("The arguments must be plain JSON. Call the tool again with a JSON object.", "failure");
  }
}

/** Judged arguments never change afterwards; whoever wants to write gets a copy. */
function freezeDeep<T extends object>(value: T): T {
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next);
    for (const member of Object.values(next))
      if (typeof member === "object" && member !== null && !Object.isFrozen(member)) open.push(member);
  }
  return value;
}

function parse(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return value ?? {};
  } catch {
    return undefined;
  }
}

/** What would reach into the prototypes of whoever merges it, or exhaust whoever walks it. */
function findHazard(value: object): string | null {
  let level: readonly object[] = [value];
  let count = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MOST_LEVELS) return `they are nested more than ${MOST_LEVELS} levels deep`;
    const below: object[] = [];
    for (const one of level) {
      if (Object.hasOwn(one, "__proto__")) return 'a key is called "__proto__"';
      for (const [key, member] of Object.entries(one)) {
        count += 1;
        if (count > MOST_VALUES) return `they hold more than ${MOST_VALUES} values`;
        if (typeof member !== "object" || member === null) continue;
        if (key === "constructor" && Object.hasOwn(member, "prototype")) return "a key reaches for a prototype";
        below.push(member);
      }
    }
    level = below;
  }
  return null;
}
