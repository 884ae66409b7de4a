import { isRecord, type JsonObject, objectOf } from "../shape/json-value.ts";
import { resolvePointer } from "./resolve-pointer.ts";

/** No honest chain of references is longer. */
const MOST_STEPS = 64;
/** A schema without references is as large as its text; with them it can double at every level. */
const MOST_PARTS = 4_000;

/** The guard for the references of one schema while somebody reads it. */
export interface References {
  /** The target of a reference; undefined if it is in another document, or nowhere. */
  target(pointer: string): unknown;
  /** Whether following it would lead in a circle, or read more than any honest schema has. */
  isClosed(pointer: string): boolean;
  /** Whatever `read` follows to one of these is a circle. */
  within<T>(pointers: readonly string[], read: () => T): T;
  /** The end of a chain of references. `join` is given each target and what stands beside the reference to it. */
  resolve(schema: JsonObject, join: (target: JsonObject, beside: JsonObject) => JsonObject): JsonObject;
  /** Counts a schema that is read. */
  count(): void;
}

export function createReferences(root: JsonObject): References {
  const open: string[] = [];
  let parts = 0;
  return {
    target: (pointer) => resolvePointer(root, pointer),
    isClosed: (pointer) => parts > MOST_PARTS || open.includes(pointer),
    within(pointers, read) {
      const before = open.length;
      open.push(...pointers);
      const result = read();
      open.length = before;
      return result;
    },
    resolve(schema, join) {
      let found = schema;
      for (let step = 0; typeof found.$ref === "string"; step += 1) {
        const { $ref, ...beside } = found;
        parts += 1;
        const isLast = step === MOST_STEPS || parts > MOST_PARTS;
        found = join(isLast ? {} : objectOf(resolvePointer(root, String($ref))), beside);
      }
      return found;
    },
    count() {
      parts += 1;
    },
  };
}

/** Whether a schema refers to the whole that it is part of, or its references form a circle that no value ends. */
export function isEndless(schema: unknown, root: unknown): boolean {
  let target = schema;
  for (let step = 0; step < MOST_STEPS; step++) {
    const reference: unknown = isRecord(target) && Object.hasOwn(target, "$ref") ? target.$ref : null;
    if (typeof reference !== "string") return false;
    if (/^#\/?$/.test(reference)) return true;
    target = resolvePointer(root, reference);
  }
  return true;
}
