import { compareMeaning } from "./compare-meaning.ts";
import { lettersOf } from "./letters.ts";
import { wordPositions } from "./positions.ts";
import { COUNT_BITS, countIn, FIELD_COUNT, MAX_COUNT } from "./postings.ts";
import type { WordQuery } from "./read-words.ts";
import { idfsOf, K1, occurrenceWorth, type Scored } from "./score-words.ts";
import type { Indexed, SearchIndex } from "./search-index.ts";
import { type ServerWords, serverWordsOf } from "./server-words.ts";
import { shippedVectors, type WordVectors } from "./word-vectors.ts";

/**
 * What the reranker looks at, in the order of its weights. All are about 0 to 1 and compare tools of one query.
 * @public the script that learns the weights reads it
 */
export const FEATURES = [
  "score",
  "share",
  "inName",
  "inDescription",
  "inServer",
  "inParameters",
  "inDetails",
  "nameCovered",
  "descriptionCovered",
  "serverCovered",
  "queryCovered",
  "queryInName",
  "neighbours",
  "insideName",
  "clauseBest",
  "clauseCovered",
  "clauseFirst",
  "serverBest",
  "synonyms",
  "inExamples",
  "bestExample",
  "nameMeant",
  "nameWords",
  "named",
  "clauseNear",
  "wordsNear",
] as const;

// Built from the very list that its type names.
const F = Object.fromEntries(FEATURES.map((name, at) => [name, at])) as Record<(typeof FEATURES)[number], number>;
export const FEATURE_COUNT = FEATURES.length;

const NAME = 0;
const DESCRIPTION = 1;
const SERVER = 2;
/** The feature of each field. */
const COLUMNS = [F.inName, F.inDescription, F.inServer, F.inParameters, F.inDetails, F.inExamples] as const;

/** One row of features for each candidate, in order. */
export function computeFeatures<K>(
  index: SearchIndex<K>,
  query: WordQuery,
  candidates: readonly Scored[],
  vectors: WordVectors = shippedVectors(),
): Float64Array {
  const rows = new Float64Array(candidates.length * FEATURE_COUNT);
  const scratch = toScratch(index, query);
  const clauseScores = new Float64Array(candidates.length * Math.max(1, query.clauseCount));
  candidates.forEach(({ slot }, at) => {
    const tool = index.slots[slot];
    if (tool === undefined) return;
    const row = at * FEATURE_COUNT;
    describeMatch(tool, slot, scratch, at, rows, clauseScores);
    describeName(tool, scratch, rows, row);
    rows[row + F.insideName] = insideName(tool, scratch);
    rows[row + F.bestExample] = bestExample(tool, scratch);
  });
  compareScores(candidates, rows);
  compareNames(candidates.length, rows);
  compareClauses(query, candidates.length, clauseScores, scratch, rows);
  compareServers(index, candidates, rows);
  const near = compareMeaning(index, query, candidates, vectors);
  for (let at = 0; at < candidates.length; at++) {
    rows[at * FEATURE_COUNT + F.clauseNear] = near.clause[at] ?? 0;
    rows[at * FEATURE_COUNT + F.wordsNear] = near.words[at] ?? 0;
  }
  return rows;
}

interface Scratch {
  /** One more than the index of a word among the query's terms, by word number; 0 for other words. */
  readonly positions: Uint16Array;
  /** By that index: 1 for terms in the query itself. */
  readonly isSaid: Uint8Array;
  /** By that index: how rare the term is, its weight, and its clauses as bits. */
  readonly idfs: Float64Array;
  readonly weights: Float64Array;
  readonly masks: Uint16Array;
  /** Words to look for inside names, and the letters that each needs. */
  readonly plain: readonly { readonly word: string; readonly needs: number }[];
  readonly worth: Float64Array;
  readonly idfOfTerm: (id: number) => number;
  readonly sumsOf: (tool: Indexed<unknown>, slot: number) => number;
  readonly sums: Float64Array;
  /** Total weight of the query's words. */
  readonly total: number;
  readonly clauseTotals: Float64Array;
  /** The words directly before each word of the query, by word number. */
  readonly before: ReadonlyMap<number, readonly number[]>;
  readonly serverWords: ServerWords;
}

/** The weight of an implied word, relative to one in the query. */
const MEANT = 0.7;

function toScratch<K>(index: SearchIndex<K>, { terms, clauses, clauseCount, sequence, plain }: WordQuery): Scratch {
  const isSaid = new Uint8Array(terms.length + 1);
  const idfs = new Float64Array(terms.length + 1);
  const weights = new Float64Array(terms.length + 1);
  const masks = new Uint16Array(terms.length + 1);
  const clauseTotals = new Float64Array(clauseCount);
  let total = 0;
  terms.forEach(({ idf, weight }, at) => {
    const place = at + 1;
    idfs[place] = idf;
    weights[place] = weight;
    if (weight >= 1) {
      isSaid[place] = 1;
      total += idf;
    }
    if (clauseCount === 0) return;
    const mask = clauses[at] ?? 0;
    masks[place] = mask;
    for (let clause = 0; clause < clauseCount; clause++) if ((mask >>> clause) & 1) add(clauseTotals, clause, idf);
  });
  return {
    positions: wordPositions(
      index,
      terms.map(({ postings }) => postings.id),
    ),
    isSaid,
    idfs,
    weights,
    masks,
    plain: plain.map((word) => ({ word, needs: lettersOf(word) })),
    worth: occurrenceWorth(index),
    idfOfTerm: idfsOf(index),
    ...fieldSumsOf(index),
    // If only synonyms match, there is no total to take shares of.
    total: total || 1,
    clauseTotals,
    before: readNeighbours(sequence),
    serverWords: serverWordsOf(index),
  };
}

