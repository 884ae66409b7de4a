import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { contains } from "../paths/roots.ts";
import { spawnProcess } from "../process/spawn-process.ts";
import { makeTemporaryFolder, removeOfEnded } from "../process/temporary-folder.ts";
import { INNER_ONLY } from "./bwrap-argv.ts";
import { findAllGuards, type Nested } from "./protected-paths.ts";
import type { ConfinedLaunch, Guard, SandboxLimits } from "./sandbox-spec.ts";

/** The other way to a sandbox: the package `@anthropic-ai/sandbox-runtime`, if it is installed. */
export interface RuntimePlace {
  readonly home: string;
  /** The workspace first; real paths. */
  readonly folders: readonly (Nested & { readonly folder: string })[];
  /** Toolchains and similar folders that may be read although they are in the home folder. */
  readonly readable: readonly string[];
  readonly limits: SandboxLimits;
  /** Folders that commands must not see, wherever they are. */
  readonly hidden?: readonly string[];
  /** What else commands must not change. */
  readonly guards?: () => readonly Guard[];
  /** Replaces the `socat` on the path. */
  readonly socat?: string;
}

export type RuntimeBackend =
  | { readonly found: true; readonly wrapLaunch: (launch: ConfinedLaunch) => ConfinedLaunch }
  | { readonly found: false; readonly reason: string; readonly fix: string };

const PACKAGE = "@anthropic-ai/sandbox-runtime";

/** Looks for the package, and proves with one harmless start that it works here. */
export async function openRuntimeBackend(place: RuntimePlace): Promise<RuntimeBackend> {
  const cli = findCli();
  if (cli === null) return { found: false, reason: `${PACKAGE} is not installed`, fix: `run npm install ${PACKAGE}` };
  if (process.getuid?.() === 0) {
    const reason = `with ${PACKAGE} root's commands still read what only root may`;
    return { found: false, reason, fix: "use bubblewrap, or run as an ordinary user" };
  }
  const folder = makeTemporaryFolder("srt");
  const wrapLaunch = (launch: ConfinedLaunch): ConfinedLaunch => toRuntimeLaunch(launch, place, cli, folder);
  const problem = await tryOut(wrapLaunch, place.folders[0]?.folder ?? "/");
  if (problem === null) return { found: true, wrapLaunch };
  return { found: false, reason: `${PACKAGE} does not start here: ${problem}`, fix: "install what it asks for" };
}

/** The program of the package; null if it is not installed. */
export function findCli(): string | null {
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve("@anthropic-ai/sandbox-runtime")), "cli.js");
  } catch {
    return null;
  }
}

const PATIENCE = 20_000;

async function tryOut(wrap: (launch: ConfinedLaunch) => ConfinedLaunch, cwd: string): Promise<string | null> {
  const said: Buffer[] = [];
  try {
    const launch = wrap({ argv: ["true"], cwd, env: { PATH: process.env.PATH ?? "" } });
    const child = await spawnProcess({
      ...launch,
      onStdout: () => {},
      onStderr: (chunk) => void said.push(chunk),
      signal: AbortSignal.timeout(PATIENCE),
      grace: 0,
    });
    const { code } = await child.exited;
    await child.ended;
    return code === 0 ? null : Buffer.concat(said).toString("utf8").replace(/\s+/gu, " ").trim().slice(0, 200);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Descriptors left open outside are not for the command. The package creates sockets among the temporary files and
 * leaves them there, so each command gets a folder for them, named after its process. Commands see another one.
 */
const OUTER =
  'for fd in /dev/fd/*; do n=${fd##*/}; if [ "$n" -gt 2 ]; then eval "exec $n>&-"; fi; done 2>/dev/null; ' +
  'export TMPDIR="$1/$$"; mkdir -p -m 700 "$TMPDIR"; shift; exec "$@"';
/** The package sets no limits, so the first process inside does. */
const FIRST = 'ulimit -c 0 -d "$1" -u "$2" -t "$3" -f "$4" || exit 125; shift 4; exec "$@"';
const KIBIBYTE = 1_024;

/** The launch of a command through the package; its settings and sockets are in the folder. */
export function toRuntimeLaunch(
  launch: ConfinedLaunch,
  place: RuntimePlace,
  cli: string,
  folder: string,
): ConfinedLaunch {
  removeOfEnded(folder);
  const text = JSON.stringify(toSettings(place), null, 1);
  const settings = join(folder, `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.json`);
  writeFileSync(settings, text, { mode: 0o644 });
  const entries = Object.entries(launch.env);
  const inner = entries.filter(([name]) => INNER_ONLY.test(name)).map(([name, value]) => `${name}=${value}`);
  const { memory, processes, cpu, file } = place.limits;
  const limits = [memory / KIBIBYTE, processes, cpu, file / KIBIBYTE].map((limit) => String(Math.floor(limit)));
  return {
    argv: [
      ...["bash", "--norc", "-p", "-c", OUTER, "toolcrib", folder],
      ...[process.execPath, cli, "--settings", settings, "--"],
      ...["bash", "--norc", "-p", "-c", FIRST, "toolcrib", ...limits],
      ...(inner.length === 0 ? [] : ["env", ...inner]),
      ...launch.argv,
    ],
    cwd: launch.cwd,
    env: Object.fromEntries(entries.filter(([name]) => !INNER_ONLY.test(name))),
  };
}

/** Secrets of the machine that its users can often read. */
const SECRETS = ["/etc/shadow", "/etc/sudoers", "/etc/ssh", "/root", "/var/run/docker.sock", "/run/docker.sock"];

/** Absent paths are named too: the package then masks them, `.git` included. */
function toSettings({ home, folders, readable, hidden = [], socat, guards: more = () => [] }: RuntimePlace): object {
  const guards = [...folders.flatMap((found) => findAllGuards(found.folder, found, home)), ...more()];
  return {
    network: { allowedDomains: [], deniedDomains: ["*"], allowLocalBinding: false },
    filesystem: {
      denyRead: [home, ...hidden, ...SECRETS.filter((path) => !contains(path, home))],
      allowRead: [...folders.map(({ folder }) => folder), ...readable.filter((path) => contains(home, path))],
      allowWrite: folders.map(({ folder }) => folder),
      denyWrite: guards.filter(({ kind }) => kind === "present" || kind === "absent").map(({ path }) => path),
    },
    ...(socat === undefined ? {} : { socatPath: socat }),
  };
}
