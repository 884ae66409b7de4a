const CONTEXT = 2;

/** What changes between two texts that differ in one place: lines with `+` and `-`, and a few around them. */
export function formatLineDiff(before: string, after: string): string {
  const [old, now] = [toLines(before), toLines(after)];
  let front = 0;
  while (front < old.length && front < now.length && old[front] === now[front]) front++;
  let back = 0;
  while (back < old.length - front && back < now.length - front && old.at(-1 - back) === now.at(-1 - back)) back++;
  const around = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  return [
    ...around(now.slice(Math.max(0, front - CONTEXT), front)),
    ...old.slice(front, old.length - back).map((line) => `- ${line}`),
    ...now.slice(front, now.length - back).map((line) => `+ ${line}`),
    ...around(now.slice(now.length - back).slice(0, CONTEXT)),
  ]
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function toLines(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
