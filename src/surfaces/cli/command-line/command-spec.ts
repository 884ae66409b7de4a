import type { OptionName } from "./options.ts";

/** What help says about a command and what it accepts. */
export interface CommandSpec {
  readonly summary: string;
  /** Operands as help writes them: `TOOL`, `[DIR]`. */
  readonly operands: readonly string[];
  /** Besides those that every command takes. */
  readonly options: readonly OptionName[];
  /** What an option means here, where that is more or something else than elsewhere. */
  readonly meanings?: Partial<Record<OptionName, string>>;
  /** Paragraphs for its own help. */
  readonly about: readonly string[];
  readonly examples: readonly string[];
}

/** The same as it is written below, without what most commands have in common. */
export type CommandRow = Omit<CommandSpec, "operands" | "about"> & Partial<CommandSpec>;
