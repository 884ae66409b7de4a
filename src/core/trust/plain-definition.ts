import { isNaming, TYPES } from "../schema/keywords.ts";
import { mayHide } from "../tool/hidden-text.ts";
import { type Definition, isChain, isOneWord, TELLS, type TextPiece, toWords } from "./definition-texts.ts";
import { isPlainlyHarmless } from "./plainly-harmless.ts";
import { holdsProto } from "./schema-hazards.ts";
import { isTellingName } from "./telling-names.ts";

/** Deeper and larger schemas are read in steps, and so are those that are not a tree. */
const DEEPEST = 20;
const MOST_PARTS = 500;
const MOST_CHARACTERS = 60_000;

/**
 * Whether the texts and schemas of a definition are so ordinary that reading them would find nothing: no attack, nothing
 * hidden, nothing that points elsewhere, nothing too large or too heavy. Most are, and one quick walk can tell.
 */
export function isPlainDefinition(
  { title, description, inputSchema, outputSchema }: Definition,
  home: () => number,
): boolean {
  const reader: Reader = { home, parts: MOST_PARTS, characters: MOST_CHARACTERS };
  return (
    (title === null || isOneWord(title) || isOrdinary(title, "title", reader)) &&
    (isOneWord(description) || isOrdinary(description, "description", reader)) &&
    isPlainRoot(inputSchema, reader) &&
    isPlainRoot(outputSchema, reader)
  );
}

/** With how much may still come. */
interface Reader {
  readonly home: () => number;
  parts: number;
  characters: number;
}

function isPlainRoot(schema: unknown, reader: Reader): boolean {
  if (typeof schema === "string") return false;
  return typeof schema !== "object" || schema === null || isPlainPart(schema, "", false, false, 0, reader);
}

/** `keyword` and `named` as of a `SchemaPart`. */
function isPlainPart(
  part: object,
  keyword: string,
  named: boolean,
  inNumber: boolean,
  level: number,
  reader: Reader,
): boolean {
  if (level > DEEPEST) return false;
  if (Array.isArray(part)) {
    for (const item of part) if (!isPlainMember(item, keyword, false, inNumber, level, reader)) return false;
    return true;
  }
  const members = part as Record<string, unknown>; // An inherited member would only be read besides its own.
  const ofNumber = NUMBERS.has(members.type);
  for (const name in members) {
    if (!(named ? plainNames : plainKeywords).has(name) && !isPlainName(name, named, reader)) return false;
    const own = named ? "" : name;
    if (!isPlainMember(members[name], own, !named && isNaming(name), ofNumber, level, reader)) return false;
  }
  return true;
}

function isPlainMember(
  value: unknown,
  keyword: string,
  named: boolean,
  inNumber: boolean,
  level: number,
  reader: Reader,
): boolean {
  if (--reader.parts < 0) return false;
  if (typeof value === "string") return isPlainText(value, keyword, inNumber, reader);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  return isPlainPart(value, keyword, named, inNumber, level + 1, reader);
}

function isPlainText(value: string, keyword: string, inNumber: boolean, reader: Reader): boolean {
  if (keyword === "required") return plainNames.has(value) || isPlainName(value, true, reader);
  if (value.length < 24) {
    if ((keyword === "type" && TYPES.has(value)) || plainWords.has(value)) return true;
    if (isOneWord(value)) return isPlainWord(value);
  }
  if (keyword === "format") return false;
  if (keyword === "$schema" && DRAFTS.has(value)) return true;
  if (inNumber && !TELLS.test(keyword)) return false;
  const kind = keyword !== "description" ? "schema" : inNumber ? "switch" : "parameter";
  return isOrdinary(value, kind, reader);
}

function isOrdinary(text: string, kind: TextPiece["kind"], reader: Reader): boolean {
  reader.characters -= text.length;
  return reader.characters >= 0 && isPlainlyHarmless(text, kind, reader.home);
}

/** Cached, because the same names recur; none of these depends on the tool. */
const plainNames = new Set<string>();
const plainKeywords = new Set<string>();
const plainWords = new Set<string>();
const MAX_KNOWN = 4_000;
const LONGEST_KEYWORD = 24;
const LONGEST_NAME = 64;
const REFERENCES: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

/** A name that an author chose, or a keyword. */
function isPlainName(name: string, chosen: boolean, { home }: Reader): boolean {
  if (/p\s*r\s*o\s*t\s*o/i.test(name) || REFERENCES.has(name) || (!chosen && name.startsWith("pattern"))) return false;
  if (name.length > LONGEST_NAME || mayHide(name)) return false;
  if (chosen || name.length > LONGEST_KEYWORD) {
    const words = toWords(name);
    let asked = false;
    const ask = (): number => {
      asked = true;
      return home();
    };
    if (words !== "" && (isTellingName(words, ask) || !isPlainlyHarmless(words, "key", ask))) return false;
    if (asked) return true;
  }
  keep(chosen ? plainNames : plainKeywords, name);
  return true;
}

/** One word, unless it is a chain of them. */
function isPlainWord(value: string): boolean {
  if (isChain(value) || holdsProto(value)) return false;
  keep(plainWords, value);
  return true;
}

function keep(known: Set<string>, text: string): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(text);
}

const NUMBERS: ReadonlySet<unknown> = new Set(["boolean", "integer", "number"]);
/** What schemas say they are written in. */
const DRAFTS: ReadonlySet<string> = new Set([
  "http://json-schema.org/draft-07/schema#",
  "http://json-schema.org/draft-07/schema",
  "http://json-schema.org/draft-04/schema#",
  "https://json-schema.org/draft/2019-09/schema#",
  "https://json-schema.org/draft/2019-09/schema",
  "https://json-schema.org/draft/2020-12/schema",
]);
