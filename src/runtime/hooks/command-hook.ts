import type { HookConfig } from "../../config/config.ts";
import type { HookEvent } from "../../config/shape/hook-shape.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { findProgram } from "../../system/process/find-program.ts";
import { createOutputBuffer } from "../../system/process/output-buffer.ts";
import { spawnProcess } from "../../system/process/spawn-process.ts";
import type { Clock } from "../../system/time/clock.ts";
import { type HookSaid, readOutput, SILENT_HOOK } from "./read-output.ts";

/** What became of one hook. Everything but `ok` and `blocked` is a failure, and never goes unseen. */
export type HookRun =
  | { readonly outcome: "ok"; readonly said: HookSaid; readonly text: string }
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

/** Runs one command hook: JSON in, exit status and JSON out, by the rules of whoever it is written for. */
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
    // A hook that does not read its input may still have something to say.
    await child.write(JSON.stringify(input)).catch(() => {});
    child.end();
    const { code } = await child.exited;
    if (timedOut) return { outcome: "timeout", error: `no answer within ${timeout / 1000} s` };
    if (signal.aborted) return { outcome: "failed", error: "the call was cancelled" };
    const ended = { code, text: withoutProgress(stdout.take(true).text), stderr: stderr.take(true).text.trim() };
    return hook.dialect === "copilot" ? judgeCopilotExit(ended, spec.event) : judgeExit(ended);
  } catch (error) {
    if (timedOut) return { outcome: "timeout", error: `no answer within ${timeout / 1000} s` };
    const why = isToolcribError(error) || error instanceof Error ? error.message : String(error);
    return { outcome: "not-started", error: why };
  } finally {
    clock.clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** People write hooks for bash; where there is none, another shell has to do. */
function toArgv({ command, args }: Pick<HookConfig, "command" | "args">, env: Readonly<Record<string, string>>) {
  const bash = args === null ? findProgram("bash", `/bin:/usr/bin:${env.PATH ?? ""}`) : null;
  // Its input is a socket, which bash takes for a login over the network unless it is told not to read start-up files.
  if (args === null) return bash === null ? ["/bin/sh", "-c", command] : [bash, "--norc", "-c", command];
  const fill = (text: string): string => text.replaceAll("${CLAUDE_PROJECT_DIR}", env.CLAUDE_PROJECT_DIR ?? "");
  return [fill(command), ...args.map(fill)];
}

interface Ended {
  readonly code: number | null;
  readonly text: string;
  readonly stderr: string;
}

/** 0: fine, 2: blocked whatever else it says, 126 and 127: the shell found nothing to run, others: failed unless JSON says more. */
function judgeExit({ code, text, stderr }: Ended): HookRun {
  if (code === 2) return { outcome: "blocked", reason: stderr || NO_REASON, endTurn: false };
  if (code === 126 || code === 127) return { outcome: "not-started", error: stderr || `exit status ${code}` };
  const said = text.startsWith("{") ? parse(text) : null;
  if (said !== null) return { outcome: "ok", said, text: "" };
  if (code !== 0) return failed(code, stderr);
  if (text.startsWith("{")) return { outcome: "failed", error: "its output starts like JSON and cannot be understood" };
  return { outcome: "ok", said: SILENT_HOOK, text };
}

/** As documented for Copilot: no JSON excuses a status, and 2 is a no only where something can be refused. */
function judgeCopilotExit(ended: Ended, event: HookEvent): HookRun {
  const { code, text, stderr } = ended;
  if (code === 0 || code === 126 || code === 127) return judgeExit(ended);
  if (code !== 2) return failed(code, stderr);
  const said = text.startsWith("{") ? parse(text) : null;
  switch (event) {
    case "preToolUse":
    case "permissionRequest":
      return { outcome: "blocked", reason: said?.reason ?? (stderr || NO_REASON), endTurn: said?.endTurn ?? false };
    case "postToolUseFailure":
      return {
        outcome: "blocked",
        reason: said?.additionalContext[0] ?? (text || stderr || NO_REASON),
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

/** Lines that only say how far a hook has come are no part of its answer. */
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

function parse(text: string): HookSaid | null {
  try {
    return readOutput(JSON.parse(text));
  } catch {
    return null;
  }
}
