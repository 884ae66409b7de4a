import { isRecord, type JsonObject, objectOf } from "../shape/json-value.ts";
import { createReferences, type References } from "./references.ts";

/** Reads inside one another: more than any honest schema needs, and few enough for the stack. */
export const MOST_OPEN = 400;

/** How one reader walks a schema. `Place` is what it carries from a schema to the parts of it. */
export interface SchemaReader<Result, Place> {
  /** How deep it goes; the root is level 0. */
  readonly levels: number;
  readonly visit: (schema: JsonObject, at: At<Result, Place>) => Result;
  /** What stands for a part that is not entered: no object, or too deep. */
  readonly beyond: (part: unknown, place: Place) => Result;
}

export interface At<Result, Place> {
  readonly level: number;
  readonly place: Place;
  /** The references of the schema that the walk began with. */
  readonly references: References;
  /** Reads a part, one level down. */
  inner(part: unknown, place: Place): Result;
  /** Reads another schema in place of this one, at its level unless another is given. */
  instead(schema: unknown, place: Place, level?: number): Result;
}

/**
 * The one way to walk a schema: `visit` chooses the parts, and this bounds how deep and how far anybody goes. Servers
 * write schemas, so without a bound they would decide how long everybody else waits.
 */
export function foldSchema<Result, Place = void>(
  schema: unknown,
  place: Place,
  { levels, visit, beyond }: SchemaReader<Result, Place>,
): Result {
  const references = createReferences(objectOf(schema));
  let open = 0;
  const read = (part: unknown, placed: Place, level: number): Result => {
    references.count();
    if (!isRecord(part) || level > levels || open === MOST_OPEN) return beyond(part, placed);
    open += 1;
    const result = visit(part, {
      level,
      place: placed,
      references,
      inner: (inner, to) => read(inner, to, level + 1),
      instead: (other, to, on = level) => read(other, to, on),
    });
    open -= 1;
    return result;
  };
  return read(schema, place, 0);
}
