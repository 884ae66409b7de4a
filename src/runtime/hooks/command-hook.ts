import type { HookConfig } from "../../config/config.ts";
import type { HookEvent } from "../../config/shape/hook-shape.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { findProgram } from "../../system/process/find-program.ts";
import { createOutputBuffer } from "../../system/process/output-buffer.ts";
import { spawnProcess } from "../../system/process/spawn-process.ts";
import type { Clock } from "../../system/time/clock.ts";
import { isGuard, readHookAnswer } from "./read-answer.ts";
import type { HookVerdict } from "./read-output.ts";

/** The outcome of one hook. All but `ok` and `blocked` are failures, and are always reported. */
export type HookRun =
  | { readonly outcome: "ok"; readonly verdict: HookVerdict; readonly text: string }
  | { readonly outcome: "blocked"; readonly reason: string; readonly endTurn: boolean }
  | { readonly outcome: "failed" | "timeout" | "not-started"; readonly error: string };

export interface CommandHook {
  readonly hook: Pick<HookConfig, "command" | "args" | "dialect">;
  readonly event: HookEvent;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
}

const MOST_OUTPUT = { head: 1024 * 1024, tail: 0 };
const MOST_ERRORS = { head: 16 * 1024, tail: 16 * 1024 };

/** Runs one command hook: JSON in, exit status and JSON out, by the rules of the product it is written for. */
export async function runCommandHook(
  spec: CommandHook,
  input: object,
  signal: AbortSignal,
  clock: Clock,
): Promise<HookRun> {
  const { hook, cwd, env, timeout } = spec;
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
      argv: toArgv(hook, env),
      cwd,
      env,
      stdin: "pipe",
      onStdout: stdout.push,
      onStderr: stderr.push,
      signal: stop.signal,
    });
    // A hook that does not read its input may still answer.
    await child.write(JSON.stringify(input)).catch(() => {});
    child.end();
    const { code } = await child.exited;
    if (signal.aborted) return { outcome: "failed", error: "the call was cancelled" };
    const { text, leftOut } = stdout.take(true);
    const ended = { code, text: withoutProgress(text), isCut: leftOut > 0, stderr: stderr.take(true).text.trim() };
    const refusal = findRefusal(ended, spec.event);
    if (refusal !== null) return refusal;
    if (timedOut) return { outcome: "timeout", error: `no answer within ${timeout / 1000} s` };
    return hook.dialect === "copilot" ? judgeCopilotExit(ended, spec.event) : judgeExit(ended, spec.event);
  } catch (error) {
    if (timedOut) return { outcome: "timeout", error: `no answer within ${timeout / 1000} s` };
    const why = isToolcribError(error) || error instanceof Error ? error.message : String(error);
    return { outcome: "not-started", error: why };
  } finally {
    clock.clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Hooks are written for bash; without it, another shell must do. */
function toArgv({ command, args }: Pick<HookConfig, "command" | "args">, env: Readonly<Record<string, string>>) {
  const bash = args === null ? findProgram("bash", `/bin:/usr/bin:${env.PATH ?? ""}`) : null;
  // Its input is a socket, which bash takes for a network login unless it must not read start-up files.
  if (args === null) return bash === null ? ["/bin/sh", "-c", command] : [bash, "--norc", "-c", command];
  const fill = (text: string): string => text.replaceAll("${CLAUDE_PROJECT_DIR}", env.CLAUDE_PROJECT_DIR ?? "");
  return [fill(command), ...args.map(fill)];
}

interface Ended {
  readonly code: number | null;
  readonly text: string;
  /** The output was longer. */
  readonly isCut: boolean;
  readonly stderr: string;
}

/** A guard that said no means it, however it ended afterwards. Status 2 is a no by itself. */
function findRefusal({ code, text }: Ended, event: HookEvent): HookRun | null {
  const answer = isGuard(event) && code !== 2 ? readHookAnswer(text, event) : null;
  return answer?.verdict.decision === "deny" ? { outcome: "ok", verdict: answer.verdict, text: "" } : null;
}

/**
 * 0: fine, 2: blocked whatever else it says, 126 and 127: the shell found nothing to run, others: failed unless an
 * answer says more.
 */
function judgeExit({ code, text, isCut, stderr }: Ended, event: HookEvent): HookRun {
  if (code === 2) return { outcome: "blocked", reason: stderr || NO_REASON, endTurn: false };
  if (code === 126 || code === 127) return { outcome: "not-started", error: stderr || `exit status ${code}` };
  const answer = readHookAnswer(text, event);
  // Failing and allowing contradict each other; the stricter one counts.
  if (code !== 0 && (answer === null || !answer.hasAnswer || answer.verdict.decision === "allow"))
    return failed(code, stderr);
  if (answer === null) return { outcome: "failed", error: "its output is meant as an answer and cannot be understood" };
  if (isCut && isGuard(event)) return { outcome: "failed", error: "its output is too long to be read to the end" };
  return { outcome: "ok", verdict: answer.verdict, text: answer.text };
}

/** As documented for Copilot: JSON never overrides a status, and 2 is a no only for events that can be refused. */
function judgeCopilotExit(ended: Ended, event: HookEvent): HookRun {
  const { code, text, stderr } = ended;
  if (code === 0 || code === 126 || code === 127) return judgeExit(ended, event);
  if (code !== 2) return failed(code, stderr);
  const verdict = readHookAnswer(text, event)?.verdict ?? null;
  switch (event) {
    case "preToolUse":
    case "permissionRequest":
      return {
        outcome: "blocked",
        reason: verdict?.reason ?? (stderr || NO_REASON),
        endTurn: verdict?.endTurn ?? false,
      };
    case "postToolUseFailure":
      return {
        outcome: "blocked",
        reason: verdict?.additionalContext[0] ?? (text || stderr || NO_REASON),
        endTurn: false,
      };
    default:
      return failed(code, stderr);
  }
}

const NO_REASON = "No reason provided";

function failed(code: number | null, stderr: string): HookRun {
  return { outcome: "failed", error: `exit status ${code ?? "none"}: ${stderr || "nothing on stderr"}` };
}

/** Lines that only report progress are not part of the answer. */
function withoutProgress(stdout: string): string {
  if (!stdout.includes('"progress"')) return stdout.trim();
  return stdout
    .split("\n")
    .filter((line) => !isProgress(line))
    .join("\n")
    .trim();
}

function isProgress(line: string): boolean {
  const value = parseJson(line);
  return isRecord(value) && value.type === "progress";
}
