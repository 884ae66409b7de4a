import { FIELDS } from "./tool-text.ts";

/** How often a word stands in each field, five bits a field: the sixth column ends at bit 30. */
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

/** In which slots one word stands, and how often. Order means nothing, so that leaving costs no shift. */
export class Postings {
  readonly id: number;
  readonly term: string;
  size = 0;
  slots = new Uint32Array(FIRST_CAPACITY);
  counts = new Uint32Array(FIRST_CAPACITY);
  #counted = 0;

  constructor(id: number, term: string) {
    this.id = id;
    this.term = term;
  }

  /** The word stands in this field of the tool that is being read; true where it is the first time. */
  count(field: number): boolean {
    const isFirst = this.#counted === 0;
    this.#counted = addCount(this.#counted, field);
    return isFirst;
  }

  /** That tool has this slot; returns how often the word stands in it. */
  settle(slot: number): number {
    const packed = this.#counted;
    this.#counted = 0;
    if (this.size === this.slots.length) this.#resize(this.size * 2);
    this.slots[this.size] = slot;
    this.counts[this.size] = packed;
    this.size += 1;
    return packed;
  }

  remove(slot: number): void {
    const at = this.slots.subarray(0, this.size).indexOf(slot);
    if (at === -1) return;
    this.size -= 1;
    this.slots[at] = this.slots[this.size] ?? 0;
    this.counts[at] = this.counts[this.size] ?? 0;
    if (this.size * 4 < this.slots.length && this.slots.length > FIRST_CAPACITY) this.#resize(this.slots.length / 2);
  }

  #resize(capacity: number): void {
    const slots = new Uint32Array(capacity);
    const counts = new Uint32Array(capacity);
    slots.set(this.slots.subarray(0, this.size));
    counts.set(this.counts.subarray(0, this.size));
    this.slots = slots;
    this.counts = counts;
  }
}
