import { hashWord } from "../../dist/core/search/word-vectors.js";
import { contrast } from "./contrast.mjs";
import { factorize } from "./factorize.mjs";

/** @typedef {{ width: number, packed: string, words: number }} Packed */

const WIDTH = 32;
/** Rarer words get no vector. Each request of MetaTool counts as a server of its own. */
const LEAST_SERVERS = { operations: 2, requests: 3 };
const PARAMETERS = 20;
const DETAILS = 40;
/** How long vectors are when the second part of the learning begins, for each unit of rarity. */
const FIRST_LENGTH = 0.15;

/** Learns a vector for each word of a corpus, as whole numbers. @param {import("./corpus.mjs").Corpus} corpus @returns {Packed} */
export function trainVectors(corpus) {
  const { operations, metatool, shipped } = corpus;
  const requests = [...metatool.requests, ...shipped.requests];
  const texts = [
    ...operations.map(({ server, name, description, place, parameters, details }) => ({
      server,
      words: [...name, ...description, ...place, ...parameters.slice(0, PARAMETERS), ...details.slice(0, DETAILS)],
    })),
    ...requests.map(({ words }, at) => ({ server: `request ${at}`, words })),
  ];
  const leastServers = metatool.requests.length > 0 ? LEAST_SERVERS.requests : LEAST_SERVERS.operations;
  const vectors = factorize(texts, { width: WIDTH, leastServers });
  vectors.texts.forEach((count, row) => {
    stretch(rowOf(vectors, row), FIRST_LENGTH * Math.log(1 + texts.length / count));
  });
  contrast(vectors, corpus);
  return pack(vectors);
}

/** @param {import("./factorize.mjs").Vectors} vectors */
function pack(vectors) {
  const order = vectors.words
    .map((word, row) => ({ hash: hashWord(word), row }))
    .sort((a, b) => a.hash - b.hash)
    .filter(({ hash }, at, all) => hash !== all[at - 1]?.hash);
  const bytes = Buffer.alloc(order.length * (WIDTH + 4));
  order.forEach(({ hash, row }, place) => {
    bytes.writeUInt32LE(hash, place * 4);
    const numbers = rowOf(vectors, row);
    stretch(numbers, 127);
    numbers.forEach((value, column) => {
      bytes.writeInt8(Math.round(value), order.length * 4 + place * WIDTH + column);
    });
  });
  return { width: WIDTH, packed: bytes.toString("base64"), words: order.length };
}

/** @param {import("./factorize.mjs").Vectors} vectors @param {number} row */
function rowOf({ numbers, width }, row) {
  return numbers.subarray(row * width, (row + 1) * width);
}

/** @param {Float64Array} numbers @param {number} length */
function stretch(numbers, length) {
  const now = Math.hypot(...numbers) || 1;
  numbers.forEach((value, at) => {
    numbers[at] = (value * length) / now;
  });
}
