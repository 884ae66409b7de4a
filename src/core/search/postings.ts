import { FIELDS } from "./tool-text.ts";

/** Occurrences of a word in each field, five bits a field: the sixth column ends at bit 30. */
export const COUNT_BITS = 5;
export const MAX_COUNT = 2 ** COUNT_BITS - 1;
const FIRST_CAPACITY = 2;

function addCount(packed: number, field: number): number {
  return countIn(packed, field) >= MAX_COUNT ? packed : packed + (1 << (field * COUNT_BITS));
}

export function countIn(packed: number, field: number): number {
  return (packed >>> (field * COUNT_BITS)) & MAX_COUNT;
}

export const FIELD_COUNT = FIELDS.length;

/** The slots that contain one word, and how often. Unordered, so that removing costs no shift. */
export class Postings {
  readonly id: number;
  readonly term: string;
  size = 0;
  /** The slots, and in the second half the counts for each: one array, because most words are rare. */
  entries = new Uint32Array(2 * FIRST_CAPACITY);
  #counted = 0;

  constructor(id: number, term: string) {
    this.id = id;
    this.term = term;
  }

  /** Index of the first count. */
  get middle(): number {
    return this.entries.length / 2;
  }

  /** Counts an occurrence in this field of the tool being read; true the first time. */
  count(field: number): boolean {
    const isFirst = this.#counted === 0;
    this.#counted = addCount(this.#counted, field);
    return isFirst;
  }

  /** Assigns the counted tool this slot; returns its count. */
  settle(slot: number): number {
    const packed = this.#counted;
    this.#counted = 0;
    if (this.size === this.middle) this.#resize(this.size * 2);
    this.entries[this.size] = slot;
    this.entries[this.middle + this.size] = packed;
    this.size += 1;
    return packed;
  }

  remove(slot: number): void {
    const { entries, middle } = this;
    const at = entries.subarray(0, this.size).indexOf(slot);
    if (at === -1) return;
    this.size -= 1;
    entries[at] = entries[this.size] ?? 0;
    entries[middle + at] = entries[middle + this.size] ?? 0;
    if (this.size * 4 < middle && middle > FIRST_CAPACITY) this.#resize(middle / 2);
  }

  #resize(capacity: number): void {
    const { entries, middle, size } = this;
    const fresh = new Uint32Array(2 * capacity);
    fresh.set(entries.subarray(0, size));
    fresh.set(entries.subarray(middle, middle + size), capacity);
    this.entries = fresh;
  }
}
