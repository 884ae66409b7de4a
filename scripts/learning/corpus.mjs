import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { splitWords } from "../../dist/core/search/split-words.js";
import { toFields } from "../../dist/core/search/tool-text.js";

/**
 * What vectors are learned from: operations of public APIs (CC0) and requests of MetaTool (MIT), as stems.
 * @typedef {{ server: string, name: string[], description: string[], first: string[], rest: string[], place: string[],
 *   parameters: string[], details: string[] }} Operation
 * @typedef {{ words: string[], tool: string }} Request
 * @typedef {{ operations: Operation[], requests: Request[], tools: Map<string, string[]> }} Corpus
 */

/** The operations of APIs-guru are the last lines of the catalog `large`; the others have licences of their own. */
const API_OPERATIONS = 16_288;

/** @param {string} folder @returns {Corpus} */
export function loadCorpus(folder) {
  const operations = readLines(join(folder, "large", "catalog.jsonl"))
    .slice(-API_OPERATIONS)
    .map(toOperation);
  const metatool = join(folder, "metatool");
  if (!existsSync(join(metatool, "train.jsonl"))) return { operations, requests: [], tools: new Map() };
  const requests = readLines(join(metatool, "train.jsonl"))
    .filter(({ gold }) => gold.length === 1)
    .map(({ query, gold }) => ({ words: toStems(query, 64), tool: String(gold[0]) }));
  const tools = readLines(join(metatool, "catalog.jsonl")).map(
    ({ name, description }) => /** @type {const} */ ([name, toStems(`${name}\n${description}`, 200)]),
  );
  return { operations, requests, tools: new Map(tools) };
}

/** @param {Corpus} corpus @returns {Corpus} */
export function withoutMetaTool({ operations }) {
  return { operations, requests: [], tools: new Map() };
}

/** Every API belongs to one of two halves. @param {string} server */
export function halfOf(server) {
  let sum = 0;
  for (const character of server) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum % 2;
}

/** @param {string} file */
export function readLines(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** @param {import("../../dist/core/search/tool-text.js").ToolText} tool @returns {Operation} */
function toOperation(tool) {
  const { name, description, server, parameters, details } = toFields(tool);
  const end = tool.description.search(/\.\s/);
  return {
    server: tool.server ?? "",
    name: toStems(name.text, 32),
    description: toStems(description.text, 160),
    first: toStems(end > 0 ? tool.description.slice(0, end) : tool.description, 60),
    rest: end > 0 ? toStems(tool.description.slice(end), 160) : [],
    place: toStems(server.text, 16),
    parameters: toStems(parameters.text, 64),
    details: toStems(details.text, 160),
  };
}

/** @param {string} text @param {number} limit */
function toStems(text, limit) {
  return splitWords(text, limit).flatMap(({ term, plain }) => (/^\d+$/.test(plain) ? [] : [term]));
}
