import { type JsonObject, listOf } from "../shape/json-value.ts";
import { foldSchema, MOST_OPEN } from "./fold-schema.ts";
import { subSchemas } from "./keywords.ts";

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
  foldSchema<void, number>(schema, 0, {
    levels: MOST_OPEN,
    visit(node, { place: level, inner }) {
      if (level > limits.levels + 1) return;
      size.levels = Math.max(size.levels, level);
      for (const choice of listOf(node.enum)) {
        size.choices += 1;
        size.characters += String(choice).length;
      }
      for (const { keyword, name, schema: part } of subSchemas(node)) {
        if (keyword === "properties") size.properties += 1;
        if (typeof name === "string") size.characters += name.length;
        // Providers count alternatives at the level of the choice.
        inner(part, keyword === "anyOf" ? level : level + 1);
      }
    },
    beyond: () => {},
  });
  return (
    size.properties <= limits.properties &&
    size.levels <= limits.levels &&
    size.choices <= limits.choices &&
    size.characters <= limits.characters
  );
}
