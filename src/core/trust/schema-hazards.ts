import { isEndless } from "../schema/references.ts";
import type { SchemaPart, Spot } from "../schema/walk-parts.ts";
import { isSlowPattern } from "./slow-pattern.ts";

/** Real servers stay far below: 300 in one object, 700 in one list are the most seen in 3,065 tools. */
const MAX_MEMBERS = 2_000;
/** A key that reaches for the object prototype, in JSON inside a text, also with escaped underscores. */
const PROTO_IN_JSON =
  /(?:_|\\u005f){2}proto(?:_|\\u005f){2}\\?["']?\s{0,8}[\]:]|["']constructor\\?["']\s{0,8}:\s{0,8}\{\s{0,8}\\?["']prototype/iu;
/** Shorter text cannot contain such a key. */
const SHORT = 9;

/** What could harm a reader of a schema, and where it is. */
export interface Hazard {
  readonly text: string;
  readonly spot: Spot;
}

/** The hazard in a part of a schema; null if there is none. */
export function findHazard(part: SchemaPart, names: readonly string[], schema: unknown): Hazard | null {
  const { value, name: key } = part;
  if (typeof value === "string") {
    if (key === "pattern" && isSlowPattern(value.slice(0, 2_000))) return { text: SLOW_TEXT, spot: part };
    return holdsProto(value) ? { text: PROTO_TEXT, spot: part } : null;
  }
  if (typeof value !== "object" || value === null) return null;
  if (isEndless(value, schema)) return { text: "refers to itself without end", spot: part };
  if (names.length > MAX_MEMBERS)
    return { text: `has ${names.length} members in one place; ${MAX_MEMBERS} is the limit`, spot: part };
  if (Array.isArray(value)) return null;
  for (const name of names) {
    if (name.includes("_") && name.replace(/\s/g, "") === "__proto__")
      return { text: 'has a member called "__proto__"', spot: part };
    if (key === "patternProperties" && isSlowPattern(name.slice(0, 2_000)))
      return { text: SLOW_TEXT, spot: { within: part, name } };
    if (name === "constructor" && isPollution(Reflect.get(value, name)))
      return { text: 'reaches for "constructor.prototype"', spot: { within: part, name } };
  }
  return null;
}

const SLOW_TEXT = "has a pattern that can take forever to match";
export const PROTO_TEXT = 'holds JSON with a member called "__proto__"';

/** Whether JSON inside a text would reach for the object prototype once it is parsed. */
export function holdsProto(text: string): boolean {
  return text.length > SHORT && /proto/i.test(text) && PROTO_IN_JSON.test(text);
}

function isPollution(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Object.hasOwn(value, "prototype")) return true;
  const inner: unknown = Reflect.get(value, "properties");
  return typeof inner === "object" && inner !== null && Object.hasOwn(inner, "prototype");
}
