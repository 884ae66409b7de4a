import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { endWith, go, type Step } from "./step.ts";

export type Args = Readonly<Record<string, unknown>>;

const MOST_LEVELS = 64;
const MOST_VALUES = 100_000;

/** Arguments as a plain frozen object, whatever the model or its client sent. */
export function readArguments(given: unknown): Step<Args> {
  const value = typeof given === "string" ? parse(given) : (given ?? {});
  if (value === undefined)
    return endWith("The arguments are not valid JSON. Call the tool again with a JSON object.", "failure");
  if (!isRecord(value)) return endWith("The arguments must be a JSON object. Call the tool again with one.", "failure");
  const left = { values: MOST_VALUES };
  try {
    return go(copyFrozen(value, 1, left) as Args); // A copy of an object is an object.
  } catch (error) {
    if (error instanceof Hazard) return endWith(`The arguments cannot be used: ${error.message}.`, "failure");
    return endWith("The arguments must be plain JSON. Call the tool again with a JSON object.", "failure");
  }
}

/** Arguments of a call that never ran, for reports: as they came if they can be walked and serialised, else why not. */
export function toShownArguments(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  try {
    return copyFrozen(given, 1, { values: MOST_VALUES });
  } catch (error) {
    return `(not shown: ${error instanceof Hazard ? error.message : "they are not plain JSON"})`;
  }
}

/** A value that would reach into prototypes when merged, or exhaust code that walks it. */
class Hazard extends Error {}

/** Judged arguments never change afterwards; code that wants to write gets a copy. */
function copyFrozen(value: object, level: number, left: { values: number }): object {
  if (level > MOST_LEVELS) throw new Hazard(`they are nested more than ${MOST_LEVELS} levels deep`);
  // Dates and the like have copies of their own kind, or none.
  const empty: object = Array.isArray(value) ? [] : isPlain(value) ? {} : structuredClone(value);
  const copy = empty as Record<string, unknown>; // Filled below by the keys that the value has.
  if (Object.hasOwn(value, "__proto__")) throw new Hazard('a key is called "__proto__"');
  for (const [key, member] of Object.entries(value)) {
    left.values -= 1;
    if (left.values < 0) throw new Hazard(`they hold more than ${MOST_VALUES} values`);
    if (typeof member === "function" || typeof member === "symbol") throw new TypeError(`${key} is no JSON`);
    if (typeof member !== "object" || member === null) copy[key] = member;
    else if (key === "constructor" && Object.hasOwn(member, "prototype"))
      throw new Hazard("a key reaches for a prototype");
    else copy[key] = copyFrozen(member, level + 1, left);
  }
  return Object.freeze(copy);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function parse(text: string): unknown {
  const value = text.trim() === "" ? null : parseJson(text);
  return value === null ? {} : value;
}
