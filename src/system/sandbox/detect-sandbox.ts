import { accessSync, constants, readFileSync } from "node:fs";
import { findProgram } from "../process/find-program.ts";
import { spawnProcess } from "../process/spawn-process.ts";
import { toBwrapArgv } from "./bwrap-argv.ts";
import { findReadable } from "./readable-paths.ts";
import { type Identity, SANDBOX_LIMITS, type SandboxTools } from "./sandbox-spec.ts";
import { buildSeccompFilter } from "./seccomp-filter.ts";

export type Detection =
  | { readonly found: true; readonly tools: SandboxTools }
  /** Why there is none, and what a person can do about it, in the imperative and without a full stop. */
  | { readonly found: false; readonly reason: string; readonly fix: string };

export interface DetectionInput {
  readonly platform: string;
  readonly identity: Identity;
  /** Where to look for programs. Never a path that a workspace can be on. */
  readonly path?: string;
}

const SYSTEM_PATH =
  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/wrappers/bin:/run/current-system/sw/bin";
const INSTALL = "install bubblewrap, such as with `apt-get install bubblewrap` or `dnf install bubblewrap`";
const PERMIT = "allow unprivileged user namespaces on this machine or container, or run on one that has them";

const known = new Map<string, Promise<Detection>>();

/** Looks for bubblewrap and proves with one harmless start that it works here. The result is cached. */
export function detectSandbox({ platform, identity, path = SYSTEM_PATH }: DetectionInput): Promise<Detection> {
  const key = JSON.stringify([platform, identity, path]);
  const earlier = known.get(key);
  if (earlier !== undefined) return earlier;
  const detection = detect(platform, identity, path);
  known.set(key, detection);
  return detection;
}

async function detect(platform: string, identity: Identity, path: string): Promise<Detection> {
  if (platform !== "linux") {
    return {
      found: false,
      reason: `bubblewrap runs on Linux only, and this is ${platform}`,
      fix: "use Linux or a container",
    };
  }
  const programs = ["bwrap", "bash", "flock", "find"].map((name) => [name, findProgram(name, path)] as const);
  const missing = programs.filter(([, file]) => file === null).map(([name]) => name);
  const [bwrap, bash] = programs.map(([, file]) => file);
  if (missing.includes("bwrap")) return { found: false, reason: "bubblewrap is not installed", fix: INSTALL };
  if (!bwrap || !bash || missing.length > 0) {
    return { found: false, reason: `${missing.join(", ")} is not installed`, fix: `install ${missing.join(", ")}` };
  }
  const setpriv = findProgram("setpriv", path);
  if (identity.kind === "owner" && setpriv === null) {
    return { found: false, reason: "setpriv is not installed", fix: "install util-linux" };
  }
  const base = { bash, bwrap, setpriv, processGroups: findProcessGroups(), filter: buildSeccompFilter(process.arch) };
  const env = findProgram("env", path);
  let reason = "";
  for (const form of [
    { disablesUserns: true, env },
    { disablesUserns: false, env },
    { disablesUserns: false, env: null },
  ]) {
    const tools = { ...base, ...form };
    const problem = await tryOut(tools, identity);
    if (problem === null) return { found: true, tools };
    // The first form asks for most; what stops the last one is what stops bubblewrap as such.
    reason = problem;
  }
  return { found: false, reason: `bubblewrap does not start here: ${reason}`, fix: PERMIT };
}

const PATIENCE = 10_000;
const LONGEST_REASON = 200;

/** Null if an empty sandbox started and ended well, else the error message. */
async function tryOut(tools: SandboxTools, identity: Identity): Promise<string | null> {
  const home = "/home/nobody";
  const places = findReadable({ home, path: "", execPath: tools.bash, identity });
  const spec = {
    tools,
    identity,
    limits: SANDBOX_LIMITS,
    network: false,
    home,
    ...places,
    writable: [],
    guards: [],
  };
  const said: Buffer[] = [];
  try {
    const child = await spawnProcess({
      ...toBwrapArgv({ argv: ["true"], cwd: "/", env: { PATH: SYSTEM_PATH } }, spec),
      onStdout: () => {},
      onStderr: (chunk) => void said.push(chunk),
      signal: AbortSignal.timeout(PATIENCE),
      grace: 0,
    });
    const { code, signal } = await child.exited;
    await child.ended;
    if (code === 0) return null;
    const text = Buffer.concat(said).toString("utf8").replace(/\s+/gu, " ").trim();
    return (text || `it ended with ${code ?? signal}`).slice(0, LONGEST_REASON);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A folder in which root can create control groups that limit processes, version 1 or 2. */
function findProcessGroups(): string | null {
  if (canWrite("/sys/fs/cgroup/pids/cgroup.procs")) return "/sys/fs/cgroup/pids";
  const folder = "/sys/fs/cgroup";
  try {
    const counted = readFileSync(`${folder}/cgroup.subtree_control`, "utf8").split(/\s/u).includes("pids");
    return counted && canWrite(`${folder}/cgroup.procs`) ? folder : null;
  } catch {
    return null;
  }
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
