import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Socket } from "node:net";
import { platform } from "node:os";
import { sep } from "node:path";
import { readProcess } from "./process-group.ts";

/** Set in the environment of everything that this process starts, and inherited by what those start. */
export const FAMILY = "TOOLCRIB_FAMILY";
const OWN = randomBytes(16).toString("hex");

let started = 0;

/** The mark that identifies a process about to be started and its descendants. */
export function nextMark(): string {
  started += 1;
  return `${OWN}.${started}`;
}

/** The environment with that mark. */
export function marked(env: Readonly<Record<string, string>>, mark: string): Readonly<Record<string, string>> {
  return { ...env, [FAMILY]: mark };
}

/**
 * Waits for its input to close, which happens when this process is gone for any reason. Then it ends the registered
 * groups that are still the same ones, and `SWEEP` ends what left them. A shell needs a fraction of the memory of Node.
 */
const WATCH = `# Ends what Toolcrib started, once Toolcrib is gone.
set -f
groups=" "
while read -r sign group; do
  case $sign in
  +) groups="$groups$group " ;;
  -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
test "$groups" = " " && exit
node=$1 sweep=$2 mark=$3
for group in $groups; do
  start=\${group#*:} group=\${group%:*}
  if test -n "$start"; then
    read -r stat <"/proc/$group/stat" || continue
    set -- \${stat##*) }
    test "\${20}" = "$start" || continue
  fi
  kill -s KILL -- "-$group"
done
test -n "$sweep" && exec "$node" -e "$sweep" "$mark"
`;

/** Ends every process that was started with a mark of this one in its environment, until two scans find none. */
const SWEEP = `
const { readdirSync, readFileSync } = require("node:fs");
const pause = new Int32Array(new SharedArrayBuffer(4));
const end = Date.now() + 5_000;
for (let clean = 0; clean < 2 && Date.now() < end; Atomics.wait(pause, 0, 0, 10)) {
  clean += 1;
  for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    try {
      const env = readFileSync("/proc/" + pid + "/environ", "latin1").split("\\0");
      if (!env.some((one) => one.startsWith(process.argv[1]))) continue;
      process.kill(Number(pid), "SIGKILL");
      clean = 0;
    } catch {}
  }
}
`;

/** Milliseconds that it stays when there is nothing to watch: usually something else is started soon. */
const IDLE = 10_000;

let watcher: ChildProcess | null = null;
let isMissing = platform() === "win32";
let idle: NodeJS.Timeout | undefined;
const groups = new Set<string>();

/** Starts the watcher if it is not running; call before starting a process to be watched. */
export function startWatcher(): void {
  clearTimeout(idle);
  if (watcher !== null || isMissing) return;
  const sweep = platform() === "linux" ? SWEEP : "";
  const own: ChildProcess = spawn(
    "/bin/sh",
    ["-c", WATCH, "toolcrib-watcher", process.execPath, sweep, `${FAMILY}=${OWN}.`],
    {
      cwd: sep,
      // Without the mark of an outer Toolcrib, which would end it too early.
      env: {},
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    },
  );
  own.once("error", () => {
    isMissing = own.pid === undefined;
  });
  own.once("exit", () => {
    if (watcher === own) watcher = null;
  });
  own.stdin?.on("error", () => {});
  own.unref();
  if (own.stdin instanceof Socket) own.stdin.unref();
  watcher = own;
  for (const group of groups) tell("+", group);
}

/** Ends the group and what left it when this process is killed; returns a function that undoes this. */
export function watchGroup(pid: number): () => void {
  startWatcher();
  const group = `${pid}:${startOf(pid)}`;
  groups.add(group);
  tell("+", group);
  return () => {
    if (!groups.delete(group)) return;
    tell("-", group);
    if (groups.size === 0) idle = setTimeout(dismiss, IDLE).unref();
  };
}

/** Distinguishes a process from a later one with the same id. If the system cannot tell, the id alone counts. */
function startOf(pid: number): string {
  return platform() === "linux" ? (readProcess(pid)?.started ?? UNKNOWN) : "";
}

/** The start time of no process: for what is gone at once, the sweep looks by mark alone. */
const UNKNOWN = "-";

function tell(sign: "+" | "-", group: string): void {
  watcher?.stdin?.write(`${sign} ${group}\n`);
}

function dismiss(): void {
  watcher?.stdin?.end();
  watcher = null;
}
