import type { Entry } from "./entry.ts";

/** What a bare `*` means. */
export const ALL_TOOLS = "all tools";

/** One thing that a name can mean. */
export interface Meaning {
  readonly what: string;
  readonly entries: readonly Entry[];
  /** The name is the tool's own, not that of a set, a server or a pattern. */
  readonly explicit: boolean;
  /** Only a set in a project's file says so, and anybody may have written it: enough to remove, not to allow. */
  readonly weak?: true;
}

/** The kinds of meaning in which a name is a tool's own. */
export const OWN_NAMES: ReadonlySet<string> = new Set(["tool id", "tool name", "alias"]);
