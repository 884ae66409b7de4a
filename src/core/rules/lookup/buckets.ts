/** Positions of rules by a text that whatever they are about has. */
export class Buckets {
  readonly #positions = new Map<string, number[]>();
  #largest = 0;

  /** How many rules the fullest one has. */
  get largest(): number {
    return this.#largest;
  }

  put(text: string, position: number): void {
    const known = this.#positions.get(text);
    if (known?.at(-1) === position) return;
    if (known === undefined) this.#positions.set(text, [position]);
    else known.push(position);
    this.#largest = Math.max(this.#largest, known?.length ?? 1);
  }

  take(text: string, found: number[]): void {
    for (const position of this.#positions.get(text) ?? []) found.push(position);
  }

  texts(): readonly string[] {
    return [...this.#positions.keys()];
  }
}
