import { readFileSync } from "node:fs";
import { allSteps } from "../../dist/core/shape/all-steps.js";
import { readPiece, toHome } from "../../dist/core/trust/definition-sentences.js";
import { takeApart } from "../../dist/core/trust/definition-texts.js";
import { toClassIndex, toClauses, toEvidence } from "../../dist/core/trust/evidence.js";
import { asStanding, toForeignClasses } from "../../dist/core/trust/foreign-classes.js";
import { CLASS } from "../../dist/core/trust/word-classes.js";
import { toTools } from "../../dist/sources/mcp/to-tools.js";

/**
 * @typedef {{ label: 0 | 1, isBid: boolean, share: number, isCase: boolean, isVariant: boolean, sentences: Int32Array[], foreign: Int32Array[] }} Definition English sentences as
 * numbers of features, and those of other languages by the features of these; `share` is how much it counts
 */

const NAMES = Object.keys(CLASS);
const SERVER = { server: "s", group: null, defer: /** @type {const} */ ("auto"), timeout: null };
/** Deterministic cases teach nothing about wording. */
const WORDING = new Set([
  "hidden-instruction",
  "exfil-parameter",
  "schema-poison",
  "preference-manipulation",
  "cross-tool",
]);
/** How much one counts: a case, a tool of an MCP server, which is written for models, and an interface of the web. */
const HARD = 6;
const MCP = 4;
const WEB = 1.5;
const MAX_SENTENCES = 600;

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
  for (const { label, category, tool, generate } of readLines(file)) {
    const isAttack = label === "suspicious";
    if (generate !== undefined || (isAttack && !WORDING.has(category))) continue;
    const isBid = category === "preference-manipulation";
    for (const [one, share] of withoutOpening(tool)) {
      const found = toSentenceFeatures(one, features);
      if (found.sentences.length + found.foreign.length > 0)
        definitions.push({ label: isAttack ? 1 : 0, isBid, share, isCase: true, isVariant: one !== tool, ...found });
    }
  }
  return definitions;
}

/** A definition, and the same with its second sentence as its first: orders can stand there as well. @param {any} tool @returns {[unknown, number][]} */
function withoutOpening(tool) {
  const [, rest] = /^[^.!?\n]+[.!?]\s+(\S.*)$/s.exec(String(tool.description)) ?? [];
  return rest === undefined
    ? [[tool, HARD]]
    : [
        [tool, HARD],
        [{ ...tool, description: rest }, HARD / 2],
      ];
}

/** Tools of MCP servers, in JSON with lists `tools` in it, or of others, one a line. @param {string} file @param {Features} features */
export function readCatalog(file, features) {
  const isList = file.endsWith(".jsonl");
  const tools = isList ? readLines(file) : findTools(JSON.parse(readFileSync(file, "utf8")));
  /** @type {Definition[]} */
  const definitions = [];
  for (const tool of tools) {
    const found = toSentenceFeatures(tool, features);
    if (found.sentences.length + found.foreign.length > 0)
      definitions.push({
        label: 0,
        isBid: false,
        share: isList ? WEB : MCP,
        isCase: false,
        isVariant: false,
        ...found,
      });
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

/** What the scanner would weigh. @param {unknown} raw @param {Features} features */
function toSentenceFeatures(raw, features) {
  const tool = toTools([raw], SERVER).tools[0];
  /** @type {Int32Array[]} */
  const sentences = [];
  /** @type {Int32Array[]} */
  const foreign = [];
  if (tool === undefined) return { sentences, foreign };
  const { name, title, description, inputSchema, outputSchema } = tool;
  const claims = { readOnly: false, harmless: false, closedWorld: false };
  const definition = { name, title, description, inputSchema, outputSchema, claims };
  const home = toHome(definition);
  const seen = new Set();
  for (const piece of allSteps(takeApart(definition)).pieces)
    for (const { text, standing } of readPiece(piece).flatMap(({ sentences }) => sentences)) {
      if (sentences.length >= MAX_SENTENCES || seen.has(`${standing} ${text}`)) continue;
      seen.add(`${standing} ${text}`);
      const abroad = toForeignClasses(text);
      if (abroad !== null) {
        foreign.push(
          Int32Array.from(toForeignNames(asStanding(abroad.has, standing)), (one) => features.numberOf(one)),
        );
        continue;
      }
      for (const evidence of [text, ...toClauses(text)].flatMap(toEvidence))
        sentences.push(Int32Array.from(toFeatureNames(evidence, standing, home), (one) => features.numberOf(one)));
    }
  return { sentences, foreign };
}

/** @param {number} has */
function toForeignNames(has) {
  const places = toPlaces(has);
  return places.flatMap((at, from) => [
    `foreignClasses ${NAMES[at]}`,
    ...places.slice(from + 1).map((next) => `foreignPairs ${NAMES[at]}+${NAMES[next]}`),
  ]);
}

/**
 * @param {import("../../dist/core/trust/evidence.js").Evidence} evidence
 * @param {string} standing
 * @param {number} home
 */
function toFeatureNames({ stems, has, opens, near }, standing, home) {
  const isParameter = standing === "parameter" || standing === "key";
  const names = [`standings ${standing}`];
  for (const word of new Set(stems)) {
    names.push(`words ${word}`);
    if (isParameter) names.push(`parameterWords ${word}`);
  }
  for (const pair of new Set(stems.slice(1).map((word, at) => `${stems[at]} ${word}`))) names.push(`pairs ${pair}`);
  for (const at of toPlaces(has)) {
    names.push(`classes ${NAMES[at]}`);
    if (isParameter) names.push(`parameterClasses ${NAMES[at]}`);
    if (standing !== "opening") names.push(`${(home & (1 << at)) !== 0 ? "atHome" : "abroad"} ${NAMES[at]}`);
    for (const next of toPlaces(near[at] ?? 0)) names.push(`near ${NAMES[at]}>${NAMES[next]}`);
  }
  for (const at of toPlaces(opens)) names.push(`opens ${NAMES[at]}`);
  return names;
}

/** @param {number} classes */
function toPlaces(classes) {
  const places = [];
  for (let bits = classes; bits !== 0; bits &= bits - 1) places.push(toClassIndex(bits));
  return places;
}
