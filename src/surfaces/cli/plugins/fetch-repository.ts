import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { FULL_COMMIT } from "../../../config/plugins/plugin-source.ts";
import { runGit } from "../../../system/process/run-git.ts";
import { usage } from "../command-line/arguments.ts";
import type { Io } from "../terminal/io.ts";

/** A git repository as people name it: an address, and behind `#` a branch, a tag or a commit. */
export interface Repository {
  readonly url: string;
  /** Null: what the repository has checked out itself. */
  readonly ref: string | null;
}

const ADDRESS = /^(?:(?:https|ssh|file):\/\/|[\w.-]+@[\w.-]+:)[^\s#]+$/;
const REF = /^\w[\w./-]{0,200}$/;

/** Null for what is a path. */
export function readRepository(named: string): Repository | null {
  if (/^(?:http|git|ftp):\/\//.test(named)) throw usage(`${named} is not protected on its way; take an https address`);
  const [url = "", ref = null] = named.split(/#(.*)/s);
  if (!ADDRESS.test(url)) return null;
  if (ref !== null && !REF.test(ref)) throw usage(`${ref} is no branch, tag or commit`);
  return { url, ref };
}

/** Milliseconds for git to fetch. */
const PATIENCE = 120_000;
/** Bytes that it may fetch. */
const LARGEST = 256 * 1024 * 1024;
/** Milliseconds between two looks at how much there is. */
const BETWEEN = 200;
/** What git needs to know to reach a host as this person does. */
const REACHING = /^(?:SSH_AUTH_SOCK|GIT_SSL_CAINFO|SSL_CERT_FILE|XDG_CONFIG_HOME|(?:HTTPS|ALL|NO)_PROXY)$/i;

/**
 * Fetches one commit into a folder that is not there yet, without its history, and says which one it is. Nothing of the
 * repository runs: no hooks, no submodules, no filters for large files.
 */
export async function fetchRepository({ url, ref }: Repository, to: string, { env }: Pick<Io, "env">): Promise<string> {
  await mkdir(to, { mode: 0o700 });
  const reaching = Object.entries(env).filter(([name, value]) => REACHING.test(name) && value !== undefined);
  const extra = {
    ...(Object.fromEntries(reaching) as Record<string, string>), // Those without a value are left out above.
    GIT_ALLOW_PROTOCOL: "https:ssh:file",
    GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
    GIT_LFS_SKIP_SMUDGE: "1",
  };
  const stop = new AbortController();
  const watching = watchSize(to, () => stop.abort());
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(PATIENCE)]);
  const git = (...argv: readonly string[]): Promise<string> => runGit(argv, { cwd: to, env, extra, signal });
  try {
    await git("init", "--quiet", "--template=");
    const bare = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"];
    await git("fetch", ...bare, "--", url, ref ?? "HEAD");
    await git("checkout", "--quiet", "--detach", "--no-recurse-submodules", "FETCH_HEAD");
    const commit = (await git("rev-parse", "HEAD")).trim();
    if (ref !== null && FULL_COMMIT.test(ref) && commit !== ref) throw new Error(`it gave ${commit} for ${ref}`);
    await rm(join(to, ".git"), { recursive: true, force: true });
    return commit;
  } catch (error) {
    if (stop.signal.aborted) throw usage(`${url} has more than ${LARGEST / 1024 / 1024} MB; add the plugin's folder`);
    throw usage(`${url} cannot be fetched: ${describe(error, to)}`);
  } finally {
    clearInterval(watching);
  }
}

/** What git says, without the folder that it worked in. */
function describe(error: unknown, folder: string): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/ENOENT/.test(text)) return "there is no git on this machine";
  return text.replaceAll(` in ${folder}`, "");
}

/** Servers send what they like, and git asks nobody how much that is. */
function watchSize(folder: string, onLarge: () => void): NodeJS.Timeout {
  return setInterval(async () => {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(folder, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    if (sizes.reduce((sum, size) => sum + size, 0) > LARGEST) onLarge();
  }, BETWEEN).unref();
}
