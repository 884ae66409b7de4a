import type { CompiledRule } from "../compile-rules.ts";
import { Buckets } from "./buckets.ts";

/** A tool, as far as names in rules may mean it. */
export interface MeantTool {
  /** Whether an identifier in a rule means this tool, as the one resolver says (I1). */
  readonly isMeantBy: (identifier: string) => boolean;
  /** All that do, of identifiers that are asked about again and again; absent where each has to be asked about. */
  readonly meantAmong?: (identifiers: readonly string[]) => readonly string[];
}

/** Finds rules about any call of a tool, or about its arguments. */
export class ToolIndex {
  readonly #tools = new Buckets();
  #identifiers: readonly string[] | null = null;

  add({ tool, matcher }: CompiledRule, position: number): void {
    if (matcher.kind === "any" || matcher.kind === "pattern" || matcher.kind === "parameter")
      this.#tools.put(tool, position);
  }

  find({ isMeantBy, meantAmong }: MeantTool, found: number[]): void {
    this.#identifiers ??= this.#tools.texts();
    const meant = meantAmong?.(this.#identifiers) ?? this.#identifiers.filter(isMeantBy);
    for (const identifier of meant) this.#tools.take(identifier, found);
  }
}
