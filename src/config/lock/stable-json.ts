/** Characters that are invisible in a review. */
const UNSEEN = /[\u007f-\u009f\u00ad\u2028\u2029]|(?![\n\t])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Deeper definitions are refused, and their pins only need a signature. */
const MAX_DEPTH = 80;

/**
 * JSON that is the same for equal values: sorted at every level, one value per line, hidden characters written out, so
 * that a review shows what changed and nothing else. Keys named in `first` lead the outermost level.
 */
export function toStableJson(value: unknown, first: readonly string[] = []): string {
  const text = JSON.stringify(sorted(value, 0, first), null, 2);
  return `${text.replace(UNSEEN, toEscapes)}\n`;
}

function toEscapes(character: string): string {
  const units = [...Array(character.length).keys()].map((at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Untrusted names are keys here, so nothing may be inherited. */
function sorted(value: unknown, level: number, first: readonly string[]): unknown {
  if (Array.isArray(value)) return level > MAX_DEPTH ? null : value.map((member) => sorted(member, level + 1, []));
  if (typeof value !== "object" || value === null) return value;
  if (level > MAX_DEPTH) return null;
  const object: Record<string, unknown> = Object.create(null);
  const keys = Object.keys(value)
    .filter((key) => !first.includes(key))
    .sort();
  for (const key of [...first, ...keys]) object[key] = sorted(Reflect.get(value, key), level + 1, []);
  return object;
}
