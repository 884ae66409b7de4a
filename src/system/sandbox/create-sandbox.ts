import { randomUUID } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostProgram } from "../host-programs/host-program.ts";
import { contains } from "../paths/roots.ts";
import { toBwrapArgv } from "./bwrap-argv.ts";
import { type Detection, detectSandbox } from "./detect-sandbox.ts";
import { type Covers, NO_COVERS } from "./find-covered.ts";
import { arrangeGuards } from "./guard-path.ts";
import { guardPrograms } from "./host-guards.ts";
import { findAllGuards, findNested, type Nested } from "./protected-paths.ts";
import { canReach, findReadable, isShutOff, isThere } from "./readable-paths.ts";
import { type ConfinedLaunch, type Identity, SANDBOX_LIMITS, type SandboxLimits } from "./sandbox-spec.ts";

export interface SandboxOptions {
  readonly workspace: string;
  /** Further folders that commands may write to. */
  readonly added?: readonly string[];
  readonly home: string;
  /** Folders that commands must not see, wherever they are. */
  readonly hidden?: readonly string[];
  /** Programs that run outside: commands cannot change their files. */
  readonly programs?: () => readonly HostProgram[];
  /** The variable PATH that commands get. */
  readonly path: string;
  readonly network?: boolean;
  readonly limits?: Partial<SandboxLimits>;
  readonly platform?: string;
  /** `auto`: bubblewrap, or if that does not work the package, if it is installed. */
  readonly backend?: SandboxBackend;
  /** Looks for what commands must not change with the first command, where there may never be one. */
  readonly looksLate?: boolean;
  /** Replaces the detection; for tests. */
  readonly detect?: typeof detectSandbox;
}

type SandboxBackend = "auto" | "bubblewrap" | "sandbox-runtime";

export type Sandbox =
  | {
      readonly active: true;
      readonly backend: Exclude<SandboxBackend, "auto">;
      readonly identity: Identity;
      /** Puts the sandbox in front of a command. Throws `sandbox.protected-link`. */
      readonly wrapLaunch: (launch: ConfinedLaunch, covers?: Covers) => ConfinedLaunch;
      /** The readable and writable folders in which files can be covered; empty if that is not supported. */
      readonly covering: readonly string[];
      /** The other places that commands can read. */
      readonly shown: () => readonly string[];
      /** What it does not cover, one sentence each, as far as it has looked. */
      readonly gaps: readonly string[];
    }
  | { readonly active: false; readonly reason: string; readonly fix: string };

const TOO_WIDE: Sandbox = {
  active: false,
  reason: "the workspace holds the home folder, which a sandbox must keep out of reach",
  fix: "work in a folder of the project instead",
};

