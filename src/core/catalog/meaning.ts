import type { Entry } from "./entry.ts";

/** What a bare `*` means. */
export const ALL_TOOLS = "all tools";

/** One thing that a name can mean. */
export interface Meaning {
  readonly what: string;
  readonly entries: readonly Entry[];
  /** The name is a tool's own, not that of a set, a server or a pattern. */
  readonly explicit: boolean;
  /** Only a set of a project's file says so, which anybody may have written: enough to take away, not to allow. */
  readonly weak?: true;
}

/** The kinds of meaning in which a name is a tool's own, wherever it stands. */
export const OWN_NAMES: ReadonlySet<string> = new Set(["tool id", "tool name", "alias"]);
