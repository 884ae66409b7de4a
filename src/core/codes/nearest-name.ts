/** Longer names are cut or skipped: nobody mistypes a name of this length. */
const MAX_LENGTH = 128;
/** How many candidates are compared letter by letter, best first by a cheap estimate. */
const MAX_COMPARISONS = 500;
/** Names further apart than this share of their length are no typo. */
const TOLERANCE = 0.4;
const BUCKETS = 64;
const ONE_SLIP = 1;
/** A word too much or too little; a slip of one letter is nearer. */
const ONE_WORD = 2;

interface Near {
  readonly name: string;
  readonly distance: number;
  /** How many letters differ, ignoring order: of two equally near names, the one with the same letters was meant. */
  readonly letters: number;
}

/**
 * The candidates that `name` probably meant, nearest first; equal except for case comes before all. A shared prefix,
 * such as the same server, makes two names no more similar; a tool's own name without its server, or with another one,
 * is an ordinary slip, and so is a last word too much or too little. Next to a very near candidate, far ones are left out as noise. The cost is linear in the
 * candidates' text, because counting letters rules out all but a bounded number.
 */
export function nearestNames(name: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = fold(name.slice(0, MAX_LENGTH));
  const near: Near[] = [];
  for (const { name: candidate, distance: least, letters } of rankByLetters(wanted, candidates)) {
    const worst = near.length < limit ? Number.POSITIVE_INFINITY : (near.at(-1)?.distance ?? 0);
    if (least > worst) break;
    const folded = fold(candidate);
    const bound = Math.min(worst, boundFor(wanted, folded));
    const distance = shortcut(wanted, folded) ?? distanceWithin(wanted, folded, bound);
    if (distance <= bound) near.push({ name: candidate, distance, letters });
    near.sort(byDistance).splice(Math.max(0, limit));
  }
  const best = near[0]?.distance ?? 0;
  return near.flatMap(({ name: found, distance }) => (distance <= 2 * best + 1 ? [found] : []));
}

/** `server__tool` and `server/tool` are two spellings of one name (I2). */
function fold(name: string): string {
  return name.toLowerCase().replaceAll("__", "/");
}

function boundFor(a: string, b: string): number {
  const shared = sharedFront(a, b);
  return Math.max(1, Math.floor((Math.max(a.length, b.length) - shared) * TOLERANCE));
}

/** How much of both names is a common `server/` or `kind:` prefix. */
function sharedFront(a: string, b: string): number {
  let shared = 0;
  for (let at = 0; at < a.length && a[at] === b[at]; at++) {
    if (a[at] === "/" || a[at] === ":") shared = at + 1;
  }
  return shared;
}

/** The same tool name, with another server in front or none. */
function isSameBehind(a: string, b: string): boolean {
  const own = behindFront(a);
  return own.length > 1 && a !== b && b.endsWith(own) && own === behindFront(b);
}

/** The distance of names that differ by more than slips of letters; null for all others. */
function shortcut(a: string, b: string): number | null {
  if (isSameBehind(a, b)) return ONE_SLIP;
  return goesOn(a, b) || goesOn(b, a) ? ONE_WORD : null;
}

/** `run_code_unsafe` goes on where `run_code` ends: one word more, behind at least two. */
function goesOn(short: string, long: string): boolean {
  if (!long.startsWith(short) || !WORD_BORDER.test(behindFront(short))) return false;
  return ONE_MORE_WORD.test(long.slice(short.length));
}

const WORD_BORDER = /[a-z0-9][_-][a-z0-9]/;
const ONE_MORE_WORD = /^[_-][a-z0-9]+$/;

function behindFront(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

function byDistance(a: Near, b: Near): number {
  if (a.distance !== b.distance) return a.distance - b.distance;
  if (a.letters !== b.letters) return a.letters - b.letters;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Candidates by the lower bound of the distance that their letters allow, ignoring order. */
function rankByLetters(wanted: string, candidates: Iterable<string>): readonly Near[] {
  const counts = new Int16Array(BUCKETS);
  countLetters(wanted, counts, 1);
  const nearest = createNearest();
  for (const name of candidates) {
    if (name.length > MAX_LENGTH) continue;
    const folded = fold(name);
    const known = shortcut(wanted, folded);
    if (known !== null) {
      nearest.add({ name, distance: known, letters: known });
      continue;
    }
    const bound = boundFor(wanted, folded);
    if (Math.abs(folded.length - wanted.length) > bound) continue;
    countLetters(folded, counts, -1);
    const distance = letterDistance(counts);
    countLetters(folded, counts, 1);
    if (distance <= bound) nearest.add({ name, distance, letters: distance });
  }
  return nearest.all();
}

/** The nearest of all that are added, each name once. Of very many, hardly any is sorted. */
function createNearest() {
  let kept: Near[] = [];
  let worst: Near | null = null;
  const cut = (): void => {
    kept = kept.sort(byDistance).filter(({ name }, at) => name !== kept[at - 1]?.name);
    kept.length = Math.min(kept.length, MAX_COMPARISONS);
    worst = kept[MAX_COMPARISONS - 1] ?? null;
  };
  return {
    add(one: Near): void {
      if (worst !== null && byDistance(one, worst) >= 0) return;
      kept.push(one);
      if (kept.length === 2 * MAX_COMPARISONS) cut();
    },
    all(): readonly Near[] {
      cut();
      return kept;
    },
  };
}

function countLetters(text: string, counts: Int16Array, step: number): void {
  for (let at = 0; at < text.length; at++) {
    const bucket = text.charCodeAt(at) % BUCKETS;
    counts[bucket] = (counts[bucket] ?? 0) + step;
  }
}

function letterDistance(counts: Int16Array): number {
  let missing = 0;
  let surplus = 0;
  for (const count of counts) {
    if (count > 0) missing += count;
    else surplus -= count;
  }
  return Math.max(missing, surplus);
}

/** Damerau-Levenshtein distance (adjacent swaps count once); any number above `bound` once that is exceeded. */
function distanceWithin(a: string, b: string, bound: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > bound && Math.min(...last) > bound) return bound + 1;
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
