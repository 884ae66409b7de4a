/** What `POST /api/rehearsals` takes: a configuration that nobody uses yet, and how far back its trial goes. */
export interface WantedTrial {
  /** YAML or JSON. */
  readonly policy: string;
  /** Days; all of the log if absent. */
  readonly days?: number;
}

/** How many calls had each outcome. */
export interface TrialOutcomes {
  readonly allow: number;
  readonly ask: number;
  readonly deny: number;
  readonly hidden: number;
}

/** Calls of one person and tool with which something else would happen. */
export interface TrialChange {
  readonly who: string;
  readonly tool: string;
  readonly from: keyof TrialOutcomes;
  readonly to: keyof TrialOutcomes;
  readonly calls: number;
  readonly code: string;
  readonly origin: string;
}

/** What a change of policy would have meant. Nothing that was in a call is in it. */
export interface TrialView {
  readonly replaces: string | null;
  readonly calls: number;
  readonly judged: number;
  readonly now: TrialOutcomes;
  readonly next: TrialOutcomes;
  readonly changes: readonly TrialChange[];
  readonly people: readonly {
    readonly who: string;
    readonly lost: readonly string[];
    readonly gained: readonly string[];
  }[];
  readonly unjudged: readonly { readonly why: string; readonly calls: number; readonly tools: readonly string[] }[];
  readonly withNewestList: number;
  readonly redacted: number;
  readonly underOthers: number;
  readonly unknownServers: readonly string[];
  readonly notAsked: readonly string[];
}
