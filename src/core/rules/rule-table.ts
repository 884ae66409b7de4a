import type { CompiledRule, CompiledRules, Family } from "./compile-rules.ts";
import { RuleIndex, type Sought } from "./rule-index.ts";

/** Up to so many rules are looked at one after the other, which costs less than finding them. */
const FEW = 32;

type IsRule = (rule: CompiledRule) => boolean;

/** Rules of one list in their order, and the index by which a long one is searched. */
class RulePart {
  readonly rules: readonly CompiledRule[];
  #index: RuleIndex | null = null;
  readonly #families = new Map<Family, RulePart>();
  #counts: { readonly files: number; readonly patterns: number } | null = null;

  constructor(rules: readonly CompiledRule[]) {
    this.rules = rules;
  }

  get index(): RuleIndex | null {
    if (this.rules.length > FEW) this.#index ??= new RuleIndex(this.rules);
    return this.#index;
  }

  get counts(): { readonly files: number; readonly patterns: number } {
    this.#counts ??= {
      files: this.rules.filter(({ matcher }) => matcher.kind === "path").length,
      patterns: this.rules.filter(({ matcher }) => matcher.kind === "pattern").length,
    };
    return this.#counts;
  }

  of(family: Family): RulePart {
    const known = this.#families.get(family) ?? new RulePart(this.rules.filter((rule) => rule.family === family));
    this.#families.set(family, known);
    return known;
  }
}

/** Finding rules costs no more than looking at so many. */
const FINDING = 40;

/** How many rules have to be looked at, by what that costs. */
interface RuleCounts {
  readonly files: number;
  readonly patterns: number;
  readonly others: number;
}

/** One of the three lists of rules while a call is judged. */
export class RuleTable {
  readonly #parts: readonly RulePart[];
  readonly #isLeftOut: IsRule | null;

  private constructor(parts: readonly RulePart[], isLeftOut: IsRule | null) {
    this.#parts = parts;
    this.#isLeftOut = isLeftOut;
  }

  static of(rules: readonly CompiledRule[]): RuleTable {
    const known = tables.get(rules) ?? new RuleTable(rules.length === 0 ? [] : [new RulePart(rules)], null);
    tables.set(rules, known);
    return known;
  }

  /** The rules that may be about something, in their order, and perhaps others. */
  about(sought: Sought): readonly CompiledRule[] {
    const found = this.#collect(({ index, rules }) => index?.about(sought) ?? rules);
    return this.#isLeftOut === null ? found : found.filter((rule) => this.#isLeftOut?.(rule) === false);
  }

  /** Whether there is a rule of a family, or one of these. */
  has(family: Family, isWanted: IsRule = () => true): boolean {
    return this.#parts.some((part) =>
      part.of(family).rules.some((rule) => this.#isLeftOut?.(rule) !== true && isWanted(rule)),
    );
  }

  only(family: Family): RuleTable {
    return new RuleTable(
      this.#parts.map((part) => part.of(family)),
      this.#isLeftOut,
    );
  }

  plus(more: readonly CompiledRule[] | RuleTable): RuleTable {
    const table = more instanceof RuleTable ? more : RuleTable.of(more);
    return table.#parts.length === 0 ? this : new RuleTable([...this.#parts, ...table.#parts], this.#isLeftOut);
  }

  without(isLeftOut: IsRule): RuleTable {
    return new RuleTable(this.#parts, isLeftOut);
  }

  /** How many are looked at for a command, for each address and file in it; for files that may be any, all about files. */
  counts(files: "known" | "any"): RuleCounts {
    let sum = { files: 0, patterns: 0, others: 0 };
    for (const { rules, index, counts } of this.#parts) {
      const near = index?.most;
      sum = {
        files:
          sum.files +
          (near === undefined || files === "any" ? counts.files : Math.min(counts.files, near.files + FINDING)),
        patterns: sum.patterns + counts.patterns,
        others:
          sum.others + Math.min(rules.length - counts.files, near === undefined ? rules.length : near.others + FINDING),
      };
    }
    return sum;
  }

  #collect(rulesOf: (part: RulePart) => readonly CompiledRule[]): readonly CompiledRule[] {
    const [only, ...more] = this.#parts;
    if (only === undefined) return [];
    return more.length === 0 ? rulesOf(only) : this.#parts.flatMap(rulesOf);
  }
}

/** Lists live as long as a configuration, and each call asks the same ones. */
const tables = new WeakMap<readonly CompiledRule[], RuleTable>();

/** The three lists while a call is judged. */
export interface RuleTables {
  readonly deny: RuleTable;
  readonly ask: RuleTable;
  readonly allow: RuleTable;
}

export function toTables({ deny, ask, allow }: CompiledRules): RuleTables {
  return { deny: RuleTable.of(deny), ask: RuleTable.of(ask), allow: RuleTable.of(allow) };
}
