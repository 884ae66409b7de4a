import { createRandom } from "./random.mjs";

/**
 * Words that stand together in one text get like vectors: the positive pointwise mutual information of all pairs,
 * reduced to `width` numbers a word by its largest eigenvectors.
 * @typedef {{ server: string, words: string[] }} Text
 * @typedef {{ words: string[], rows: Map<string, number>, width: number, numbers: Float64Array, texts: number[] }} Vectors
 */

const WORDS_OF_TEXT = 80;
const EXTRA = 12;
const ROUNDS = 5;

/** @param {Text[]} texts @param {{ width: number, leastServers: number }} options @returns {Vectors} */
export function factorize(texts, { width, leastServers }) {
  const { words, texts: counts } = chooseWords(texts, leastServers);
  const rows = new Map(words.map((word, row) => [word, row]));
  const pairs = toInformation(countPairs(texts, rows), words.length);
  return { words, rows, width, numbers: toVectors(pairs, words.length, width), texts: counts };
}

/** Words of at least so many servers, most widespread first. @param {Text[]} texts @param {number} leastServers */
function chooseWords(texts, leastServers) {
  /** @type {Map<string, { servers: Set<string>, texts: number }>} */
  const seen = new Map();
  for (const { server, words } of texts)
    for (const word of new Set(words)) {
      const entry = seen.get(word) ?? { servers: new Set(), texts: 0 };
      seen.set(word, entry);
      entry.servers.add(server);
      entry.texts += 1;
    }
  const chosen = [...seen]
    .filter(([, { servers }]) => servers.size >= leastServers)
    .sort(([a, left], [b, right]) => right.servers.size - left.servers.size || (a < b ? -1 : 1));
  return { words: chosen.map(([word]) => word), texts: chosen.map(([, entry]) => entry.texts) };
}

/**
 * How often two words stand in one text. What a server repeats in each of its texts counts less and less.
 * @param {Text[]} texts @param {Map<string, number>} rows @returns {Map<number, number>}
 */
function countPairs(texts, rows) {
  /** @type {Map<string, Text[]>} */
  const byServer = new Map();
  for (const text of texts) byServer.set(text.server, [...(byServer.get(text.server) ?? []), text]);
  /** @type {Map<number, number>} */
  const pairs = new Map();
  for (const [, own] of byServer) {
    /** @type {Map<number, number>} */
    const local = new Map();
    for (const { words } of own) {
      const known = [...new Set(words.flatMap((word) => rows.get(word) ?? []))].slice(0, WORDS_OF_TEXT);
      known.sort((a, b) => a - b);
      known.forEach((left, at) => {
        for (const right of known.slice(at + 1)) {
          const pair = left * rows.size + right;
          local.set(pair, (local.get(pair) ?? 0) + 1);
        }
      });
    }
    for (const [pair, count] of local) pairs.set(pair, (pairs.get(pair) ?? 0) + Math.log1p(count));
  }
  return pairs;
}

/** @typedef {{ left: Int32Array, right: Int32Array, values: Float64Array }} Sparse */

/** @param {Map<number, number>} pairs @param {number} size @returns {Sparse} */
function toInformation(pairs, size) {
  const sums = new Float64Array(size);
  let total = 0;
  for (const [pair, count] of pairs) {
    for (const row of [Math.floor(pair / size), pair % size]) sums[row] = (sums[row] ?? 0) + count;
    total += 2 * count;
  }
  const kept = [...pairs].flatMap(([pair, count]) => {
    const [left, right] = [Math.floor(pair / size), pair % size];
    const value = Math.log((count * total) / ((sums[left] ?? 1) * (sums[right] ?? 1)));
    return value > 0 ? [{ left, right, value }] : [];
  });
  return {
    left: Int32Array.from(kept, ({ left }) => left),
    right: Int32Array.from(kept, ({ right }) => right),
    values: Float64Array.from(kept, ({ value }) => value),
  };
}

