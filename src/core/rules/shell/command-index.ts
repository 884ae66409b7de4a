import type { CompiledRule } from "../compile-rules.ts";
import { Buckets } from "../lookup/buckets.ts";
import type { ShellWord } from "./command-line.ts";
import { baseName, normalizedName } from "./command-pattern.ts";

/** More of a text's beginning tells no more rules apart. */
const LONGEST_HEAD = 64;

/** Finds rules about commands by the name of a command, or by how its text begins. */
export class CommandIndex {
  /** By the last name of the program's path, folded. */
  readonly #names = new Buckets();
  /** By the text up to the first blank or wildcard. */
  readonly #heads = new Buckets();
  /** By the whole line that an exact rule spells out. */
  readonly #lines = new Buckets();
  /** Those that any command may meet. */
  readonly #open: number[] = [];
  readonly #all: number[] = [];
  #longestName = 0;
  #longestHead = 0;

  /** At most about so many are found for a command. */
  get most(): number {
    return this.#open.length + 2 * (this.#names.largest + this.#heads.largest);
  }

  add({ family, matcher }: CompiledRule, position: number): void {
    if (family !== "shell") return;
    this.#all.push(position);
    if (matcher.kind !== "command" || matcher.pattern.kind === "any" || matcher.pattern.kind === "reading") {
      this.#open.push(position);
      return;
    }
    const { pattern } = matcher;
    if (pattern.kind === "wildcard") this.#putHead(pattern.text, position);
    else this.#putName(pattern.words[0], position);
    if (pattern.kind !== "exact") return;
    this.#lines.put(pattern.text, position);
    this.#putHead(pattern.words.join(" ").replace(/\s+/g, " "), position);
  }

  find(words: readonly ShellWord[], found: number[]): void {
    const [name] = words;
    // A shell pattern may stand for any program.
    for (const position of name?.hasGlob === true ? this.#all : this.#open) found.push(position);
    if (name === undefined || name.hasGlob) return;
    const lower = name.text.toLowerCase();
    const base = baseName(lower);
    this.#takeNames(base, found);
    this.#names.take(baseName(normalizedName(lower)), found);
    // The programs of git's own folder are its sub-commands.
    if (base.startsWith("git-")) this.#names.take("git", found);
    this.#takeHeads(name.text, words, found);
    if (name.text.includes("/")) this.#takeHeads(baseName(name.text), words, found);
  }

  findLine(text: string, found: number[]): void {
    this.#lines.take(text, found);
  }

  #putName(program: string | undefined, position: number): void {
    if (program === undefined) return;
    const lower = program.toLowerCase();
    for (const name of [baseName(lower), baseName(normalizedName(lower))]) {
      this.#names.put(name, position);
      this.#longestName = Math.max(this.#longestName, name.length);
    }
  }

  /** `python3.11`, and every shorter name that a rule for it may have: `python3.1`, `python3`, `python`. */
  #takeNames(base: string, found: number[]): void {
    let end = base.length;
    if (end <= this.#longestName) this.#names.take(base, found);
    while (end > 0 && /[\d.-]/.test(base[end - 1] ?? "")) {
      end -= 1;
      if (end <= this.#longestName) this.#names.take(base.slice(0, end), found);
    }
  }

  #putHead(text: string, position: number): void {
    const head = /^[^*?[\\ ]* ?/.exec(text.slice(0, LONGEST_HEAD))?.[0] ?? "";
    this.#heads.put(head, position);
    this.#longestHead = Math.max(this.#longestHead, head.length);
  }

  #takeHeads(name: string, [, ...more]: readonly ShellWord[], found: number[]): void {
    let text = name;
    for (const { text: word } of more) {
      if (text.length >= this.#longestHead) break;
      text += ` ${word}`;
    }
    const end = Math.min(text.length, this.#longestHead);
    for (let length = 0; length <= end; length++) this.#heads.take(text.slice(0, length), found);
  }
}
