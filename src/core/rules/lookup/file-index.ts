import type { CompiledRule } from "../compile-rules.ts";
import { foldedSegments } from "../path-glob.ts";
import { Buckets } from "./buckets.ts";

/** Finds rules about files by a name that the path must contain: of each pattern the last one that fewest others have. */
export class FileIndex {
  readonly #names = new Buckets();
  readonly #open: number[] = [];
  readonly #all: number[] = [];

  constructor(rules: readonly CompiledRule[]) {
    const counts = new Map<string, number>();
    const patterns: (readonly [position: number, names: readonly string[]])[] = [];
    rules.forEach(({ family, matcher }, position) => {
      if (family !== "read" && family !== "write") return;
      this.#all.push(position);
      if (matcher.kind !== "path") this.#open.push(position);
      else for (const names of matcher.glob.plainNames()) patterns.push([position, names]);
    });
    for (const [, names] of patterns) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
    const countOf = (name: string): number => counts.get(name) ?? 0;
    for (const [position, [first, ...more]] of patterns) {
      if (first === undefined) this.#putOpen(position);
      else
        this.#names.put(
          more.reduce((rarest, name) => (countOf(name) <= countOf(rarest) ? name : rarest), first),
          position,
        );
    }
  }

  /** At most about so many are found for a path. */
  get most(): number {
    return this.#open.length + 4 * this.#names.largest;
  }

  find(paths: readonly string[], found: number[]): void {
    for (const position of this.#open) found.push(position);
    for (const path of paths) for (const name of new Set(foldedSegments(path))) this.#names.take(name, found);
  }

  /** A shell pattern may stand for any file. */
  findAll(found: number[]): void {
    for (const position of this.#all) found.push(position);
  }

  #putOpen(position: number): void {
    if (this.#open.at(-1) !== position) this.#open.push(position);
  }
}
