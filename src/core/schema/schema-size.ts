import { isRecord, type JsonObject, listOf } from "../shape/json-value.ts";

/** How large one schema may be. */
export interface SizeLimits {
  readonly properties: number;
  /** Maximum nesting of objects and lists. */
  readonly levels: number;
  readonly choices: number;
  /** Total of all names and choices. */
  readonly characters: number;
}

/** Whether a shaped schema stays within the limits. */
export function isWithin(schema: JsonObject, limits: SizeLimits): boolean {
  const size = { properties: 0, levels: 0, choices: 0, characters: 0 };
  const measure = (node: unknown, level: number): void => {
    if (!isRecord(node) || level > limits.levels + 1) return;
    size.levels = Math.max(size.levels, level);
    for (const choice of listOf(node.enum)) {
      size.choices += 1;
      size.characters += String(choice).length;
    }
    for (const [word, isProperty] of NAMED) {
      const named = node[word];
      for (const [name, inner] of isRecord(named) ? Object.entries(named) : []) {
        size.properties += isProperty ? 1 : 0;
        size.characters += name.length;
        measure(inner, level + 1);
      }
    }
    measure(node.items, level + 1);
    measure(node.additionalProperties, level + 1);
    for (const inner of listOf(node.anyOf)) measure(inner, level);
  };
  measure(schema, 0);
  return (
    size.properties <= limits.properties &&
    size.levels <= limits.levels &&
    size.choices <= limits.choices &&
    size.characters <= limits.characters
  );
}

const NAMED = [
  ["properties", true],
  ["$defs", false],
] as const;
