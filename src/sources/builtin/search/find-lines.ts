import type { GrepQuery } from "./grep-query.ts";
import type { Pace } from "./pace.ts";

/** The lines of a file, without their endings. */
export function splitLines(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The numbers, from 0, of the first `most` matching lines, in order. */
export async function findLines(text: string, query: GrepQuery, most: number, pace: Pace): Promise<readonly number[]> {
  await pace.step();
  return query.multiline ? findSpans(text, query, most, pace) : findSingleLines(text, query, most, pace);
}

async function findSingleLines(text: string, { pattern, regex }: GrepQuery, most: number, pace: Pace) {
  // One test of the whole text is much cheaper than one per line, but it sees only one start and one end.
  if (!/\\[Az]/u.test(pattern) && !regex.test(text)) return [];
  const found: number[] = [];
  for (const [number, line] of splitLines(text).entries()) {
    if (number % 64 === 0) await pace.step();
    if (!regex.test(line)) continue;
    found.push(number);
    if (found.length >= most) break;
  }
  return found;
}

async function findSpans(text: string, { regex }: GrepQuery, most: number, pace: Pace) {
  const found: number[] = [];
  const starts = lineStarts(text);
  const matcher = regex.matcher(text);
  let line = 0;
  while (found.length < most && matcher.find()) {
    await pace.step();
    const start = Math.max(0, matcher.start());
    const last = Math.max(start, matcher.end() - 1);
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= start) line += 1;
    for (; (starts[line] ?? Number.POSITIVE_INFINITY) <= last; line += 1) {
      if (found.at(-1) !== line) found.push(line);
      if (found.length >= most || (starts[line + 1] ?? Number.POSITIVE_INFINITY) > last) break;
    }
  }
  return found;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1 && at + 1 < text.length; at = text.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return text === "" ? [] : starts;
}
