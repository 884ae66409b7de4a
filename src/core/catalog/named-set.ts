import type { NameList } from "../codes/origin.ts";

/** A name for several tools: VS Code's tool sets, Claude's families, `toolsets` of the configuration. */
export interface NamedSet {
  readonly id: string;
  readonly name: string;
  readonly members: NameList;
  /** A project's, which anybody may have written: what else its name means comes first, and it allows nothing. */
  readonly weak?: true;
}