interface FieldSums {
  readonly version: number;
  /** By slot: the total weight of the description's words, and of the server name's words. */
  readonly sums: Float64Array;
  /** Index of a tool's first sum. */
  readonly sumsOf: (tool: Indexed<unknown>, slot: number) => number;
}

/** Computed when a tool first becomes a candidate, and again after a change. */
function fieldSumsOf<K>(index: SearchIndex<K>): FieldSums {
  const cached = cachedSums.get(index);
  if (cached?.version === index.version) return cached;
  const sums = new Float64Array(index.slots.length * 2).fill(-1);
  const idfOfTerm = idfsOf(index);
  const sumsOf = ({ terms, counts }: Indexed<unknown>, slot: number): number => {
    const from = slot * 2;
    if ((sums[from] ?? 0) >= 0) return from;
    let described = 0;
    let served = 0;
    for (let at = 0; at < terms.length; at++) {
      const packed = counts[at] ?? 0;
      const idf = idfOfTerm(terms[at] ?? 0);
      if (countIn(packed, DESCRIPTION) > 0) described += idf;
      if (countIn(packed, SERVER) > 0) served += idf;
    }
    sums[from] = described;
    sums[from + 1] = served;
    return from;
  };
  const fresh = { version: index.version, sums, sumsOf };
  cachedSums.set(index, fresh);
  return fresh;
}

const cachedSums = new WeakMap<object, FieldSums>();

function readNeighbours(sequence: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const pairs = new Map<number, number[]>();
  for (let at = 1; at < sequence.length; at++) {
    const before = sequence[at - 1] ?? -1;
    const after = sequence[at] ?? -1;
    if (before < 0 || after < 0) continue;
    const known = pairs.get(after);
    if (known === undefined) pairs.set(after, [before]);
    else known.push(before);
  }
  return pairs;
}

function describeMatch<K>(
  tool: Indexed<K>,
  slot: number,
  { positions, isSaid, idfs, weights, masks, clauseTotals, worth, sums, sumsOf, total }: Scratch,
  candidate: number,
  rows: Float64Array,
  clauseScores: Float64Array,
): void {
  let described = 0;
  let served = 0;
  let covered = 0;
  let inName = 0;
  const row = candidate * FEATURE_COUNT;
  const clauses = candidate * clauseTotals.length;
  const { terms, counts } = tool;
  for (let at = 0; at < terms.length; at++) {
    const place = positions[terms[at] ?? 0] ?? 0;
    if (place === 0) continue;
    const packed = counts[at] ?? 0;
    const idf = idfs[place] ?? 0;
    const said = isSaid[place] === 1;
    let frequency = 0;
    for (let field = 0, rest = packed; rest !== 0; field++, rest >>>= COUNT_BITS) {
      if ((rest & MAX_COUNT) === 0) continue;
      const own = (rest & MAX_COUNT) * (worth[slot * FIELD_COUNT + field] ?? 0);
      frequency += own;
      if (said) add(rows, row + (COLUMNS[field] ?? 0), (idf * own) / (K1 + own) / total);
    }
    const gain = (idf * frequency) / (K1 + frequency);
    for (let clause = 0, mask = masks[place] ?? 0; mask !== 0; clause++, mask >>>= 1)
      if (mask & 1) add(clauseScores, clauses + clause, (weights[place] ?? 0) * gain);
    if (!said) {
      add(rows, row + F.synonyms, gain / total);
      continue;
    }
    covered += idf;
    if (countIn(packed, DESCRIPTION) > 0) described += idf;
    if (countIn(packed, SERVER) > 0) served += idf;
    if (countIn(packed, NAME) > 0) inName += idf;
  }
  const from = sumsOf(tool, slot);
  rows[row + F.descriptionCovered] = shareOf(described, sums[from] ?? 0);
  rows[row + F.serverCovered] = shareOf(served, sums[from + 1] ?? 0);
  rows[row + F.queryCovered] = covered / total;
  rows[row + F.queryInName] = inName / total;
}

function shareOf(part: number, all: number): number {
  return all === 0 ? 0 : part / all;
}

