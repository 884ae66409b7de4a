import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import MiniSearch from "minisearch";
import { rankWords } from "../dist/core/search/rank-words.js";
import { SearchIndex } from "../dist/core/search/search-index.js";
import { median } from "./measure.mjs";

/**
 * @typedef {{ name: string, server: string, description: string, inputSchema: unknown }} Definition
 * @typedef {{ name: string, measured: string, ratio: number, limit: number }} Row
 */

const TOOLS = 26_134;
/** MiniSearch needs a fifth of a second for each. */
const QUERIES = 40;
/** A query is too short for the clock of the processor, so it is asked this often. */
const REPEATS = 20;
const WARM_UP = 5;

/** @returns {Row[]} */
export function run() {
  const { tools, queries } = loadWorkload();
  setFlagsFromString("--expose-gc");
  /** @type {() => void} */
  const collect = runInNewContext("gc");

  collect();
  const before = process.memoryUsage();
  const [index, buildMs] = timed(() => build(tools));
  collect();
  const after = process.memoryUsage();
  const megabytes = (after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers) / 2 ** 20;

  const [mini, miniBuildMs] = timed(() => {
    const peer = new MiniSearch({ fields: ["name", "description"], idField: "id" });
    peer.addAll(tools.map((tool, id) => ({ ...tool, id })));
    return peer;
  });
  const lines = tools.map(({ name, description }) => `${name} ${description}`);

  const allowed = new Uint8Array(index.slots.length).fill(1);
  const ask = (/** @type {string} */ query) => rankWords(index, query, allowed);
  // What is measured is a query, not the compiler at work on it.
  for (let round = 0; round < WARM_UP; round++) queries.forEach(ask);
  const own = queries.map((query) => repeated(() => ask(query)));
  const minis = queries.map((query) => timed(() => mini.search(query))[1]);
  const regexes = queries.map((query) => timed(() => lines.filter((line) => toKeywords(query).test(line)))[1]);

  const extra = { name: "new_tool", server: "server", description: "A tool that came later", inputSchema: null };
  const addMs = median(
    Array.from({ length: 25 }, () => {
      index.remove(extra.name);
      return timed(() => {
        index.add(extra.name, extra);
        return ask(queries[0] ?? "");
      })[1];
    }),
  );

  const spam = `${queries.join(" ")} `.repeat(5);
  const poisoned = build(tools.map((tool) => ({ ...tool, description: spam })));
  const spoiled = queries.map((query) => repeated(() => rankWords(poisoned, query, allowed)));
  const [p50, p95] = [median(own), quantile(own, 0.95)];
  return [
    {
      name: "query of 26,134 tools, p50, against MiniSearch with its defaults",
      measured: `${ms(p50)} against ${ms(median(minis))}`,
      ratio: p50 / median(minis),
      limit: 0.02,
    },
    {
      name: "query, p95, against MiniSearch with its defaults",
      measured: `${ms(p95)} against ${ms(quantile(minis, 0.95))}`,
      ratio: p95 / quantile(minis, 0.95),
      limit: 0.02,
    },
    {
      name: "query, p50, against a regex of its keywords over names and descriptions",
      measured: `${ms(p50)} against ${ms(median(regexes))}`,
      ratio: p50 / median(regexes),
      limit: 0.2,
    },
    {
      name: "index of 26,134 tools, parameters included, against MiniSearch on name and description",
      measured: `${ms(buildMs)} against ${ms(miniBuildMs)}`,
      ratio: buildMs / miniBuildMs,
      limit: 2,
    },
    {
      name: "one tool added, and the next query, against the whole index",
      measured: `${ms(addMs)} against ${ms(buildMs)}`,
      ratio: addMs / buildMs,
      limit: 0.02,
    },
    {
      name: "memory of the index, in units of 100 MB",
      measured: `${Math.round(megabytes)} MB`,
      ratio: megabytes / 100,
      limit: 1,
    },
    {
      name: "query where every description holds the words of all queries, p50, against the honest catalog",
      measured: `${ms(median(spoiled))} against ${ms(p50)}`,
      ratio: median(spoiled) / p50,
      limit: 5,
    },
  ];
}

/** @param {Definition[]} tools */
function build(tools) {
  /** @type {SearchIndex<string | number>} */
  const index = new SearchIndex();
  tools.forEach((tool, at) => {
    index.add(at, tool);
  });
  return index;
}

/** The set `large` where TOOLCRIB_RETRIEVAL_DATA says where it is, else made-up tools of that number. */
function loadWorkload() {
  const folder = join(process.env.TOOLCRIB_RETRIEVAL_DATA ?? "", "large");
  if (process.env.TOOLCRIB_RETRIEVAL_DATA === undefined || !existsSync(folder)) return makeWorkload();
  const [tools, asked] = ["catalog.jsonl", "queries.jsonl"].map((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line)),
  );
  const queries = asked?.map(({ query }) => String(query)) ?? [];
  const step = Math.floor(queries.length / QUERIES);
  return {
    tools: /** @type {Definition[]} */ (tools ?? []),
    queries: queries.filter((_, at) => at % step === 0).slice(0, QUERIES),
  };
}

/** Words as often as language has them: few very common, most of them rare. */
function makeWorkload() {
  let seed = 7;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const word = () => `w${Math.floor(20_000 * random() ** 4)}`;
  const words = (/** @type {number} */ count) => Array.from({ length: count }, word).join(" ");
  const tools = Array.from({ length: TOOLS }, (_, at) => ({
    name: `${words(2).replace(" ", "_")}_${at}`,
    server: `server_${at % 900}`,
    description: words(18),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 3 }, () => [word(), { type: "string", description: words(6) }]),
      ),
    },
  }));
  return { tools, queries: Array.from({ length: QUERIES }, () => words(18)) };
}

/** @param {string} query */
function toKeywords(query) {
  const words = query.match(/[\p{L}\p{N}]{3,}/gu) ?? ["-"];
  return new RegExp(words.join("|"), "i");
}

/** Milliseconds of processor time. @template T @param {() => T} work @returns {[T, number]} */
function timed(work) {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return [result, (user + system) / 1000];
}

/** @param {() => unknown} work */
function repeated(work) {
  const [, all] = timed(() => {
    for (let round = 0; round < REPEATS; round++) work();
  });
  return all / REPEATS;
}

/** @param {number[]} values @param {number} share */
function quantile(values, share) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** @param {number} value */
function ms(value) {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}
