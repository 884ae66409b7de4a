import { findByPattern, loadPatternEngine } from "../dist/core/filters/own-pattern.js";
import { createSifter } from "../dist/core/filters/sift.js";
import { FINDERS } from "../dist/runtime/filters/finders.js";
import { median } from "./measure.mjs";

const ROUNDS = 15;
const TEXTS = 200;
const SIZE = 10 * 1024;
/** Milliseconds of CPU for 10 KB: of all kinds together, and of one pattern of a configuration's own. */
const MOST_KINDS = 0.4;
const MOST_PATTERN = 3;
const ORIGIN = /** @type {const} */ ({ kind: "default" });

const WORDS =
  "the quick brown fox jumps over a lazy dog and then writes to somebody about the invoice that was due in spring".split(
    " ",
  );
/** What texts of tools are like: prose, rows of data, a log with times and addresses, and dense personal data. */
const KINDS = {
  prose: (/** @type {number} */ seed) => `${pick(WORDS, seed)} ${pick(WORDS, seed * 7)}, `,
  JSON: (/** @type {number} */ seed) =>
    `{"id":${seed * 7919},"sku":"AB-${seed}","price":${seed % 997}.50,"at":"2026-11-${(seed % 28) + 10}T10:11:12Z","who":"${pick(WORDS, seed)}"},`,
  log: (/** @type {number} */ seed) =>
    `2026-11-19T04:${(seed % 50) + 10}:07.${seed % 1000}Z INFO 10.0.${seed % 250}.7:4${seed % 1000} GET /v1/items/${seed * 104729} 200 ${seed % 3000}ms sha=${(seed * 2654435761).toString(16)}\n`,
  "personal data": (/** @type {number} */ seed) =>
    `${pick(WORDS, seed)}${seed}@example.com, +49 30 ${1_000_000 + seed}, 4111 1111 1111 1111, DE89370400440532013000; `,
};
const PATTERNS = {
  "a number behind letters": "KD-[0-9]{6}",
  "words in any case": "(?i)confidential|internal use only|trade secret",
  "words and classes": "\\b[A-Z]{2}[0-9]{2}(-[A-Z0-9]{4}){3}\\b",
  "one that backtracking engines never end on": "(a+)+$",
};

/** What filters cost for texts of 10 KB, each another one. */
export async function run() {
  await loadPatternEngine();
  const sieves = Object.values(FINDERS).map((finder) => ({
    finder,
    act: /** @type {const} */ ("mask"),
    origin: ORIGIN,
  }));
  const rows = Object.entries(KINDS).map(([name, piece]) =>
    row(`${name}, all kinds that ship`, measure(sieves, piece), MOST_KINDS),
  );
  for (const [name, pattern] of Object.entries(PATTERNS)) {
    const own = [{ finder: findByPattern("own", pattern), act: /** @type {const} */ ("mask"), origin: ORIGIN }];
    const worst = Math.max(...Object.values(KINDS).map((piece) => measure(own, piece)));
    rows.push(row(`an own pattern, ${name}, on the text that it takes longest on`, worst, MOST_PATTERN));
  }
  return rows;
}

/**
 * @param {string} name
 * @param {number} ms
 * @param {number} most
 */
function row(name, ms, most) {
  return {
    name: `CPU for 10 KB of ${name}, in units of ${most} ms`,
    measured: `${ms.toFixed(3)} ms`,
    ratio: ms / most,
    limit: 1,
  };
}

/**
 * CPU milliseconds a text, the median of the rounds.
 * @param {readonly import("../dist/core/filters/filter.js").Sieve[]} sieves
 * @param {(seed: number) => string} piece
 */
function measure(sieves, piece) {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    const texts = Array.from({ length: TEXTS }, (_, at) => textOf(piece, round * TEXTS + at));
    const before = process.cpuUsage();
    for (const text of texts) createSifter(sieves).text(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / TEXTS;
  });
  return median(rounds);
}

/**
 * @param {(seed: number) => string} piece
 * @param {number} seed
 */
function textOf(piece, seed) {
  let text = "";
  for (let at = seed * 1_000; text.length < SIZE; at += 1) text += piece(at);
  return text.slice(0, SIZE);
}

/**
 * @param {readonly string[]} words
 * @param {number} seed
 */
function pick(words, seed) {
  return words[seed % words.length] ?? "";
}
