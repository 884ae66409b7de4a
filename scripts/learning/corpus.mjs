import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { splitWords } from "../../dist/core/search/split-words.js";
import { toFields } from "../../dist/core/search/tool-text.js";
import { shippedRequests } from "../../dist/system/shipped-requests.js";

/**
 * What vectors are learned from: operations of public APIs (CC0), requests of MetaTool (MIT) and those that ship with
 * this package, as stems.
 * @typedef {{ server: string, name: string[], description: string[], first: string[], rest: string[], place: string[],
 *   parameters: string[], details: string[] }} Operation
 * @typedef {{ words: string[], tool: string, text: string }} Request
 * @typedef {{ requests: Request[], tools: Map<string, string[]> }} Asked requests, and the words of the tools they are for
 * @typedef {{ operations: Operation[], metatool: Asked, shipped: Asked }} Corpus
 */

/** The operations of APIs-guru are the last lines of the catalog `large`; the others have licences of their own. */
const API_OPERATIONS = 16_288;

/** @param {string} folder @returns {Corpus} */
export function loadCorpus(folder) {
  const operations = readLines(join(folder, "large", "catalog.jsonl"))
    .slice(-API_OPERATIONS)
    .map(toOperation);
  return { operations, metatool: loadMetaTool(join(folder, "metatool")), shipped: loadShipped(folder) };
}

/** @type {Asked} */
const NOTHING = { requests: [], tools: new Map() };

/** @param {string} folder @returns {Asked} */
function loadMetaTool(folder) {
  if (!existsSync(join(folder, "train.jsonl"))) return NOTHING;
  const requests = readLines(join(folder, "train.jsonl"))
    .filter(({ gold }) => gold.length === 1)
    .map(({ query, gold }) => ({ words: toStems(query, 64), tool: String(gold[0]), text: query }));
  const tools = readLines(join(folder, "catalog.jsonl")).map(
    ({ name, description }) => /** @type {const} */ ([name, toStems(`${name}\n${description}`, 200)]),
  );
  return { requests, tools: new Map(tools) };
}

/** The tools of the catalog of real servers that the shipped requests know. @param {string} folder @returns {Asked} */
function loadShipped(folder) {
  const file = join(folder, "real-requests", "catalog.jsonl");
  if (!existsSync(file)) return NOTHING;
  const asked = [...shippedRequests().match(readLines(file))];
  const idOf = (/** @type {import("../../dist/core/search/tool-text.js").ToolText} */ tool) =>
    `${tool.server}/${tool.name}`;
  return {
    requests: asked.flatMap(([tool, requests]) =>
      requests.map((request) => ({ words: toStems(request, 64), tool: idOf(tool), text: request })),
    ),
    tools: new Map(
      asked.map(([tool]) => [idOf(tool), toStems(`${tool.name}\n${tool.server}\n${tool.description}`, 60)]),
    ),
  };
}

/** @param {Corpus} corpus @returns {Corpus} */
export function withoutMetaTool(corpus) {
  return { ...corpus, metatool: NOTHING };
}

/** Without the requests for one half of the servers. @param {Corpus} corpus @param {number} half @returns {Corpus} */
export function withoutServers(corpus, half) {
  const { requests, tools } = corpus.shipped;
  const isLeft = (/** @type {string} */ tool) => halfOf(tool.split("/")[0] ?? "") !== half;
  return {
    ...corpus,
    shipped: {
      requests: requests.filter(({ tool }) => isLeft(tool)),
      tools: new Map([...tools].filter(([tool]) => isLeft(tool))),
    },
  };
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
