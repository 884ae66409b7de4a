import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Clock } from "../../sources/mcp/clock.ts";
import { createOutputBuffer } from "../../system/process/output-buffer.ts";
import { spawnProcess } from "../../system/process/spawn-process.ts";
import { type HookSaid, readOutput, SILENT_HOOK } from "./read-output.ts";

/** What became of one hook. Everything but `ok` and `blocked` is a failure, and never goes unseen. */
export type HookRun =
  | { readonly outcome: "ok"; readonly said: HookSaid; readonly text: string }
  | { readonly outcome: "blocked"; readonly reason: string }
  | { readonly outcome: "failed" | "timeout" | "not-started"; readonly error: string };

export interface CommandHook {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
}

const MOST_OUTPUT = { head: 1024 * 1024, tail: 0 };
const MOST_ERRORS = { head: 16 * 1024, tail: 16 * 1024 };

/** Runs one command hook: JSON in, exit status and JSON out, by Claude's rules. */
export async function runCommandHook(
  { command, cwd, env, timeout }: CommandHook,
  input: object,
  signal: AbortSignal,
  clock: Clock,
): Promise<HookRun> {
  const stdout = createOutputBuffer(MOST_OUTPUT);
  const stderr = createOutputBuffer(MOST_ERRORS);
  const stop = new AbortController();
  const onAbort = (): void => stop.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  let timedOut = false;
  const timer = clock.setTimeout(() => {
    timedOut = true;
    stop.abort();
  }, timeout);
  try {
    const child = await spawnProcess({
      argv: ["/bin/sh", "-c", command],
      cwd,
      env,
      stdin: "pipe",
      onStdout: stdout.push,
      onStderr: stderr.push,
      signal: stop.signal,
    });
    // A hook that does not read its input may still have something to say.
    await child.write(JSON.stringify(input)).catch(() => {});
    child.end();
    const { code } = await child.exited;
    if (timedOut) return { outcome: "timeout", error: `no answer within ${timeout / 1000} s` };
    if (signal.aborted) return { outcome: "failed", error: "the call was cancelled" };
    return judgeExit(code, stdout.take(true).text, stderr.take(true).text);
  } catch (error) {
    if (timedOut) return { outcome: "timeout", error: `no answer within ${timeout / 1000} s` };
    const why = isToolcribError(error) || error instanceof Error ? error.message : String(error);
    return { outcome: "not-started", error: why };
  } finally {
    clock.clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** 0: fine, 2: blocked whatever else it says, 126 and 127: the shell found nothing to run, others: failed unless JSON says more. */
function judgeExit(code: number | null, stdout: string, stderr: string): HookRun {
  const text = stdout.trim();
  if (code === 2) return { outcome: "blocked", reason: stderr.trim() || "No reason provided" };
  if (code === 126 || code === 127) return { outcome: "not-started", error: stderr.trim() || `exit status ${code}` };
  const said = text.startsWith("{") ? parse(text) : null;
  if (said !== null) return { outcome: "ok", said, text: "" };
  if (code !== 0)
    return { outcome: "failed", error: `exit status ${code ?? "none"}: ${stderr.trim() || "nothing on stderr"}` };
  if (text.startsWith("{")) return { outcome: "failed", error: "its output starts like JSON and cannot be understood" };
  return { outcome: "ok", said: SILENT_HOOK, text };
}

function parse(text: string): HookSaid | null {
  try {
    return readOutput(JSON.parse(text));
  } catch {
    return null;
  }
}
