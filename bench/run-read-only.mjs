// Runs command lines in a throw-away sandbox and tells which of them changed a file or started another program.
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** The files that the lines are about; the links among them, for judging the lines. */
const FILES = {
  "w/a.txt": "alpha\nbeta\n",
  "w/b.txt": "beta\ngamma\n",
  "w/dir/c.txt": "touch new\n",
  "w/list": "a.txt\nw new\ne touch new\na[$(touch new)]\n",
  "w/magic": "0 string alpha alpha\n",
  "w/with blank.txt": "x\n",
  "h/home.txt": "home\n",
};
export const LINKS = /** @type {const} */ ([
  ["link", "/h/home.txt"],
  ["into", "dir"],
]);

/** Each line runs by itself; what is different afterwards is printed behind it. */
const DRIVER = `
look() { /real/find /w /h /tmp/. -mindepth 1 -printf '%p %y %m %s %C@ %l\\n'; echo "$(< /log/started)"; }
before=$(look)
while IFS= read -r -d '' line; do
  /real/timeout -k 1 2 /real/bash --norc -c "$line" < /dev/null > /dev/null 2>&1
  after=$(look)
  [ "$after" = "$before" ] && continue
  printf '%s\\0%s\\0' "$line" "$(/real/diff <(echo "$before") <(echo "$after"))"
  before=$after
done`;

/**
 * @param {readonly string[]} lines
 * @param {Iterable<string>} programs that lines may start
 * @param {string} bwrap
 * @returns {readonly { line: string, change: string }[]}
 */
export function findChanging(lines, programs, bwrap) {
  const root = mkdtempSync(join(tmpdir(), "toolcrib-lines-"));
  try {
    build(root, new Set([...programs, "timeout", "time", "nice"]));
    const { stdout, status, stderr } = spawnSync(bwrap, [...mountsOf(root), "/real/bash", "--norc", "-c", DRIVER], {
      input: lines.map((line) => `${line}\0`).join(""),
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    if (status !== 1 && status !== 0) throw new Error(`the sandbox ended with ${status}: ${stderr}`);
    const fields = stdout.split("\0");
    return fields.flatMap((line, at) => (at % 2 === 0 && line !== "" ? [{ line, change: fields[at + 1] ?? "" }] : []));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {ReadonlySet<string>} allowed
 */
function build(root, allowed) {
  for (const folder of ["w/dir", "h", "log", "programs"]) mkdirSync(join(root, folder), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(root, path), text);
  for (const [name, target] of LINKS) symlinkSync(target, join(root, "w", name));
  const git = ["-c", "user.name=x", "-c", "user.email=x@x.test", "-C", join(root, "w")];
  for (const words of [
    ["init", "-q"],
    ["add", "a.txt", "dir"],
    ["commit", "-qm", "x"],
  ])
    spawnSync("git", [...git, ...words]);
  writeFileSync(join(root, "log/started"), "");
  writeFileSync(join(root, "log/stub"), '#!/real/bash\necho "$0 $*" >> /log/started\n', { mode: 0o755 });
  writeFileSync(join(root, "log/nothing"), "#!/real/true\n", { mode: 0o755 });
  for (const name of readdirSync("/usr/bin"))
    symlinkSync(allowed.has(name) ? realProgram(name) : "/log/stub", join(root, "programs", name));
}

/**
 * A reader that is a script would start its interpreter, so it does nothing.
 * @param {string} name
 */
function realProgram(name) {
  try {
    const file = realpathSync(join("/usr/bin", name));
    const isScript = readFileSync(file).subarray(0, 2).toString() === "#!";
    return isScript ? "/log/nothing" : join("/real", relative("/usr/bin", file));
  } catch {
    return "/log/nothing";
  }
}

/** Every program is where it always is, and all that the lines do not name only write down that they were started. */
function mountsOf(/** @type {string} */ root) {
  return [
    ...[
      "--unshare-all",
      "--die-with-parent",
      "--new-session",
      "--clearenv",
      "--tmpfs",
      "/",
      "--ro-bind",
      "/usr",
      "/usr",
    ],
    ...["--ro-bind", join(root, "programs"), "/usr/bin", "--ro-bind", "/usr/bin", "/real", "--tmpfs", "/usr/sbin"],
    ...["--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64"],
    ...["--ro-bind", "/etc", "/etc", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
    ...["--bind", join(root, "w"), "/w", "--bind", join(root, "h"), "/h", "--bind", join(root, "log"), "/log"],
    ...["--chdir", "/w", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/h", "--setenv", "LC_ALL", "C"],
    // Reading does not refresh the index of git where others may be at work.
    ...["--setenv", "GIT_OPTIONAL_LOCKS", "0"],
  ];
}
