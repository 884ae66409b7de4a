/** What a source's kind implies for its tools; what is not stated does not hold. */
interface KindFacts {
  /** The prefix of their names, as in `custom:deploy`. */
  readonly prefix?: string;
  /** They ship with Toolcrib: what they promise is known, and nobody else writes their text. */
  readonly ships?: true;
  /**
   * Each belongs to a server, which is part of its name and of what rules, filters and settings say about it. Servers
   * of all kinds share one order. The text names the setting that lists such servers.
   */
  readonly served?: string;
  /** What people call the program that is started or reached for it, if it is one. */
  readonly program?: string;
  /** Their text is untrusted. */
  readonly foreign?: true;
  /** The host program or a connection registers them, and may openly replace a built-in. */
  readonly registered?: true;
  /** If there are too many tools, search may replace them. */
  readonly deferrable?: true;
  /** Of two with one name the later counts. */
  readonly laterWins?: true;
  /** Their output schema is a description, not a promise: a deviating answer is still valid. */
  readonly describesResults?: true;
  /** Their names are given by people, so look-alikes are intended. */
  readonly named?: true;
}

/** Kinds of sources, in catalog order. A new kind is one line here. */
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