/** A sandbox for the commands of one workspace, or why there is none. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { platform = process.platform, detect = detectSandbox, network = false } = options;
  const limits = { ...SANDBOX_LIMITS, ...options.limits };
  let writable: readonly string[];
  let home: string;
  try {
    writable = [options.workspace, ...(options.added ?? [])].map((folder) => realpathSync(folder));
    home = realpathOr(options.home);
  } catch {
    return { active: false, reason: "the workspace does not exist", fix: "name a folder that exists" };
  }
  if (writable.some((folder) => contains(folder, home))) return TOO_WIDE;
  const { backend = "auto" } = options;
  const search = createSearch(writable);
  if (options.looksLate !== true) search.all();
  let failed: Extract<Detection, { readonly found: false }> | null = null;
  for (const identity of backend === "sandbox-runtime" ? [] : identitiesFor(writable)) {
    const detection = await detect({ platform, identity });
    if (!detection.found) {
      failed ??= detection;
      continue;
    }
    const { tools } = detection;
    const input = { home, path: options.path, execPath: process.execPath, identity };
    // Hundreds of file system calls, and most sessions never run a command.
    let places: ReturnType<typeof findReadable> | null = null;
    const findPlaces = () => {
      places ??= findReadable(input);
      return places;
    };
    const base = { tools, identity, limits, network, home, writable };
    const wrapLaunch = (launch: ConfinedLaunch, { covers, absent } = NO_COVERS): ConfinedLaunch =>
      toBwrapArgv(launch, {
        ...base,
        ...findPlaces(),
        guards: arrangeGuards([
          ...search.all().flatMap((found) => findAllGuards(found.folder, found, home)),
          ...guardPrograms(writable, options.programs?.() ?? [], home),
          ...absent.map((path) => ({ kind: "absent", path, text: null }) as const),
        ]),
        hidden: findHidden(options.hidden ?? [], [...writable, ...findPlaces().readable, launch.cwd]),
        covers: covers.filter(({ path }) => isThere(path) && !isShutOff(path, identity)),
        record: writeRecord(writable),
      });
    return {
      active: true,
      backend: "bubblewrap",
      ...{ identity, wrapLaunch, covering: writable },
      get gaps() {
        return search.gaps;
      },
      shown() {
        const { readable, links } = findPlaces();
        return [...readable, ...links.map(({ path }) => path)];
      },
    };
  }
  if (backend !== "bubblewrap") {
    const { findCli, openRuntimeBackend } = await import("./runtime-backend.ts");
    // If nobody asked for the package by name, its absence is not the problem.
    if (backend === "sandbox-runtime" || (options.detect === undefined && findCli() !== null)) {
      const identity = { kind: "own" } as const;
      const { readable } = findReadable({ home, path: options.path, execPath: process.execPath, identity });
      const guards = () => guardPrograms(writable, options.programs?.() ?? [], home);
      const place = { home, folders: search.all(), readable, limits, hidden: options.hidden ?? [], guards };
      const other = await openRuntimeBackend(place);
      const gaps = [OPEN_READING, ...search.gaps];
      const places = { covering: [], shown: () => ["/"] };
      if (other.found)
        return { active: true, backend: "sandbox-runtime", identity, wrapLaunch: other.wrapLaunch, ...places, gaps };
      failed ??= other;
    }
  }
  const { reason, fix } = failed ?? { reason: "nobody can use the workspace", fix: "check its permissions" };
  return { active: false, reason, fix };
}

/** Tries out what a sandbox of this workspace will need, so that it is known by the time one is made. */
export async function tryOutEarly(workspace: string): Promise<void> {
  const [identity] = identitiesFor([workspace]);
  if (identity !== undefined) await detectSandbox({ platform: process.platform, identity });
}

/** A name for a file that exists only while a command runs, out of its reach. */
export function writeRecord(writable: readonly string[]): string {
  const places = [realpathOr(tmpdir()), "/tmp", "/dev/shm"];
  const place = places.find((folder) => !writable.some((one) => contains(one, folder)));
  return join(place ?? tmpdir(), `toolcrib-${randomUUID()}`);
}

/** Only folders inside something shown must be covered; they may have been created since. */
function findHidden(folders: readonly string[], shown: readonly string[]): readonly string[] {
  const there = folders.filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
  return [...new Set(there.map(realpathOr))].filter((folder) => shown.some((place) => contains(place, folder)));
}

const OPEN_READING =
  "in the sandbox of @anthropic-ai/sandbox-runtime commands can read files outside the workspace, save for the home folder";

/** Repositories inside folders, looked for once: through thousands of folders. */
function createSearch(folders: readonly string[]) {
  let found: readonly (Nested & { readonly folder: string })[] | null = null;
  return {
    all() {
      found ??= folders.map((folder) => ({ folder, ...findNested(folder) }));
      return found;
    },
    get gaps() {
      return (found ?? []).flatMap(toGap);
    },
  };
}

function toGap({ folder, repositories, complete }: Nested & { readonly folder: string }): readonly string[] {
  if (complete) return [];
  const text = `${folder} is too large to look through: ${repositories.length} repositories inside it are protected, and there may be more, whose hooks commands can change`;
  return [text];
}

/**
 * Drops root's power. Commands run as the workspace's owner if that is another user; if root owns it, as a powerless
 * user who has root's file access only inside the workspace.
 */
function identitiesFor([workspace = "/"]: readonly string[]): readonly Identity[] {
  if (process.getuid?.() !== 0) return [{ kind: "own" }];
  const { uid, gid } = statSync(workspace);
  const owner: Identity = { kind: "owner", uid, gid };
  return uid !== 0 && canReach(workspace, owner) ? [owner, { kind: "mapped" }] : [{ kind: "mapped" }];
}

function realpathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
