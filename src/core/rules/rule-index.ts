import type { CompiledRule } from "./compile-rules.ts";
import { AddressIndex } from "./lookup/address-index.ts";
import { FileIndex } from "./lookup/file-index.ts";
import { type MeantTool, ToolIndex } from "./lookup/tool-index.ts";
import { CommandIndex } from "./shell/command-index.ts";
import type { ShellWord } from "./shell/command-line.ts";

/** What rules are looked for about. */
export interface Sought {
  /** The words of a command. */
  readonly words?: readonly ShellWord[];
  /** A whole command line, for rules that spell it out. */
  readonly line?: string;
  /** Absolute paths; `any` where only the shell knows which. */
  readonly paths?: readonly string[] | "any";
  readonly urls?: readonly string[];
  readonly tool?: MeantTool;
}

/**
 * Finds the rules of a long list that may be about something, without a look at the others. What it finds still has to
 * be matched: it may find too many rules, never too few, and always in the order of the list.
 */
export class RuleIndex {
  readonly #rules: readonly CompiledRule[];
  readonly #commands = new CommandIndex();
  readonly #files: FileIndex;
  readonly #addresses = new AddressIndex();
  readonly #tools = new ToolIndex();

  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules;
    this.#files = new FileIndex(rules);
    rules.forEach((rule, position) => {
      for (const index of [this.#commands, this.#addresses, this.#tools]) index.add(rule, position);
    });
  }

  about({ words, line, paths, urls, tool }: Sought): readonly CompiledRule[] {
    const found: number[] = [];
    if (words !== undefined) this.#commands.find(words, found);
    if (line !== undefined) this.#commands.findLine(line, found);
    if (paths === "any") this.#files.findAll(found);
    else if (paths !== undefined) this.#files.find(paths, found);
    if (urls !== undefined) this.#addresses.find(urls, found);
    if (tool !== undefined) this.#tools.find(tool, found);
    found.sort((one, other) => one - other);
    return found.flatMap((position, at) => (position === found[at - 1] ? [] : (this.#rules[position] ?? [])));
  }

  /** At most about so many rules are found for a command and for an address, and for a file. */
  get most(): { readonly others: number; readonly files: number } {
    return { others: this.#commands.most + this.#addresses.most, files: this.#files.most };
  }
}
