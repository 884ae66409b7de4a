import { buildChildEnv } from "./child-env.ts";
import { createOutputBuffer } from "./output-buffer.ts";
import { spawnProcess } from "./spawn-process.ts";

export interface GitPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables for git only. */
  readonly extra?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Bytes of its output that are kept. */
  readonly longest?: number;
}

/** Starts neither hooks nor watchers that a repository may have configured. */
const SAFELY = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
const LONGEST = 64 * 1024;
const PATIENCE = 60_000;

/** The output of git. It never prompts, and starts nothing that the repository names. */
export async function runGit(
  argv: readonly string[],
  { cwd, env, extra, signal, longest = LONGEST }: GitPlace,
): Promise<string> {
  const out = createOutputBuffer({ head: longest, tail: 0 });
  const said = createOutputBuffer({ head: 0, tail: 2_000 });
  const child = await spawnProcess({
    argv: ["git", ...SAFELY, ...argv],
    cwd,
    env: buildChildEnv(env, { GIT_TERMINAL_PROMPT: "0", ...extra }),
    onStdout: out.push,
    onStderr: said.push,
    signal: signal ?? AbortSignal.timeout(PATIENCE),
  });
  const { code } = await child.exited;
  await child.ended;
  if (code !== 0) throw new Error(`git ${argv[0]} failed in ${cwd}: ${said.take(true).text.trim()}`);
  return out.take(true).text;
}
