import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { PathRefusal } from "../../../system/paths/path-refusal.ts";
import { createOutputBuffer } from "../../../system/process/output-buffer.ts";
import { type ProcessExit, spawnProcess } from "../../../system/process/spawn-process.ts";
import { cleanOutput } from "../../../system/text/clean-text.ts";
import type { Check, Host } from "../../host.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";
import { describeExit } from "./describe-command.ts";
import { toShellLaunch } from "./shell-launch.ts";

interface Report {
  readonly name: string;
  readonly passed: boolean;
  readonly exit: ProcessExit | null;
  readonly seconds: number;
  /** Why there is no normal exit. */
  readonly problem: string | null;
  readonly output: string;
}

const TAIL = 4_000;
const TIMEOUT = 600_000;

/** Runs the project's checks one after the other, because they share its files. */
export const validate: BuiltinHandler = async (args, { signal, onProgress }, host) => {
  const wanted = Array.isArray(args.checks) ? args.checks : host.checks.map(({ name }) => name);
  const known = new Map(host.checks.map((check) => [check.name, check]));
  const names = [...known.keys()].join(", ");
  if (known.size === 0) return fail("No checks are configured for this project. Run its tests with bash instead.");
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length > 0) return fail(`There is no check ${JSON.stringify(unknown[0])}. Checks: ${names}.`);
  const checks = [...known.values()].filter(({ name }) => wanted.includes(name));
  const reports: Report[] = [];
  for (const [index, check] of checks.entries()) {
    onProgress?.({ message: check.name, progress: index, total: checks.length });
    if (signal.aborted) break;
    reports.push(await runCheck(check, host, signal));
  }
  const text = reports.map(describe).join("\n\n");
  const structured = reports.map(({ name, passed, exit }) => ({ name, passed, exitCode: exit?.code ?? null }));
  if (signal.aborted) return fail(`[stopped before all checks were done]\n${text}`, { structured });
  const failed = reports.filter(({ passed }) => !passed);
  const summary = failed.length === 0 ? "All checks pass." : `${failed.length} of ${reports.length} checks fail.`;
  return failed.length === 0
    ? succeed(`${summary}\n\n${text}`, structured)
    : fail(`${summary}\n\n${text}`, { structured });
};

async function runCheck(check: Check, host: Host, signal: AbortSignal): Promise<Report> {
  const output = createOutputBuffer({ head: 0, tail: TAIL });
  const timeout = check.timeout ?? TIMEOUT;
  const expiry = new AbortController();
  const timer = setTimeout(() => expiry.abort(), timeout);
  const expired = (): string | null =>
    expiry.signal.aborted ? `ended after its time-out of ${timeout / 1_000} s` : null;
  const started = performance.now();
  const report = (exit: ProcessExit | null, problem: string | null): Report => ({
    name: check.name,
    passed: exit?.code === 0 && problem === null,
    exit,
    seconds: (performance.now() - started) / 1_000,
    problem,
    output: cleanOutput(output.take(true).text).trimEnd(),
  });
  try {
    const launch = await toShellLaunch(host, check.command, undefined);
    const handle = await spawnProcess({
      ...launch,
      onStdout: output.push,
      onStderr: output.push,
      signal: AbortSignal.any([signal, expiry.signal]),
    });
    const exit = await handle.exited;
    await handle.ended;
    return report(exit, expired());
  } catch (error) {
    if (isToolcribError(error) || error instanceof PathRefusal) return report(null, error.message);
    if (signal.aborted) return report(null, "stopped");
    // The time was up before the process had started.
    if (expiry.signal.aborted) return report(null, expired());
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function describe({ name, passed, exit, seconds, problem, output }: Report): string {
  const how = problem ?? (exit === null ? "" : describeExit(exit));
  const head = `${name}: ${passed ? "passed" : "FAILED"} (${how}, ${seconds.toFixed(1)} s)`;
  return output === "" || passed ? head : `${head}\n${output}`;
}
