/**
 * The line of an error stream that best explains why its program ended: the last one, unless that only closes a crash
 * report, such as a stack, Node's version or npm's pointer to a log file. Null if there is none.
 */
export function tellingLine(stderr: string | null): string | null {
  const lines = (stderr ?? "").split("\n").filter((line) => line.trim() !== "");
  const cause = CAUSES.map((find) => find(lines)).find((found) => found !== undefined) ?? lines.at(-1);
  if (cause === undefined) return null;
  const told = cause.trim();
  return told.length > MOST ? `${told.slice(0, MOST)}…` : told;
}

const MOST = 200;

type FindCause = (lines: readonly string[]) => string | undefined;

/** How programs that start servers, and languages that they are written in, report what went wrong. */
const CAUSES: readonly FindCause[] = [npmCause, nodeCause, uvCause, goCause, closedCause];

/** npm prints a code, the cause, then advice, and last where its log is or how to see more of it. */
function npmCause(lines: readonly string[]): string | undefined {
  if (!NPM.test(lines.at(-1) ?? "")) return undefined;
  return lines.find((line) => NPM.test(line) && !/^npm (?:error|ERR!) (?:code|syscall|errno|path) /.test(line));
}

const NPM = /^npm (?:error|ERR!) /;

/** Node prints the position, the error, its stack and properties, and last its version; so does Bun. */
function nodeCause(lines: readonly string[]): string | undefined {
  if (!/^(?:Node\.js|Bun) v\d/.test(lines.at(-1) ?? "")) return undefined;
  const report = lines.slice(0, -1);
  return (
    report.findLast((line) => /^(?:Uncaught )?(?:[\w$.]*(?:Error|Exception)\b|error: )/.test(line)) ?? report.at(-1)
  );
}

/** uv breaks the cause into lines behind a mark. */
function uvCause(lines: readonly string[]): string | undefined {
  const at = lines.findLastIndex((line) => line.trimStart().startsWith("╰─▶"));
  if (at === -1) return undefined;
  const [first = "", ...more] = lines.slice(at);
  const rest = more.filter((line) => /^\s/.test(line));
  return [first.replace("╰─▶", ""), ...rest].map((line) => line.trim()).join(" ");
}

/** Go prints the cause, then what each goroutine was doing. */
function goCause(lines: readonly string[]): string | undefined {
  if (!lines.some((line) => /^goroutine \d+ \[/.test(line))) return undefined;
  return lines.findLast((line) => /^(?:panic|fatal error): /.test(line));
}

/** The line before a stack, and before advice on how to see more. */
function closedCause(lines: readonly string[]): string | undefined {
  const own = lines.slice(0, lines.findLastIndex((line) => !ADVICE.test(line)) + 1);
  if (!FRAME.test(own.at(-1) ?? "")) return own.at(-1);
  return own.findLast((line) => !/^\s/.test(line));
}

const ADVICE = /^(?:note: run with `RUST_BACKTRACE|(?:See|Run) '[^']*--help'|exit status \d+$)/;
const FRAME = /^\s+(?:at |from |\.\.\. \d+ (?:more|common))/;
