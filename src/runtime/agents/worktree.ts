import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { runGit } from "../../system/process/run-git.ts";

/** A git worktree for one agent. */
export interface Worktree {
  /** The folder in it that corresponds to the workspace. */
  readonly folder: string;
  /** Removes it if nothing was changed in it; else returns where the changes are. */
  close(): Promise<string | null>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Checks the committed state out into a separate folder, without a branch; no code of the repository runs for that. */
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

function git(argv: readonly string[], cwd: string, env: Env): Promise<string> {
  return runGit(argv, { cwd, env });
}
