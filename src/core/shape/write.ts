import { remember } from "./remember.ts";
import type { RecordShape, Shape } from "./shape.ts";

/** The plain data from which the shape reads this value again. */
export function writeShape(value: unknown, shape: Shape): unknown {
  const isSaid = value !== null && value !== undefined;
  const written = isSaid && shape.from !== undefined ? shape.from(value) : value;
  if (written === null || written === undefined) return written;
  switch (shape.kind) {
    case "list":
      return [...(written as Iterable<unknown>)].map((item) => writeShape(item, shape.of));
    case "map": {
      const entries = [...(written as ReadonlyMap<string, unknown>)];
      // Members become own properties, so a key such as `__proto__` is safe.
      return Object.fromEntries(entries.map(([key, member]) => [key, writeShape(member, shape.of)]));
    }
    case "record":
      return writeRecord(written as Readonly<Record<string, unknown>>, shape);
    default:
      return written;
  }
}

function writeRecord(value: Readonly<Record<string, unknown>>, { fields, brief = [] }: RecordShape): object {
  const written: [string, unknown][] = [];
  for (const [key, field] of entriesOf(fields)) {
    if (field.aliasOf !== undefined) continue;
    const member = writeShape(value[key], field);
    if (member === undefined) continue;
    if ((brief === true || brief.includes(key)) && saysNothing(member, field.default ?? null)) continue;
    written.push([key, member]);
  }
  return Object.fromEntries(written);
}

/** Cached: a file may hold a record of one shape ten thousand times. */
const entriesOf = remember((fields: RecordShape["fields"]) => Object.entries(fields));

function saysNothing(value: unknown, initial: unknown): boolean {
  if (value === initial || value === null) return true;
  return Array.isArray(initial) && Array.isArray(value) && initial.length === 0 && value.length === 0;
}
