/** What the kind of a source says about its tools; what a kind does not say does not hold. */
interface KindFacts {
  /** What may stand in front of their names, as in `custom:deploy`. */
  readonly prefix?: string;
  /** They ship with Toolcrib: what they promise is known, and nobody else writes their text. */
  readonly ships?: true;
  /**
   * Each belongs to a server, which stands in its name and in what rules, filters and settings say about it. Servers of
   * all kinds share one order. The text is the setting in which such servers are.
   */
  readonly served?: string;
  /** It is a program of its own that is started or reached, and what people call that. */
  readonly program?: string;
  /** Their text is by strangers. */
  readonly foreign?: true;
  /** Whoever runs the session or is connected to it registers them, and may openly replace a built-in. */
  readonly registered?: true;
  /** Where there are too many tools, search may stand in for them. */
  readonly deferrable?: true;
  /** Of two with one name the later counts. */
  readonly laterWins?: true;
  /** What is said of their results is a description and no promise: answers differ, and are none the worse for it. */
  readonly describesResults?: true;
  /** They are named by people, so nobody takes one for another. */
  readonly named?: true;
}

/** Where tools come from, in the order in which they stand in the catalog. A new kind of source is a line here. */
const KINDS = {
  builtin: { prefix: "builtin", ships: true },
  module: { prefix: "custom", deferrable: true },
  skill: { prefix: "skill", deferrable: true, laterWins: true },
  agent: { named: true },
  mcp: { prefix: "mcp", served: "mcpServers", program: "server", foreign: true, deferrable: true },
  openapi: {
    prefix: "openapi",
    served: "openapi",
    program: "API",
    foreign: true,
    deferrable: true,
    describesResults: true,
  },
  external: { prefix: "custom", registered: true, program: "extension", deferrable: true },
} as const satisfies Record<string, KindFacts>;

export type SourceKind = keyof typeof KINDS;

export const SOURCE_KINDS = Object.keys(KINDS) as [SourceKind, ...SourceKind[]]; // The keys of a literal are its own.

export function factsOf(kind: SourceKind): KindFacts {
  return KINDS[kind];
}
