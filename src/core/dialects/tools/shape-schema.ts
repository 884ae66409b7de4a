import { isWithin } from "../../schema/schema-size.ts";
import { isRecord, type JsonObject, put } from "../../shape/json-value.ts";
import type { SchemaRules } from "../limits/schema-rules.ts";
import { type Restore, restoresNothing } from "./restore.ts";
import { type Shaping, shapeRoot } from "./shape-node.ts";

/** The schema of a tool's input, as providers want it at the root. */
export interface ObjectSchema {
  [key: string]: unknown;
  type: "object";
  properties: JsonObject;
}

export interface Shaped {
  readonly schema: ObjectSchema;
  /** What to undo in arguments; null if nothing. */
  readonly restore: Restore | null;
  /** What the root can no longer express, for the tool's description. */
  readonly note: string | null;
  /** Whether the schema meets the rules; a tool that does not cannot be strict. */
  readonly fits: boolean;
  /** What strict mode counts. */
  readonly optional: number;
  readonly unions: number;
}

/** Fits a schema to a provider's rules. Never fails: a tool with a nonsensical schema keeps its name and text. */
export function shapeSchema(written: unknown, rules: SchemaRules): Shaped {
  const root = isRecord(written) ? written : {};
  const shaping: Shaping = {
    rules,
    defs: new Map(),
    fits: true,
    optional: 0,
    unions: 0,
  };
  const { schema: shaped, restore, note } = shapeRoot({ ...root, type: "object" }, shaping);
  const schema: ObjectSchema = {
    ...shaped,
    type: "object",
    properties: isRecord(shaped.properties) ? shaped.properties : {},
  };
  if (shaping.defs.size > 0) {
    const defs: JsonObject = {};
    for (const [name, { schema: definition }] of shaping.defs) put(defs, name, definition ?? {});
    schema.$defs = defs;
  }
  const { optional, unions } = shaping;
  const fits = shaping.fits && (rules.size === null || isWithin(schema, rules.size));
  return { schema, restore: restoresNothing(restore) ? null : restore, note, fits, optional, unions };
}
