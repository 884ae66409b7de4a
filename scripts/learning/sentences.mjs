import { readFileSync } from "node:fs";
import { isSuspect } from "../../dist/core/tool/suspect-words.js";
import { toTexts } from "../../dist/core/trust/definition-texts.js";
import { isWeighed, toEvidence, toPlace, toStanding } from "../../dist/core/trust/evidence.js";
import { toPlainText, toSentences } from "../../dist/core/trust/plain-text.js";
import { readParts } from "../../dist/core/trust/read-sentence.js";
import { CLASS } from "../../dist/core/trust/word-classes.js";
import { toTools } from "../../dist/sources/mcp/to-tools.js";

/**
 * @typedef {{ label: 0 | 1, share: number, isCase: boolean, sentences: Int32Array[] }} Definition sentences as numbers of
 * features; `share` is how much it counts
 */

const NAMES = Object.keys(CLASS);
const SERVER = { server: "s", group: null, defer: /** @type {const} */ ("auto"), timeout: null };
/** Deterministic cases teach nothing about wording. */
const WORDING = new Set(["hidden-instruction", "exfil-parameter", "schema-poison", "preference-manipulation"]);
/** Cases, and tools of MCP servers, which are written for models, count as much as this many interfaces of the web. */
const HARD = 4;
const MAX_SENTENCES = 400;

/** Gives every feature a number, the same for all definitions. */
export class Features {
  /** @type {Map<string, number>} */
  #numbers = new Map();

  /** @param {string} name */
  numberOf(name) {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  names() {
    return [...this.#numbers.keys()];
  }
}

/** Cases as `toolcrib eval scan` reads them. @param {string} file @param {Features} features */
export function readCases(file, features) {
  /** @type {Definition[]} */
  const definitions = [];
  for (const line of readLines(file)) {
    const { label, category, tool, generate } = line;
    const isAttack = label === "suspicious";
    if (generate !== undefined || (isAttack && !WORDING.has(category))) continue;
    const sentences = toSentenceFeatures(tool, features);
    if (sentences.length > 0) definitions.push({ label: isAttack ? 1 : 0, share: HARD, isCase: true, sentences });
  }
  return definitions;
}

/** Tools of MCP servers, in JSON with lists `tools` in it, or of others, one a line. @param {string} file @param {Features} features */
export function readCatalog(file, features) {
  const isList = file.endsWith(".jsonl");
  const tools = isList ? readLines(file) : findTools(JSON.parse(readFileSync(file, "utf8")));
  /** @type {Definition[]} */
  const definitions = [];
  for (const tool of tools) {
    const sentences = toSentenceFeatures(tool, features);
    if (sentences.length > 0) definitions.push({ label: 0, share: isList ? 1 : HARD, isCase: false, sentences });
  }
  return definitions;
}

/** @param {string} file @returns {any[]} */
function readLines(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}

/** @param {any} value @returns {any[]} */
function findTools(value) {
  if (typeof value !== "object" || value === null) return [];
  return Array.isArray(value.tools) ? value.tools : Object.values(value).flatMap(findTools);
}

/** The sentences that the scanner would weigh. @param {unknown} raw @param {Features} features */
function toSentenceFeatures(raw, features) {
  const tool = toTools([raw], SERVER, []).tools[0];
  /** @type {Int32Array[]} */
  const found = [];
  if (tool === undefined) return found;
  const { name, title, description, inputSchema, outputSchema } = tool;
  const claims = { readOnly: false, harmless: false, closedWorld: false };
  const pieces = toTexts({ name, title, description, inputSchema, outputSchema, claims });
  const slots = new Set(pieces.flatMap(({ kind, parameter }) => (kind === "key" && parameter ? [parameter] : [])));
  for (const { kind, raw: text } of pieces) {
    if (!isSuspect(kind === "key" ? `"${text}"` : text)) continue;
    toSentences(toPlainText(text)).forEach((sentence, at) => {
      if (!isSuspect(sentence) || found.length >= MAX_SENTENCES) return;
      for (const reading of readParts(sentence, slots))
        if (isWeighed(reading, kind)) {
          const standing = toStanding(kind, kind === "description" && at === 0);
          found.push(Int32Array.from(toFeatureNames(reading, standing), (one) => features.numberOf(one)));
        }
    });
  }
  return found;
}

/** @param {import("../../dist/core/trust/read-sentence.js").Reading} reading @param {string} standing */
function toFeatureNames(reading, standing) {
  const { words, pairs, has, opens, near } = toEvidence(reading);
  const names = [`standings ${standing}`];
  for (const word of words) names.push(`words ${word}`);
  for (const pair of pairs) names.push(`pairs ${pair}`);
  for (const at of toPlaces(has)) {
    names.push(`classes ${NAMES[at]}`);
    for (const next of toPlaces(near[at] ?? 0)) names.push(`near ${NAMES[at]}>${NAMES[next]}`);
  }
  for (const at of toPlaces(opens)) names.push(`opens ${NAMES[at]}`);
  if (standing !== "parameter") return names;
  for (const word of words) names.push(`parameterWords ${word}`);
  for (const at of toPlaces(has)) names.push(`parameterClasses ${NAMES[at]}`);
  return names;
}

/** @param {number} classes */
function toPlaces(classes) {
  const places = [];
  for (let bits = classes; bits !== 0; bits &= bits - 1) places.push(toPlace(bits));
  return places;
}
