import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Socket } from "node:net";
import { platform } from "node:os";
import { sep } from "node:path";
import { readProcess } from "./process-group.ts";

/** Stands in the environment of all that this process starts, and of all that those start in turn. */
export const FAMILY = "TOOLCRIB_FAMILY";
const OWN = randomBytes(16).toString("hex");

let started = 0;

/** By what a process that is about to be started will be known, with all that it starts. */
export function nextMark(): string {
  started += 1;
  return `${OWN}.${started}`;
}

/** The environment with that mark. */
export function marked(env: Readonly<Record<string, string>>, mark: string): Readonly<Record<string, string>> {
  return { ...env, [FAMILY]: mark };
}

/**
 * Waits for the end of its input, which comes when this process is gone, however it went. Then it ends the groups that
 * it was told about and that are still the same ones, and lets `SWEEP` end what left them. A shell does that in a
 * fraction of the memory that Node takes.
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

/** Ends every process with a mark of this one in the environment that it was started with, until two looks find none. */
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

/** Milliseconds that it stays when there is nothing to watch: most often something else is started soon. */
const IDLE = 10_000;

let watcher: ChildProcess | null = null;
let isMissing = platform() === "win32";
let idle: NodeJS.Timeout | undefined;
const groups = new Set<string>();

/** Starts the watcher, if it does not run: before the first process that it is for. */
export function startWatcher(): void {
  clearTimeout(idle);
  if (watcher !== null || isMissing) return;
  const sweep = platform() === "linux" ? SWEEP : "";
  const own: ChildProcess = spawn(
    "/bin/sh",
    ["-c", WATCH, "toolcrib-watcher", process.execPath, sweep, `${FAMILY}=${OWN}.`],
    {
      cwd: sep,
      // Without the mark of a Toolcrib around this one, which would end it too early.
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

/** Ends the group when this process is killed, with all that left it; returns how to take that back. */
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

/** Tells a process from any other that gets its id. Where the system does not say, the group is taken by its id. */
function startOf(pid: number): string {
  return platform() === "linux" ? (readProcess(pid)?.started ?? UNKNOWN) : "";
}

/** When no process started: what is gone at once is looked for by its mark alone. */
const UNKNOWN = "-";

function tell(sign: "+" | "-", group: string): void {
  watcher?.stdin?.write(`${sign} ${group}\n`);
}

function dismiss(): void {
  watcher?.stdin?.end();
  watcher = null;
}
