import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { buildChildEnv } from "../../system/process/child-env.ts";
import { createOutputBuffer } from "../../system/process/output-buffer.ts";
import { spawnProcess } from "../../system/process/spawn-process.ts";

/** A git worktree that an agent has for itself. */
export interface Worktree {
  /** The folder in it that stands for the workspace. */
  readonly folder: string;
  /** Takes it away where nothing was changed in it; else says where the changes are. */
  close(): Promise<string | null>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Checks out what is committed into a folder of its own, on no branch; nothing of the repository runs meanwhile. */
export async function createWorktree(workspace: string, env: Env): Promise<Worktree> {
  const top = (await git(["rev-parse", "--show-toplevel"], workspace, env)).trim();
  const base = await mkdtemp(join(await realpath(tmpdir()), "toolcrib-worktree-"));
  const path = join(base, "tree");
  try {
    await git(["worktree", "add", "--detach", path, "HEAD"], top, env);
  } catch (error) {
    await rm(base, { recursive: true, force: true });
    throw error;
  }
  const head = (await git(["rev-parse", "HEAD"], path, env)).trim();
  return {
    folder: join(path, relative(await realpath(top), await realpath(workspace))),
    async close() {
      const changed = await git(["status", "--porcelain"], path, env).catch(() => "?");
      const now = await git(["rev-parse", "HEAD"], path, env).catch(() => "?");
      if (changed.trim() !== "" || now.trim() !== head)
        return `Its changes are in the git worktree ${path}; "git worktree remove --force ${path}" drops them.`;
      await git(["worktree", "remove", "--force", path], top, env).catch(() => "");
      await rm(base, { recursive: true, force: true });
      return null;
    },
  };
}

/** Neither hooks nor watchers that a repository may have configured are started. */
const SAFELY = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
const LONGEST = 64 * 1024;
const PATIENCE = 60_000;

async function git(argv: readonly string[], cwd: string, env: Env): Promise<string> {
  const out = createOutputBuffer({ head: LONGEST, tail: 0 });
  const said = createOutputBuffer({ head: 0, tail: 2_000 });
  const child = await spawnProcess({
    argv: ["git", ...SAFELY, ...argv],
    cwd,
    env: buildChildEnv(env, { GIT_TERMINAL_PROMPT: "0" }),
    onStdout: out.push,
    onStderr: said.push,
    signal: AbortSignal.timeout(PATIENCE),
  });
  const { code } = await child.exited;
  await child.ended;
  if (code !== 0) throw new Error(`git ${argv[0]} failed in ${cwd}: ${said.take(true).text.trim()}`);
  return out.take(true).text;
}
