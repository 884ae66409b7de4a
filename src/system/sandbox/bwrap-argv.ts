import { basename, dirname, sep } from "node:path";
import { ATTRIBUTES, toAttributes, toSettingVariables } from "./git-covers.ts";
import { ATTRIBUTES_DESCRIPTOR, FILTER_DESCRIPTOR, FIRST_CONTENT, FIRST_PROCESS, LAUNCHER } from "./launcher.ts";
import type { ConfinedLaunch, Guard, Identity, SandboxSpec, SandboxTools } from "./sandbox-spec.ts";

const NOBODY = "65534";
const KIBIBYTE = 1_024;
/** The unit of `ulimit -f`. */
const BLOCK = 1_024;

/** These would affect the programs that set up the sandbox, so only the command gets them. */
export const INNER_ONLY = /^(?:LD_|BASH|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|MALLOC_|SHELLOPTS$|ENV$|PS4$)/;

/** The launch of a command inside the sandbox that a spec describes. */
export function toBwrapArgv(launch: ConfinedLaunch, spec: SandboxSpec): ConfinedLaunch {
  const { tools, limits, writable, guards, covers = [] } = spec;
  const attributes = toAttributes(covers);
  const settings = attributes === "" ? [] : toSettingVariables(launch.env);
  const standIns = guards.filter((guard) => guard.kind === "absent");
  const open = guards.flatMap(({ kind, path }) => (kind === "open" ? [path] : []));
  const inner = Object.entries(launch.env).filter(([name]) => INNER_ONLY.test(name));
  const outer = Object.entries(launch.env).filter(([name]) => !INNER_ONLY.test(name));
  const readable = spec.readable.filter((path) => spec.network || path !== "/etc/resolv.conf");
  const copied = readable.filter((path) => spec.copied.includes(path));
  const stores = guards.filter(({ kind, path }) => kind !== "within" && basename(path) === "config.worktree");
  const inside = [
    ...toDrop(spec.identity, tools),
    tools.bwrap,
    ...toNamespaces(spec),
    ...toMounts(launch, { ...spec, readable, copied }),
    ...guards.flatMap(toGuardMount),
    ...(spec.hidden ?? []).flatMap(toEmptyFolder),
    ...covers.flatMap(({ kind, path }, at) =>
      kind === "folder" ? toEmptyFolder(path) : ["--ro-bind-data", toDescriptor(copied.length + at), path],
    ),
    ...(attributes === "" ? [] : ["--ro-bind-data", ATTRIBUTES_DESCRIPTOR, ATTRIBUTES]),
    ...["--remount-ro", sep],
    ...[...inner, ...settings].flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--setenv", "TMPDIR", "/tmp"],
    ...(tools.filter === null ? [] : ["--seccomp", FILTER_DESCRIPTOR]),
    "--chdir",
    launch.cwd,
    "--",
    ...(tools.env === null ? [] : [tools.env, "--default-signal=HUP,INT,TERM"]),
    ...toBash(tools, FIRST_PROCESS),
    String(Math.floor(limits.memory / KIBIBYTE)),
    String(limits.processes),
    String(limits.cpu),
    String(Math.floor(limits.file / BLOCK)),
  ];
  const toArgv = (mode: "run" | "tidy"): readonly string[] => [
    ...toBash(tools, LAUNCHER),
    mode,
    toEscapes(tools.filter),
    attributes,
    (spec.identity.kind === "mapped" && tools.processGroups) || "",
    String(limits.processes),
    spec.record ?? "",
    ...counted([...copied, ...covers.map(() => "/dev/null")]),
    ...counted(writable),
    ...counted(stores.map(({ path }) => dirname(path))),
    String(standIns.length + open.length),
    ...standIns.flatMap(({ path, text }) => [text === null ? "folder" : "file", path, text ?? ""]),
    ...open.flatMap((path) => ["folder", path, ""]),
    ...counted(inside),
  ];
  const shown = standIns.map(({ path }) => path);
  return {
    ...{ argv: [...toArgv("run"), ...launch.argv], tidy: toArgv("tidy"), cwd: sep, env: Object.fromEntries(outer) },
    ...(shown.length === 0 ? {} : { standIns: shown }),
    ...(covers.length === 0 ? {} : { covered: covers.map(({ path }) => path) }),
  };
}

/** The descriptor of the content with this number. */
function toDescriptor(at: number): string {
  return String(FIRST_CONTENT + at);
}

function counted(words: readonly string[]): readonly string[] {
  return [String(words.length), ...words];
}

/** No start-up file and no function or option from the environment, even if the input is a socket. */
function toBash({ bash }: SandboxTools, script: string): readonly string[] {
  return [bash, "--norc", "-p", "-c", script, "toolcrib"];
}

function toEscapes(bytes: Uint8Array | null): string {
  return [...(bytes ?? [])].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

function toDrop(identity: Identity, { setpriv }: SandboxTools): readonly string[] {
  if (identity.kind !== "owner" || setpriv === null) return [];
  const who = [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, "--clear-groups"];
  return [setpriv, ...who, "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"];
}

function toNamespaces({ tools, identity, network }: SandboxSpec): readonly string[] {
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net"]),
    ...(tools.disablesUserns ? ["--disable-userns"] : []),
    ...(identity.kind === "mapped" ? ["--uid", NOBODY, "--gid", NOBODY] : []),
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--as-pid-1"],
  ];
}

/** Later mounts lie on top: the empty home hides the real one, and tools in it are put back. */
function toMounts({ cwd }: ConfinedLaunch, spec: SandboxSpec): readonly string[] {
  const { home, links, readable, copied, writable, limits } = spec;
  const scratch = ["--size", String(limits.scratch), "--tmpfs"];
  const isOutside = (path: string): boolean => !isBelow(path, home) && !isBelow(path, "/tmp");
  const isWorkplace = [...writable, ...readable].some((folder) => isBelow(cwd, folder));
  const bind = (path: string): readonly string[] => ["--ro-bind", path, path];
  return [
    ...copied.flatMap((path, at) => ["--file", toDescriptor(at), path]),
    ...readable.filter((path) => isOutside(path) && !copied.includes(path)).flatMap(bind),
    ...links.flatMap(({ path, target }) => ["--symlink", target, path]),
    // To the kernel root stays root: settings such as what to run when a program crashes would be writable.
    ...["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"],
    ...[...scratch, "/tmp"],
    ...[...scratch, home],
    ...readable.filter((path) => !isOutside(path)).flatMap(bind),
    // A skill's command runs in the skill's folder.
    ...(isWorkplace || isBelow(home, cwd) ? [] : bind(cwd)),
    ...writable.flatMap((path) => ["--bind", path, path]),
  ];
}

function toGuardMount({ kind, path }: Guard): readonly string[] {
  return [kind === "within" || kind === "open" ? "--bind" : "--ro-bind", path, path];
}

function toEmptyFolder(path: string): readonly string[] {
  return ["--tmpfs", path, "--remount-ro", path];
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep);
}
