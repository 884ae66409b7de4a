import { isSlowPattern } from "./slow-pattern.ts";

/** Real servers stay far below: 300 in one object, 700 in one list are the most seen in 3,065 tools. */
const MAX_MEMBERS = 2_000;
const MAX_NODES = 100_000;
/** A key that reaches for the prototype of objects, in JSON that stands in a text, also with its underscores escaped. */
const PROTO_IN_JSON =
  /(?:_|\\u005f){2}proto(?:_|\\u005f){2}\\?["']?\s{0,8}[\]:]|["']constructor\\?["']\s{0,8}:\s{0,8}\{\s{0,8}\\?["']prototype/iu;
/** Characters in which nothing of that kind can be said. */
const SHORT = 9;
/** No honest chain of references is longer. */
const MAX_REFERENCES = 64;

/** What in a schema could harm whoever reads it; null when there is nothing. Never recursive. */
export function findSchemaHazard(
  schema: unknown,
  root: "inputSchema" | "outputSchema",
): { readonly text: string; readonly where: string } | null {
  if (!mayHold(schema)) return null;
  const seen = new Set<object>();
  const frames: { readonly value: unknown; readonly where: string; readonly key: string }[] = [
    { value: schema, where: root, key: "" },
  ];
  for (let nodes = 0; nodes < MAX_NODES; nodes++) {
    const frame = frames.pop();
    if (frame === undefined) return null;
    const { value, where, key } = frame;
    if (key === "pattern" && typeof value === "string" && isSlowPattern(value.slice(0, 2_000)))
      return { text: "has a pattern that can take forever to match", where };
    if (typeof value === "string" && holdsProto(value)) return { text: PROTO_TEXT, where };
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isEndless(value, schema)) return { text: "refers to itself without end", where };
    const keys = Object.keys(value);
    if (keys.length > MAX_MEMBERS)
      return { text: `has ${keys.length} members in one place; ${MAX_MEMBERS} is the limit`, where };
    const isList = Array.isArray(value);
    for (const name of keys) {
      if (!isList && name.includes("_") && name.replace(/\s/g, "") === "__proto__")
        return { text: 'has a member called "__proto__"', where };
      const member: unknown = Reflect.get(value, name);
      const place = isList ? `${where}[${name}]` : `${where}.${name.slice(0, 80)}`;
      if (key === "patternProperties" && isSlowPattern(name.slice(0, 2_000)))
        return { text: "has a pattern that can take forever to match", where: place };
      if (name === "constructor" && isPollution(member))
        return { text: 'reaches for "constructor.prototype"', where: place };
      if (mayHold(member))
        frames.push({ value: member, where: place.length > 300 ? `…${place.slice(-200)}` : place, key: name });
    }
  }
  return { text: `has more than ${MAX_NODES} parts`, where: root };
}

/** Numbers and the like say nothing. */
export function mayHold(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

export const PROTO_TEXT = 'holds JSON with a member called "__proto__"';

/** Whether JSON in a text would reach for the prototype of objects once somebody reads it. */
export function holdsProto(text: string): boolean {
  return text.length > SHORT && PROTO_IN_JSON.test(text);
}

/** Refers to the whole that it is a part of, or round in a circle that no value ends. */
function isEndless(value: object, root: unknown): boolean {
  let target: unknown = value;
  for (let step = 0; step < MAX_REFERENCES; step++) {
    if (typeof target !== "object" || target === null) return false;
    const reference: unknown = Object.hasOwn(target, "$ref") ? Reflect.get(target, "$ref") : null;
    if (typeof reference !== "string" || !reference.startsWith("#")) return false;
    if (/^#\/?$/.test(reference)) return true;
    target = follow(reference, root);
  }
  return true;
}

/** What a reference inside a schema points at. */
function follow(reference: string, root: unknown): unknown {
  let target = root;
  for (const part of reference.slice(2).split("/", MAX_REFERENCES)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, name)) return null;
    target = Reflect.get(target, name);
  }
  return target;
}

function isPollution(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Object.hasOwn(value, "prototype")) return true;
  const inner: unknown = Reflect.get(value, "properties");
  return typeof inner === "object" && inner !== null && Object.hasOwn(inner, "prototype");
}
