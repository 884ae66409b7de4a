import { lettersOf } from "./letters.ts";
import { FIELD_COUNT, Postings } from "./postings.ts";
import { splitWords } from "./split-words.ts";
import { FIELDS, MAX_EXAMPLES, type ToolText, toFields } from "./tool-text.ts";

/** What the index stores about one tool, so that it can be scored and removed. */
export interface Indexed<K> {
  readonly key: K;
  readonly name: string;
  readonly server: string;
  /** Its name in lower case, and the letters of that, see `lettersOf`. */
  readonly lower: string;
  readonly letters: number;
  /** Its words, and the number of occurrences by field. */
  readonly terms: Uint32Array;
  readonly counts: Uint32Array;
  /** The words of its name in order. */
  readonly nameTerms: readonly number[];
  /** Number of words in each field. */
  readonly lengths: readonly number[];
  /** The words of each example request, by number. */
  readonly examples: readonly (readonly number[])[];
}

interface Counted {
  readonly found: readonly Postings[];
  readonly nameTerms: readonly number[];
  readonly lengths: readonly number[];
}

/**
 * The words of tools, for ranking. Tools are added and removed one by one; results depend only on the current tools,
 * not on their history. Every length is capped, so that no definition can make queries slow.
 */
export class SearchIndex<K> {
  /** Changes with every change of the index, for caches computed from it. */
  version = 0;
  /** By slot; undefined for an unused slot. */
  readonly slots: (Indexed<K> | undefined)[] = [];
  /** Total length of each field. */
  readonly totals = new Float64Array(FIELD_COUNT);
  readonly #slotOf = new Map<K, number>();
  readonly #byServer = new Map<string, Set<number>>();
  readonly #free: number[] = [];
  readonly #byTerm = new Map<string, Postings>();
  readonly #byId: (Postings | undefined)[] = [];
  readonly #freeIds: number[] = [];

  get size(): number {
    return this.#slotOf.size;
  }

  /** One more than the largest word number. */
  get termBound(): number {
    return this.#byId.length;
  }

  keys(): IterableIterator<K> {
    return this.#slotOf.keys();
  }

  has(key: K): boolean {
    return this.#slotOf.has(key);
  }

  slotOf(key: K): number | undefined {
    return this.#slotOf.get(key);
  }

  /** The slots of one server's tools. */
  slotsOf(server: string): ReadonlySet<number> {
    return this.#byServer.get(server) ?? NO_SLOTS;
  }

  find(term: string): Postings | undefined {
    return this.#byTerm.get(term);
  }

  termAt(id: number): Postings | undefined {
    return this.#byId[id];
  }

  terms(): IterableIterator<string> {
    return this.#byTerm.keys();
  }

  /** Replaces an existing key. */
  add(key: K, tool: ToolText): void {
    this.remove(key);
    this.version += 1;
    const slot = this.#free.pop() ?? this.slots.length;
    const { found, nameTerms, lengths } = this.#countWords(tool);
    const terms = new Uint32Array(found.length);
    const counts = new Uint32Array(found.length);
    for (let at = 0; at < found.length; at++) {
      const postings = found[at];
      if (postings === undefined) continue;
      terms[at] = postings.id;
      counts[at] = postings.settle(slot);
    }
    const lower = tool.name.toLowerCase();
    this.slots[slot] = {
      key,
      name: tool.name,
      server: tool.server ?? "",
      lower,
      letters: lettersOf(lower),
      terms,
      counts,
      nameTerms,
      lengths,
      examples: toExamples(tool).map((terms) => terms.map((term) => this.find(term)?.id ?? -1)),
    };
    this.#slotOf.set(key, slot);
    const siblings = this.#byServer.get(tool.server ?? "");
    if (siblings === undefined) this.#byServer.set(tool.server ?? "", new Set([slot]));
    else siblings.add(slot);
    lengths.forEach((length, field) => {
      this.totals[field] = (this.totals[field] ?? 0) + length;
    });
  }

  remove(key: K): boolean {
    const slot = this.#slotOf.get(key);
    const held = slot === undefined ? undefined : this.slots[slot];
    if (slot === undefined || held === undefined) return false;
    this.version += 1;
    for (const id of held.terms) {
      const postings = this.#byId[id];
      postings?.remove(slot);
      if (postings?.size === 0) this.#forget(postings);
    }
    held.lengths.forEach((length, field) => {
      this.totals[field] = (this.totals[field] ?? 0) - length;
    });
    this.slots[slot] = undefined;
    const siblings = this.#byServer.get(held.server);
    siblings?.delete(slot);
    if (siblings?.size === 0) this.#byServer.delete(held.server);
    this.#slotOf.delete(key);
    this.#free.push(slot);
    return true;
  }

  /** The distinct words of a tool with their counts, which the next step settles. */
  #countWords(tool: ToolText): Counted {
    const found: Postings[] = [];
    const nameTerms: number[] = [];
    const fields = toFields(tool);
    const lengths = FIELDS.map((name, field) => {
      const { text, limit } = fields[name];
      let length = 0;
      if (text === "") return length;
      for (const { term, whole } of splitWords(text, limit)) {
        const postings = this.#postingsOf(term);
        if (postings.count(field)) found.push(postings);
        if (whole) continue;
        length += 1;
        if (name === "name") nameTerms.push(postings.id);
      }
      return length;
    });
    return { found, nameTerms, lengths };
  }

  #postingsOf(term: string): Postings {
    const known = this.#byTerm.get(term);
    if (known !== undefined) return known;
    const id = this.#freeIds.pop() ?? this.#byId.length;
    const postings = new Postings(id, term);
    this.#byTerm.set(term, postings);
    this.#byId[id] = postings;
    return postings;
  }

  #forget({ id, term }: Postings): void {
    this.#byTerm.delete(term);
    this.#byId[id] = undefined;
    this.#freeIds.push(id);
  }
}

const NO_SLOTS: ReadonlySet<number> = new Set();
const MAX_EXAMPLE_WORDS = 32;

/** Words beyond the field's cap have no posting; each is -1. */
function toExamples({ examples = [] }: ToolText): readonly (readonly string[])[] {
  return examples
    .slice(0, MAX_EXAMPLES)
    .map((example) => [...new Set(splitWords(example.slice(0, 400), MAX_EXAMPLE_WORDS).map(({ term }) => term))]);
}
