import type { Origin } from "../../core/codes/origin.ts";

/** Something that runs outside the sandbox, now or later, because the configuration says so. */
export interface HostProgram {
  /** `hook`, `server`, … as trust calls the entry. */
  readonly what: string;
  readonly name: string;
  /** The entry, where a person would change it. */
  readonly origin: Origin;
  /** Its command line: words, or one text for a shell. */
  readonly words: readonly string[];
  /** Where it starts. */
  readonly folder: string;
  /** Variables that its entry sets. */
  readonly env?: ReadonlyMap<string, string>;
  /** The file that further variables come from; absolute. */
  readonly envFile?: string | null;
  /** Folders of which anything may be run; absolute. */
  readonly folders?: readonly string[];
  /** A shell reads its words, and may look itself whether a file is there. */
  readonly isLine?: boolean;
  /** Nobody uses it now, as what belongs to an agent that nobody selected. */
  readonly isIdle?: boolean;
}

/** Why one of its files matters. */
type HostFileKind =
  /** Code: what it says is run. */
  | "program"
  /** It says which file of its folder is run. */
  | "manifest"
  /** It is named and is no code as far as can be seen, such as a file of settings. */
  | "named"
  /** It is named and not there yet. */
  | "absent"
  /** The same, and without it the program does not start. */
  | "missing"
  /** Anything in it may be run. */
  | "folder"
  /** Variables are read from it. */
  | "variables";

/** A place in a folder where agents work that decides what a program outside the sandbox does. */
export interface HostFile {
  /** As it is named, below the real path of the folder; absolute. */
  readonly path: string;
  readonly kind: HostFileKind;
  readonly by: HostProgram;
}