function describeName<K>(
  { nameTerms, server }: Indexed<K>,
  { positions, isSaid, idfOfTerm, before, serverWords }: Scratch,
  rows: Float64Array,
  row: number,
): void {
  let all = 0;
  let matched = 0;
  let meant = 0;
  let own = 0;
  let ownMatched = 0;
  let paired = 0;
  const names = serverWords(server);
  for (let at = 0; at < nameTerms.length; at++) {
    const id = nameTerms[at] ?? 0;
    const idf = idfOfTerm(id);
    all += idf;
    const place = positions[id] ?? 0;
    const said = isSaid[place] === 1;
    if (said) matched += idf;
    else if (place > 0) meant += idf;
    if (!names.has(id)) {
      own += 1;
      if (place > 0) ownMatched += said ? 1 : MEANT;
    }
    if (at > 0 && before.get(id)?.includes(nameTerms[at - 1] ?? 0)) paired += 1;
  }
  rows[row + F.nameCovered] = shareOf(matched, all);
  rows[row + F.nameMeant] = shareOf(meant, all);
  rows[row + F.nameWords] = shareOf(ownMatched, own);
  for (const id of names) if (isSaid[positions[id] ?? 0] === 1) rows[row + F.named] = 1;
  rows[row + F.neighbours] = nameTerms.length < 2 ? 0 : paired / (nameTerms.length - 1);
}

/** How much of the name consists of words of the request, as written. */
function insideName<K>({ lower, letters }: Indexed<K>, { plain }: Scratch): number {
  let inside = 0;
  for (const { word, needs } of plain) if ((needs & ~letters) === 0 && lower.includes(word)) inside += word.length;
  return inside === 0 ? 0 : Math.min(1, inside / lower.length);
}

/** How much of the request the best example covers, and of the example the request; only rare words count. */
function bestExample<K>({ examples }: Indexed<K>, { positions, isSaid, idfOfTerm, total }: Scratch): number {
  let best = 0;
  for (const example of examples) {
    let all = 0;
    let shared = 0;
    for (const id of example) {
      const idf = idfOfTerm(id);
      all += idf;
      if (isSaid[positions[id] ?? 0] === 1) shared += idf;
    }
    if (shared > 0) best = Math.max(best, shared / Math.sqrt(Math.max(all, 1e-9) * total));
  }
  return best;
}

function compareScores(candidates: readonly Scored[], rows: Float64Array): void {
  const most = Math.max(candidates[0]?.score ?? 0, 1e-9);
  candidates.forEach(({ score }, at) => {
    rows[at * FEATURE_COUNT + F.score] = score / most;
  });
}

/** Implied words in a name count less, the more of the request's own words the best name has. */
function compareNames(count: number, rows: Float64Array): void {
  let best = 0;
  for (let at = 0; at < count; at++) best = Math.max(best, rows[at * FEATURE_COUNT + F.nameCovered] ?? 0);
  for (let row = F.nameMeant; row < count * FEATURE_COUNT; row += FEATURE_COUNT)
    rows[row] = (1 - best) * (rows[row] ?? 0);
}

function compareClauses(
  { clauseCount }: WordQuery,
  count: number,
  scores: Float64Array,
  { clauseTotals, total }: Scratch,
  rows: Float64Array,
): void {
  for (let at = 0; at < count; at++) {
    const row = at * FEATURE_COUNT;
    let sum = 0;
    for (let field = F.inName; field <= F.inDetails; field++) sum += rows[row + field] ?? 0;
    rows[row + F.share] = sum;
  }
  if (clauseCount === 0) return;
  const best = new Float64Array(clauseCount);
  for (let at = 0; at < count; at++)
    for (let clause = 0; clause < clauseCount; clause++)
      best[clause] = Math.max(best[clause] ?? 0, scores[at * clauseCount + clause] ?? 0);
  const most = Math.max(...best, 1e-9);
  for (let at = 0; at < count; at++) {
    const row = at * FEATURE_COUNT;
    for (let clause = 0; clause < clauseCount; clause++) {
      const score = scores[at * clauseCount + clause] ?? 0;
      if (score === 0) continue;
      raise(rows, row + F.clauseBest, score / most);
      raise(rows, row + F.clauseCovered, score / Math.max(clauseTotals[clause] ?? 0, 0.2 * total));
      raise(rows, row + F.clauseFirst, score / Math.max(best[clause] ?? 0, 1e-9));
    }
  }
}

/** The score of the best other tool of the same server: a task rarely needs only one tool of a server. */
function compareServers<K>(index: SearchIndex<K>, candidates: readonly Scored[], rows: Float64Array): void {
  const most = Math.max(candidates[0]?.score ?? 0, 1e-9);
  const bestTwo = new Map<string, number[]>();
  for (const { slot, score } of candidates) {
    const server = index.slots[slot]?.server ?? "";
    const seen = bestTwo.get(server);
    // Candidates come best first.
    if (seen === undefined) bestTwo.set(server, [score]);
    else if (seen.length < 2) seen.push(score);
  }
  candidates.forEach(({ slot, score }, at) => {
    const server = index.slots[slot]?.server ?? "";
    const [first = 0, second = 0] = bestTwo.get(server) ?? [];
    if (server !== "") rows[at * FEATURE_COUNT + F.serverBest] = (score === first ? second : first) / most;
  });
}

function add(values: Float64Array, at: number, amount: number): void {
  values[at] = (values[at] ?? 0) + amount;
}

function raise(values: Float64Array, at: number, value: number): void {
  if (value > (values[at] ?? 0)) values[at] = value;
}
