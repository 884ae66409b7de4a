import type { ProcessSpec } from "../process/spawn-process.ts";

/** How a command is to be started. */
export type ConfinedLaunch = Pick<ProcessSpec, "argv" | "cwd" | "env" | "tidy"> & {
  /** What the sandbox puts in the place of absent files meanwhile, which the command can see. */
  readonly standIns?: readonly string[];
  /** Files and folders that the command finds empty, because it must not read them. */
  readonly covered?: readonly string[];
};

/** As whom commands run: whoever runs this, root without any of its power, or the owner of the workspace. */
export type Identity =
  | { readonly kind: "own" }
  | { readonly kind: "mapped" }
  | { readonly kind: "owner"; readonly uid: number; readonly gid: number };

/** What a trial has shown to work on this machine. */
export interface SandboxTools {
  readonly bash: string;
  readonly bwrap: string;
  /** Resets signals for the command, so that it can end in order; null where `env` cannot. */
  readonly env: string | null;
  readonly setpriv: string | null;
  /** Bubblewrap from 0.8 on can forbid further user namespaces; before, only the filter of system calls does. */
  readonly disablesUserns: boolean;
  /** Where a control group can be made that counts processes; the kernel lets root pass its other limit. */
  readonly processGroups: string | null;
  /** Compiled filter of system calls; null for a processor that has no table. */
  readonly filter: Uint8Array | null;
}

export interface SandboxLimits {
  /** Writable memory of one process, in bytes. */
  readonly memory: number;
  /** Processes and threads at the same time. */
  readonly processes: number;
  /** Seconds of processor time of one process. */
  readonly cpu: number;
  /** Bytes of one file. */
  readonly file: number;
  /** Bytes of /tmp and of the empty home folder, each. */
  readonly scratch: number;
}

const GIBIBYTE = 2 ** 30;

export const DEFAULT_LIMITS: SandboxLimits = {
  memory: 4 * GIBIBYTE,
  processes: 512,
  cpu: 3_600,
  file: 16 * GIBIBYTE,
  scratch: 2 * GIBIBYTE,
};

/**
 * Something that commands must not change. `open` is a folder inside of it that they may. `within` only makes it impossible to move the folder of the others away.
 * Only what exists can be covered, so something takes the place of what is absent while commands run: an empty folder,
 * which git and searches pass over, or a file with this text.
 */
export type Guard =
  | { readonly kind: "within" | "present" | "open"; readonly path: string }
  | { readonly kind: "absent"; readonly path: string; readonly text: string | null };

/** Something that commands must not read: an empty file or folder lies over it while they run. */
export interface CoveredPath {
  readonly kind: "file" | "folder";
  readonly path: string;
}

export interface SandboxProfile {
  readonly tools: SandboxTools;
  readonly identity: Identity;
  readonly limits: SandboxLimits;
  readonly network: boolean;
  /** Replaced by an empty folder. */
  readonly home: string;
  /** Links that the root of the file system has, such as /bin to usr/bin. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly readable: readonly string[];
  /** Those of them that are small files: to copy one takes a fraction of the time that a mount of its own takes. */
  readonly copied: readonly string[];
  /** The workspace first; real paths. */
  readonly writable: readonly string[];
  readonly guards: readonly Guard[];
  /** Folders inside these that stay empty: a socket can be reached through any mount that shows it, also to read. */
  readonly hidden?: readonly string[];
  /** Covered by an empty file or folder. */
  readonly covers?: readonly CoveredPath[];
  /** A file of its own to note, while the command runs, what in repositories git would run before; none: it is not looked for. */
  readonly record?: string;
}
