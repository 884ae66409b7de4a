/**
 * The line of an error stream that best explains why its program ended: the last one, unless that only closes a crash
 * report, like Node's version or npm's pointer to a log file. Null if there is none.
 */
export function tellingLine(stderr: string | null): string | null {
  const lines = (stderr ?? "").split("\n").filter((line) => line.trim() !== "");
  const line = npmCause(lines) ?? nodeCause(lines) ?? lines.at(-1);
  if (line === undefined) return null;
  const told = line.trim();
  return told.length > MOST ? `${told.slice(0, MOST)}…` : told;
}

const MOST = 200;

/** npm prints a code, the cause, then advice, and last where its log is. */
function npmCause(lines: readonly string[]): string | undefined {
  if (!/^npm (?:error|ERR!) A complete log of this run/.test(lines.at(-1) ?? "")) return undefined;
  return lines.find((line) => /^npm (?:error|ERR!) (?!code |syscall |errno |path )/.test(line));
}

/** Node prints the position, the error, its stack and properties, and last its version. */
function nodeCause(lines: readonly string[]): string | undefined {
  if (!/^Node\.js v\d/.test(lines.at(-1) ?? "")) return undefined;
  const report = lines.slice(0, -1);
  return report.findLast((line) => /^(?:Uncaught )?[\w$.]*(?:Error|Exception)\b/.test(line)) ?? report.at(-1);
}
