// Learns the weights of the search reranker, and measures them and the word vectors on sets that they never saw.
//
//   npm run setup && node scripts/train-reranker.mjs --data DIR [--write]
//
// DIR holds one folder per set with catalog.jsonl and queries.jsonl, as "toolcrib eval search" reads them. Sets that
// share queries or tasks are one family: a set is scored by weights learned without any query of its family. The word
// vectors have seen requests for the tools of MetaTool and those that ship with this package, so wherever such tools are
// scored or learned from, vectors stand in that were learned without MetaTool, or without requests for the same server.
// The set real-requests is only ever measured.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { computeFeatures, FEATURES } from "../dist/core/search/features.js";
import { MAX_CANDIDATES } from "../dist/core/search/rank-words.js";
import { readWords } from "../dist/core/search/read-words.js";
import { scoreWords } from "../dist/core/search/score-words.js";
import { SearchIndex } from "../dist/core/search/search-index.js";
import { shippedVectors, unpackVectors } from "../dist/core/search/word-vectors.js";
import { shippedRequests } from "../dist/system/shipped-requests.js";
import { halfOf, loadCorpus, readLines, withoutMetaTool, withoutServers } from "./learning/corpus.mjs";
import { bootstrap, learn, mean, measure, start, WIDTH } from "./learning/reranker.mjs";
import { trainVectors } from "./learning/train-vectors.mjs";

/**
 * @typedef {import("./learning/reranker.mjs").Labels} Labels
 * @typedef {import("./learning/reranker.mjs").Sample} Sample
 * @typedef {import("../dist/core/search/word-vectors.js").WordVectors} WordVectors
 * @typedef {import("../dist/core/search/tool-text.js").ToolText} ToolText
 * @typedef {{ id: string, query: string, gold: string[], goldGroups?: string[][] }} QueryLine
 * @typedef {{ labels: Labels, shipped: Float64Array, careful: Float64Array }} Request both kinds of vectors
 */

const METATOOL = "metatool";
const MIXED = "large";
const REAL = "real-requests";
/** The requests that ship with this package, without the tools' other requests; and MetaTool's with some of them. */
const ASKED = "asked";
const SHOWN = "metatool, with requests";
const SHOWN_REQUESTS = 6;
/** MetaTool's requests are learned from once without them already. */
const SHOWN_SHARE = 0.5;
/** The last two features are those of the vectors. */
const WORDS_ONLY = WIDTH - 2;

const { values } = parseArgs({ options: { data: { type: "string" }, write: { type: "boolean", default: false } } });
if (values.data === undefined) throw new Error("--data DIR is needed");
const folder = values.data;
const corpus = loadCorpus(folder);
const learned = (/** @type {import("./learning/corpus.mjs").Corpus} */ from) => unpackVectors(trainVectors(from));
const careful = learned(withoutMetaTool(corpus));
const halves = [learned(withoutServers(corpus, 0)), learned(withoutServers(corpus, 1))];
const sets = loadSets();
const extra = new Map([
  [ASKED, askShipped()],
  [SHOWN, askShown()],
]);
const shipped = learn([...sets, ...extra].map(([name, requests]) => toSamples(requests, hasSeen(name))));

console.log(
  "| set | queries | first stage | words alone, never seen | with vectors, never seen | to the first stage (95 %) | by the vectors (95 %) | as shipped |",
);
console.log("|---|---|---|---|---|---|---|---|");
/** @type {Map<string, { before: number[], words: number[], after: number[], shipped: number[] }>} */
const scores = new Map();
/** @type {{ words: Float64Array, after: Float64Array } | null} */
let mixed = null;
for (const [name, requests] of sets) {
  const isCareful = hasSeen(name);
  const others = [...sets, ...extra].map(([other, its]) =>
    toSamples(
      its.filter((one) => !isKin(one, requests)),
      isCareful || hasSeen(other),
    ),
  );
  const unseen = { words: learn(others, WORDS_ONLY), after: learn(others) };
  if (name === MIXED) mixed = unseen;
  const samples = toSamples(requests, isCareful);
  scores.set(name, {
    before: samples.map((sample) => measure(sample, start)),
    words: samples.map((sample) => measure(sample, unseen.words)),
    after: samples.map((sample) => measure(sample, unseen.after)),
    shipped: toSamples(requests, false).map((sample) => measure(sample, shipped)),
  });
  printRow(name, [scores.get(name)]);
}
printRow("mean", [...scores.values()]);
if (mixed !== null) printRow(`${MIXED}, APIs never seen`, [measureHalves(mixed)]);
for (const withRequests of [false, true]) {
  const requests = askReal(withRequests);
  const [seen, unseen] = [toSamples(requests, false), toSamples(requests, true)];
  printRow(`${REAL}, ${withRequests ? "with" : "without"} shipped requests`, [
    {
      before: unseen.map((sample) => measure(sample, start)),
      words: unseen.map((sample) => measure(sample, shipped, WORDS_ONLY)),
      after: unseen.map((sample) => measure(sample, shipped)),
      shipped: seen.map((sample) => measure(sample, shipped)),
    },
  ]);
}
if (values.write) writeWeights(shipped);

