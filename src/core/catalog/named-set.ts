import type { NameList } from "../codes/origin.ts";

/** A name for several tools: VS Code's tool sets, Claude's families, `toolsets` of the configuration. */
export interface NamedSet {
  readonly id: string;
  readonly name: string;
  readonly members: NameList;
  /** From a project's file, which anybody may have written: it yields to other meanings and allows nothing. */
  readonly weak?: true;
}
