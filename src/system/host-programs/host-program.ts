import type { Origin } from "../../core/codes/origin.ts";

/** Something that the configuration runs outside the sandbox, now or later. */
export interface HostProgram {
  /** `hook`, `server`, … as trust calls the entry. */
  readonly what: string;
  readonly name: string;
  /** The entry that a person would change. */
  readonly origin: Origin;
  /** Its command line: words, or one text for a shell. */
  readonly words: readonly string[];
  /** Its working folder. */
  readonly folder: string;
  /** Variables that its entry sets. */
  readonly env?: ReadonlyMap<string, string>;
  /** The file with further variables; absolute. */
  readonly envFile?: string | null;
  /** Folders whose files may all be run; absolute. */
  readonly folders?: readonly string[];
  /** A shell reads its words, and may check by itself whether a file exists. */
  readonly isLine?: boolean;
  /** Not in use now, such as a part of an agent that is not selected. */
  readonly isIdle?: boolean;
}

/** Why a file matters to a program. */
type HostFileKind =
  /** Code that is run. */
  | "program"
  /** Names the file of its folder that is run. */
  | "manifest"
  /** Named, but no code as far as can be seen, such as a settings file. */
  | "named"
  /** Named, and does not exist yet. */
  | "absent"
  /** The same, and the program does not start without it. */
  | "missing"
  /** Anything in it may be run. */
  | "folder"
  /** Variables are read from it. */
  | "variables";

/** A location in a work folder that decides what a program outside the sandbox does. */
export interface HostFile {
  /** As named, below the real path of the folder; absolute. */
  readonly path: string;
  readonly kind: HostFileKind;
  readonly by: HostProgram;
}