/** Subspace iteration from a random start. @param {Sparse} matrix @param {number} size @param {number} width */
function toVectors(matrix, size, width) {
  const columns = width + EXTRA;
  const random = createRandom(1);
  let basis = new Float64Array(size * columns).map(() => random() + random() + random() - 1.5);
  orthonormalize(basis, size, columns);
  for (let round = 0; round < ROUNDS; round++) {
    basis = multiply(matrix, basis, columns);
    orthonormalize(basis, size, columns);
  }
  const image = multiply(matrix, basis, columns);
  const small = Array.from({ length: columns }, () => new Float64Array(columns));
  for (let row = 0; row < size; row++)
    small.forEach((line, a) => {
      const own = basis[row * columns + a] ?? 0;
      for (let b = 0; b < columns; b++) line[b] = (line[b] ?? 0) + own * (image[row * columns + b] ?? 0);
    });
  const { values, vectors } = diagonalize(small);
  const order = [...values.keys()].sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0)).slice(0, width);
  const numbers = new Float64Array(size * width);
  order.forEach((column, place) => {
    const scale = Math.sqrt(Math.max(values[column] ?? 0, 0));
    for (let row = 0; row < size; row++) {
      let sum = 0;
      for (let a = 0; a < columns; a++) sum += (basis[row * columns + a] ?? 0) * (vectors[a]?.[column] ?? 0);
      numbers[row * width + place] = sum * scale;
    }
  });
  return numbers;
}

/** @param {Sparse} matrix @param {Float64Array} basis @param {number} columns */
function multiply({ left, right, values }, basis, columns) {
  const image = new Float64Array(basis.length);
  for (let at = 0; at < values.length; at++) {
    const [a, b, value] = [(left[at] ?? 0) * columns, (right[at] ?? 0) * columns, values[at] ?? 0];
    for (let column = 0; column < columns; column++) {
      image[a + column] = (image[a + column] ?? 0) + value * (basis[b + column] ?? 0);
      image[b + column] = (image[b + column] ?? 0) + value * (basis[a + column] ?? 0);
    }
  }
  return image;
}

/** Gram and Schmidt, twice, because once loses digits. @param {Float64Array} basis @param {number} size @param {number} columns */
function orthonormalize(basis, size, columns) {
  const dot = (/** @type {number} */ a, /** @type {number} */ b) => {
    let sum = 0;
    for (let at = 0; at < size * columns; at += columns) sum += (basis[at + a] ?? 0) * (basis[at + b] ?? 0);
    return sum;
  };
  for (let column = 0; column < columns; column++) {
    for (const before of [...Array(column).keys(), ...Array(column).keys()]) {
      const share = dot(column, before);
      for (let at = 0; at < size * columns; at += columns)
        basis[at + column] = (basis[at + column] ?? 0) - share * (basis[at + before] ?? 0);
    }
    const length = Math.sqrt(dot(column, column)) || 1;
    for (let at = 0; at < size * columns; at += columns) basis[at + column] = (basis[at + column] ?? 0) / length;
  }
}

/** Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's rotations. @param {Float64Array[]} matrix */
function diagonalize(matrix) {
  const size = matrix.length;
  const vectors = Array.from({ length: size }, (_, at) => Float64Array.from({ length: size }, (_, to) => +(at === to)));
  const at = (/** @type {number} */ row, /** @type {number} */ column) => matrix[row]?.[column] ?? 0;
  for (let sweep = 0; sweep < 30; sweep++)
    for (let p = 0; p < size; p++)
      for (let q = p + 1; q < size; q++) {
        const off = (at(p, q) + at(q, p)) / 2;
        if (Math.abs(off) < 1e-14) continue;
        const angle = (at(q, q) - at(p, p)) / (2 * off);
        const tangent = (angle < 0 ? -1 : 1) / (Math.abs(angle) + Math.sqrt(angle * angle + 1));
        const cosine = 1 / Math.sqrt(tangent * tangent + 1);
        for (const rows of [matrix, vectors]) for (const row of rows) rotate(row, p, q, cosine, tangent * cosine);
        const [upper, lower] = [matrix[p], matrix[q]];
        if (upper === undefined || lower === undefined) continue;
        for (let column = 0; column < size; column++) {
          const [x, y] = [upper[column] ?? 0, lower[column] ?? 0];
          upper[column] = cosine * x - tangent * cosine * y;
          lower[column] = tangent * cosine * x + cosine * y;
        }
      }
  return { values: Float64Array.from({ length: size }, (_, row) => at(row, row)), vectors };
}

/** @param {Float64Array} row @param {number} p @param {number} q @param {number} cosine @param {number} sine */
function rotate(row, p, q, cosine, sine) {
  const [x, y] = [row[p] ?? 0, row[q] ?? 0];
  row[p] = cosine * x - sine * y;
  row[q] = sine * x + cosine * y;
}