/** Whether the vectors have seen other requests for the very tools of a set. @param {string} name */
function hasSeen(name) {
  return name === METATOOL || name === SHOWN || name === ASKED;
}

/** One request for each tool that the package has requests for, on the catalog of real servers. @returns {Request[]} */
function askShipped() {
  const tools = readLines(join(folder, REAL, "catalog.jsonl"));
  /** @type {Map<readonly string[], ToolText[]>} */
  const byRequests = new Map();
  for (const [tool, requests] of shippedRequests().match(tools))
    byRequests.set(requests, [...(byRequests.get(requests) ?? []), tool]);
  const queries = [...byRequests].map(([requests, [first, ...more]], at) => {
    const gold = [...new Set([first, ...more].map((tool) => tool?.name ?? ""))];
    const query = requests[at % requests.length] ?? "";
    return { id: `asked ${first?.server ?? ""}/${gold[0]}`, query, gold, goldGroups: [gold] };
  });
  return askByServer(tools, queries, ({ id }) => id.slice("asked ".length).split("/")[0] ?? "");
}

/** @returns {Request[]} */
function askShown() {
  /** @type {Map<string, string[]>} */
  const examples = new Map();
  for (const { words, tool, text } of corpus.metatool.requests) {
    const known = examples.get(tool) ?? [];
    if (words.length > 2 && known.length < SHOWN_REQUESTS) examples.set(tool, [...known, text]);
  }
  const tools = readLines(join(folder, METATOOL, "catalog.jsonl")).map((tool) => ({
    ...tool,
    examples: examples.get(tool.name) ?? [],
  }));
  return toRequests(askAll(readQueries(METATOOL), tools, [careful, careful])).map((request) => ({
    ...request,
    labels: { ...request.labels, share: SHOWN_SHARE },
  }));
}

/** @param {boolean} withRequests @returns {Request[]} */
function askReal(withRequests) {
  const tools = readLines(join(folder, REAL, "catalog.jsonl"));
  const asked = shippedRequests().match(tools);
  const servers = new Map(tools.map(({ name, server }) => [name, server]));
  return askByServer(
    withRequests ? tools.map((tool) => ({ ...tool, examples: asked.get(tool) ?? [] })) : tools,
    readQueries(REAL),
    ({ gold }) => servers.get(gold[0] ?? "") ?? "",
  );
}

/** With vectors that know no request for the server. @param {ToolText[]} tools @param {QueryLine[]} queries @param {(query: QueryLine) => string} serverOf */
function askByServer(tools, queries, serverOf) {
  return halves.flatMap((vectors, half) => {
    const own = queries.filter((query) => halfOf(serverOf(query)) === half);
    return toRequests(askAll(own, tools, [shippedVectors(), vectors]));
  });
}

