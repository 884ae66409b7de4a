import { isNaming, TYPES } from "./keywords.ts";

/** A position in a definition. */
export interface Spot {
  readonly within: SchemaPart | null;
  readonly name: string;
}

/** A part of a schema that may contain text. */
export interface SchemaPart extends Spot {
  readonly value: unknown;
  /** Its keys are names chosen by the author, as in `properties`. */
  readonly named: boolean;
  /** The JSON Schema keyword that it belongs to; empty for a part with a chosen name. */
  readonly keyword: string;
  /** Its parent is a number or boolean, so no text belongs in it. */
  readonly inNumber: boolean;
}

/** How many parts one step examines. */
const PARTS_PER_STEP = 50;

/**
 * Yields each part of a schema once, in written order, with the names in it. Iterative, so that no depth of a schema
 * matters. Returns false if there are more parts than `most`.
 */
export function* walkSchema(
  root: string,
  schema: unknown,
  most: number,
  visit: (part: SchemaPart, names: readonly string[]) => void,
): Generator<void, boolean, void> {
  if (!mayHold(schema)) return true;
  const seen = new Set<object>();
  const waiting: SchemaPart[] = [
    { value: schema, within: null, name: root, named: false, keyword: "", inNumber: false },
  ];
  for (let count = 1; count <= most; count++) {
    if (count % PARTS_PER_STEP === 0) yield;
    const part = waiting.pop();
    if (part === undefined) return true;
    const { value } = part;
    if (typeof value !== "object" || value === null) visit(part, NONE);
    else if (!seen.has(value)) {
      seen.add(value);
      const names = Object.keys(value); // Own keys only.
      visit(part, names);
      pushMembers(part, value, names, waiting);
    }
  }
  return false;
}

function pushMembers(part: SchemaPart, value: object, names: readonly string[], waiting: SchemaPart[]): void {
  const isList = Array.isArray(value);
  const inNumber = isList ? part.inNumber : NUMBERS.has(Object.hasOwn(value, "type") && Reflect.get(value, "type"));
  for (let at = names.length - 1; at >= 0; at--) {
    const name = names[at] ?? "";
    const member: unknown = Reflect.get(value, name);
    if (!mayHold(member)) continue;
    const keyword = isList ? part.keyword : part.named ? "" : name;
    // The commonest texts of all, which carry no meaning.
    if (keyword === "type" && TYPES.has(member)) continue;
    waiting.push({
      value: member,
      within: part,
      name,
      named: !part.named && isNaming(name),
      keyword,
      inNumber,
    });
  }
}

const MAX_LENGTH = 300;
const KEPT = 200;

/** `inputSchema.properties.note.description` */
export function toWhere(spot: Spot): string {
  const steps: Spot[] = [];
  for (let step: Spot | null = spot; step !== null; step = step.within) steps.push(step);
  return steps.reduceRight((where, { within, name }) => {
    if (within === null) return name;
    const longer = Array.isArray(within.value) ? `${where}[${name}]` : `${where}.${name.slice(0, 80)}`;
    return longer.length > MAX_LENGTH ? `…${longer.slice(-KEPT)}` : longer;
  }, "");
}

/** Numbers and the like contain no text. */
function mayHold(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

const NONE: readonly string[] = [];
const NUMBERS: ReadonlySet<unknown> = new Set(["boolean", "integer", "number"]);
