export interface Searchable {
  /** Words here count more. */
  readonly title: string;
  readonly text: string;
}

const TITLE_WEIGHT = 3;
/** How fast repetitions of a word stop counting (the k1 of BM25). */
const SATURATION = 1.2;
/** The weight of a word that is only found inside another, as in scripts without spaces. */
const INSIDE_WEIGHT = 0.3;

interface Entry<T> {
  readonly item: T;
  readonly words: ReadonlyMap<string, number>;
  readonly folded: string;
}

/** The items that share words with the query, best first; rare words count more than common ones. */
export function rankByWords<T extends Searchable>(items: readonly T[], query: string): T[] {
  const entries = items.map(toEntry);
  const wanted = [...new Set(wordsOf(query))];
  const weights = wanted.map((word) => {
    const holders = entries.filter(({ words }) => words.has(word)).length;
    return Math.log(1 + (entries.length - holders + 0.5) / (holders + 0.5));
  });
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, wanted, weights) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry.item);
}

function scoreOf<T>({ words, folded }: Entry<T>, wanted: readonly string[], weights: readonly number[]): number {
  return wanted.reduce((score, word, at) => {
    const count = words.get(word) ?? (mayBeInside(word) && folded.includes(word) ? INSIDE_WEIGHT : 0);
    return score + ((weights[at] ?? 0) * count * (SATURATION + 1)) / (count + SATURATION);
  }, 0);
}

/** Short words of alphabets occur inside everything. */
function mayBeInside(word: string): boolean {
  return word.length > 3 || /[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u.test(word);
}

function toEntry<T extends Searchable>(item: T): Entry<T> {
  const words = new Map<string, number>();
  const count = (text: string, weight: number) => {
    for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  count(item.title, TITLE_WEIGHT);
  count(item.text, 1);
  return { item, words, folded: `${item.title}\n${item.text}`.normalize("NFKC").toLowerCase() };
}

/** `excludeTools` is found by its whole, by `exclude` and by `tool`. */
function wordsOf(text: string): string[] {
  const parts = text.normalize("NFKC").replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return [text.normalize("NFKC"), ...(parts === text ? [] : [parts])]
    .flatMap((form) => form.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((word) => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word));
}
