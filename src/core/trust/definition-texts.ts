import { type SchemaPart, type Spot, walkSchema } from "../schema/walk-parts.ts";
import { findHazard, type Hazard } from "./schema-hazards.ts";

/** The input of a scan: a definition as its source gave it, with its claims. */
export interface Definition {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  readonly claims: Claims;
}

/** True if the definition claims it; what it does not state is no claim. */
interface Claims {
  readonly readOnly: boolean;
  readonly harmless: boolean;
  readonly closedWorld: boolean;
}

/** One text of a definition. Everything in a schema counts, because a model reads all of it. */
export interface TextPiece {
  readonly spot: Spot;
  readonly kind: "title" | "description" | "parameter" | "switch" | "schema" | "key";
  readonly raw: string;
  /** It is where JSON Schema has no text at all, as the value of a number. */
  readonly misplaced: boolean;
}

/** The texts of a definition, and the first hazard in each schema. */
export interface DefinitionParts {
  readonly pieces: readonly TextPiece[];
  readonly hazards: readonly Hazard[];
}

/** More than honest definitions have; larger ones are refused for their size anyway. */
const MAX_PARTS = 100_000;
const MAX_TOLD = 20_000;
const MAX_CHARACTERS = 400_000;

/** Splits a definition, in one walk through its schemas. */
export function* takeApart(definition: Definition): Generator<void, DefinitionParts, void> {
  const { title, description } = definition;
  const pieces: TextPiece[] = [];
  const hazards: Hazard[] = [];
  let left = MAX_CHARACTERS;
  const add = (kind: TextPiece["kind"], spot: Spot, raw: string, misplaced: boolean): void => {
    if (raw === "" || left <= 0) return;
    const text = raw.length > left ? raw.slice(0, left) : raw;
    left -= text.length;
    pieces.push({ spot, kind, raw: text, misplaced });
  };
  if (title !== null) add("title", { within: null, name: "title" }, title, false);
  add("description", { within: null, name: "description" }, description, false);
  let told = 0;
  for (const root of ["inputSchema", "outputSchema"] as const) {
    const schema = definition[root];
    let hazard: Hazard | null = null;
    const ended = yield* walkSchema(root, schema, MAX_PARTS, (part, names) => {
      hazard ??= findHazard(part, names, schema);
      if (++told <= MAX_TOLD) addTexts(part, names, add);
    });
    if (!ended) hazard ??= { text: `has more than ${MAX_PARTS} parts`, spot: { within: null, name: root } };
    if (hazard !== null) hazards.push(hazard);
  }
  return { pieces, hazards };
}

function addTexts(
  part: SchemaPart,
  names: readonly string[],
  add: (kind: TextPiece["kind"], spot: Spot, raw: string, misplaced: boolean) => void,
): void {
  const { value, keyword, inNumber } = part;
  if (typeof value === "string") {
    const written = keyword === "required" || isChain(value) ? toWords(value) : value;
    // One word is no sentence, wherever it is.
    const misplaced = (keyword === "format" || (inNumber && !TELLS.test(keyword))) && written.includes(" ");
    const kind = toKind(part);
    if (kind === "key" || !isOneWord(written)) add(kind, part, written, misplaced);
  } else if (!Array.isArray(value))
    // Parameter names carry meaning; so does any key that JSON Schema does not define.
    for (let at = names.length - 1; at >= 0; at--) {
      const name = names[at] ?? "";
      if (part.named || name.length > 24) add("key", { within: part, name }, toWords(name), false);
    }
}

function toKind({ keyword, inNumber }: SchemaPart): TextPiece["kind"] {
  if (keyword === "required") return "key";
  if (keyword !== "description") return "schema";
  return inNumber ? "switch" : "parameter";
}

/** A single word carries no instruction. */
const WORD = /^[\w.:/-]{0,23}$/;

export function isOneWord(text: string): boolean {
  return text.length < 24 && WORD.test(text);
}

/** Keywords meant for people to read, in JSON Schema or beyond it. */
export const TELLS = /descri|message|comment|title|help|hint|label|summary|note|text|doc|error/i;

/** `ignore-previous-instructions`: a sentence disguised as a name. */
export function isChain(text: string): boolean {
  return text.length < 200 && /^[a-z]+(?:[_-][a-z]+){2,}$/i.test(text);
}

/** Cached: the same names recur. */
const known = new Map<string, string>();
const MAX_KNOWN = 5_000;

/** `contentOf_ssh-key` as `content of ssh key`. */
export function toWords(name: string): string {
  let words = known.get(name);
  if (words === undefined) {
    words = name
      .slice(0, 2_000)
      .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
      .replace(/[_\-./:\s]+/g, " ")
      .trim();
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, words);
  }
  return words;
}