/** @param {string} name @param {({ before: number[], words: number[], after: number[], shipped: number[] } | undefined)[]} rows */
function printRow(name, rows) {
  const all = rows.flatMap((row) => (row === undefined ? [] : [row]));
  const [before, words, after, last] = /** @type {const} */ (["before", "words", "after", "shipped"]).map((column) =>
    mean(all.map((row) => mean(row[column]))),
  );
  const toFirst = bootstrap(all.map((row) => [row.before, row.after]));
  const toWords = bootstrap(all.map((row) => [row.words, row.after]));
  const cells = [
    name,
    all.length === 1 ? String(all[0]?.before.length) : "",
    percent(before),
    percent(words),
    percent(after),
    `${signed((after ?? 0) - (before ?? 0))} (${signed(toFirst.low)} to ${signed(toFirst.high)})`,
    `${signed((after ?? 0) - (words ?? 0))} (${signed(toWords.low)} to ${signed(toWords.high)})`,
    Number.isNaN(last) ? "" : percent(last),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

/** @returns {Map<string, Request[]>} */
function loadSets() {
  const names = readdirSync(folder).filter((name) => name !== REAL && existsSync(join(folder, name, "queries.jsonl")));
  return new Map(names.sort().map((name) => [name, loadSet(name)]));
}

/** @param {string} name @returns {Request[]} */
function loadSet(name) {
  return toRequests(
    askAll(readQueries(name), readLines(join(folder, name, "catalog.jsonl")), [shippedVectors(), careful]),
  );
}

/** @param {string} name @returns {QueryLine[]} */
function readQueries(name) {
  return readLines(join(folder, name, "queries.jsonl"));
}

/** @param {{ labels: Labels, rows: Float64Array[] }[]} both @returns {Request[]} */
function toRequests(both) {
  return both.map(({ labels, rows }) => ({
    labels,
    shipped: rows[0] ?? new Float64Array(0),
    careful: rows[1] ?? new Float64Array(0),
  }));
}

/** The candidates of every query, with features for each kind of vectors. @param {QueryLine[]} queries @param {ToolText[]} tools @param {WordVectors[]} kinds */
function askAll(queries, tools, kinds) {
  const index = new SearchIndex();
  for (const tool of tools) index.add(tool, tool);
  const allowed = new Uint8Array(index.slots.length).fill(1);
  return queries.map(({ id, query, gold, goldGroups }) => {
    const words = readWords(index, query);
    const candidates = scoreWords(index, words.terms, allowed, MAX_CANDIDATES);
    const names = candidates.map(({ slot }) => index.slots[slot]?.name ?? "");
    const wanted = new Set(gold);
    return {
      labels: {
        id,
        groups: goldGroups ?? gold.map((one) => [one]),
        names,
        isGold: names.map((one) => (wanted.has(one) ? 1 : 0)),
      },
      rows: kinds.map((vectors) => computeFeatures(index, words, candidates, vectors)),
    };
  });
}

/**
 * The vectors were learned from texts of APIs that are wrong answers in the mixed set. Here one half of the APIs is
 * learned from and taken out of the catalog, then the other.
 * @param {{ words: Float64Array, after: Float64Array }} weights
 */
function measureHalves({ words, after }) {
  const apis = new Set(corpus.operations.map(({ server }) => server));
  const tools = readLines(join(folder, MIXED, "catalog.jsonl"));
  const halves = [0, 1].map((half) => {
    const seen = (/** @type {string} */ server) => apis.has(server) && halfOf(server) === half;
    const vectors = trainVectors({ ...corpus, operations: corpus.operations.filter(({ server }) => seen(server)) });
    const left = tools.filter(({ server }) => !seen(server));
    return askAll(readQueries(MIXED), left, [unpackVectors(vectors)]).map(({ labels, rows }) => ({
      labels,
      rows: rows[0] ?? new Float64Array(0),
    }));
  });
  const average = (/** @type {Float64Array} */ weights) => {
    const [first = [], second = []] = halves.map((samples) => samples.map((sample) => measure(sample, weights)));
    return first.map((value, at) => (value + (second[at] ?? 0)) / 2);
  };
  return { before: average(start), words: average(words), after: average(after), shipped: [Number.NaN] };
}

/** @param {Request[]} requests @param {boolean} isCareful @returns {Sample[]} */
function toSamples(requests, isCareful) {
  return requests.map(({ labels, shipped: rows, careful: other }) => ({ labels, rows: isCareful ? other : rows }));
}

/** The same query may stand in several sets, and two sets of one source ask about the same tasks. @param {string} id */
function familyOf(id) {
  if (id.startsWith("live")) return "live";
  if (id.startsWith(METATOOL)) return METATOOL;
  if (id.startsWith(ASKED)) return ASKED;
  return /^G\d/.test(id) ? "toolbench" : "seal-tools";
}

/**
 * A mixed set is held out query by query, a set of one family with its whole family.
 * @param {Request} other @param {Request[]} requests
 */
function isKin({ labels }, requests) {
  const families = new Set(requests.map((one) => familyOf(one.labels.id)));
  if (families.size === 1) return families.has(familyOf(labels.id));
  return requests.some((one) => one.labels.id === labels.id);
}

/** @param {number | undefined} share */
function percent(share = 0) {
  return (100 * share).toFixed(1);
}

/** @param {number} share */
function signed(share) {
  return `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}`;
}

/** @param {Float64Array} weights */
function writeWeights(weights) {
  const lines = FEATURES.map((name, at) => `  ${Number((weights[at] ?? 0).toFixed(3))}, // ${name}`);
  const file = fileURLToPath(new URL("../src/core/search/reranker-weights.ts", import.meta.url));
  writeFileSync(
    file,
    `/** Written by \`scripts/train-reranker.mjs\`; one weight for each of \`FEATURES\`. */\nexport const RERANKER_WEIGHTS: readonly number[] = [\n${lines.join("\n")}\n];\n`,
  );
}
