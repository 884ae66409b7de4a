import type { ProcessSpec } from "../process/spawn-process.ts";

/** How a command is to be started. */
export type ConfinedLaunch = Pick<ProcessSpec, "argv" | "cwd" | "env" | "tidy"> & {
  /** The stand-ins for absent files, which the command can see while it runs. */
  readonly standIns?: readonly string[];
  /** Files and folders that the command finds empty, because it must not read them. */
  readonly covered?: readonly string[];
};

/** As whom commands run: the current user, root without any of its power, or the owner of the workspace. */
export type Identity =
  | { readonly kind: "own" }
  | { readonly kind: "mapped" }
  | { readonly kind: "owner"; readonly uid: number; readonly gid: number };

/** What a trial has shown to work on this machine. */
export interface SandboxTools {
  readonly bash: string;
  readonly bwrap: string;
  /** Resets signals for the command, so that it can end in order; null if `env` cannot. */
  readonly env: string | null;
  readonly setpriv: string | null;
  /** Bubblewrap from 0.8 on can forbid further user namespaces; before, only the system call filter does. */
  readonly disablesUserns: boolean;
  /** Where a control group that counts processes can be created; root is exempt from the kernel's other limit. */
  readonly processGroups: string | null;
  /** Compiled system call filter; null for a processor without a table. */
  readonly filter: Uint8Array | null;
}

export interface SandboxLimits {
  /** Writable memory of one process, in bytes. */
  readonly memory: number;
  /** Maximum processes and threads at the same time. */
  readonly processes: number;
  /** Seconds of processor time of one process. */
  readonly cpu: number;
  /** Bytes of one file. */
  readonly file: number;
  /** Bytes of /tmp and of the empty home folder, each. */
  readonly scratch: number;
}

const GIBIBYTE = 2 ** 30;

export const SANDBOX_LIMITS: SandboxLimits = {
  memory: 4 * GIBIBYTE,
  processes: 512,
  cpu: 3_600,
  file: 16 * GIBIBYTE,
  scratch: 2 * GIBIBYTE,
};

/**
 * Something that commands must not change. `open` is a folder inside it that they may change. `within` only prevents
 * moving the parent folder of others away. Only what exists can be covered, so a stand-in takes the place of what is
 * absent while commands run: an empty folder, which git and searches skip, or a file with this text.
 */
export type Guard =
  | { readonly kind: "within" | "present" | "open"; readonly path: string }
  | { readonly kind: "absent"; readonly path: string; readonly text: string | null };

/** Something that commands must not read: an empty file or folder covers it while they run. */
export interface CoveredPath {
  readonly kind: "file" | "folder";
  readonly path: string;
}

export interface SandboxSpec {
  readonly tools: SandboxTools;
  readonly identity: Identity;
  readonly limits: SandboxLimits;
  readonly network: boolean;
  /** Replaced by an empty folder. */
  readonly home: string;
  /** Links in the root of the file system, such as /bin to usr/bin. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly readable: readonly string[];
  /** Those of them that are small files: copying one takes a fraction of the time of a mount. */
  readonly copied: readonly string[];
  /** The workspace first; real paths. */
  readonly writable: readonly string[];
  readonly guards: readonly Guard[];
  /** Folders inside these that stay empty: a socket can be reached through any mount that shows it, even read-only. */
  readonly hidden?: readonly string[];
  /** Covered by an empty file or folder. */
  readonly covers?: readonly CoveredPath[];
  /** A file to note, while the command runs, what git would have run before; without it, traps are not looked for. */
  readonly record?: string;
}
