/** Lists are words with blanks between them. Options of one program that run another, write a file, or change where programs are found (contract 5). */
export interface Risk {
  /** Short options, as letters; they count inside clusters too. */
  readonly short?: string;
  /** Long options without `--`; abbreviations count. */
  readonly long?: string;
  /** Harmless long options that look like an abbreviation of a risky one. */
  readonly safeLong?: string;
  /** Short options with a value: what follows them in a cluster is that value. */
  readonly valued?: string;
  /** Words as they stand; a `*` at the end means any ending. */
  readonly words?: string;
  /** Words that cannot be told by their beginning or end. */
  readonly matching?: RegExp;
  /** Operands in order, from the first one: `config set`. */
  readonly sequences?: string;
  /** What one of its commands adds, by the first operand; behind the commands in `until` these options mean something else. */
  readonly subs?: Readonly<Record<string, Pick<Risk, "short" | "long" | "valued"> & { readonly until?: string }>>;
  /** Options that only stand before the first operand. */
  readonly leading?: Pick<Risk, "short" | "long" | "safeLong" | "valued">;
  /** Operands that no rule about a prefix can judge, as code of another language is. */
  readonly code?: "sed" | "awk" | "any";
  /** `NAME=value` sets a variable for what comes later. */
  readonly assigns?: boolean;
  /** More operands than these make the last one an output. */
  readonly maxOperands?: number;
  /** Letters without a dash, as `ps` takes them. */
  readonly bare?: string;
  /** Nothing that it does with operands is covered by a prefix. */
  readonly always?: boolean;
  /** Unknown text among its operands is data, never an option that matters. */
  readonly takesData?: boolean;
  /** `--` is a word like any other. */
  readonly noEndMark?: boolean;
}
