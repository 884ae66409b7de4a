/** One line of a comparison: in both, only before, or only now. */
export interface LineChange {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

const CONTEXT = 3;
/** Above this the middle is shown as replaced, so that a large definition does not take long. */
const MAX_CELLS = 1_000_000;

/** The differences between two texts, with a few lines of context; empty if they are equal. */
export function toLineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  let front = 0;
  while (front < before.length && front < after.length && before[front] === after[front]) front++;
  let back = 0;
  while (back < before.length - front && back < after.length - front && before.at(-1 - back) === after.at(-1 - back))
    back++;
  const old = before.slice(front, before.length - back);
  const now = after.slice(front, after.length - back);
  if (old.length === 0 && now.length === 0) return [];
  const same = (lines: readonly string[]): readonly LineChange[] => lines.map((text) => ({ mark: " ", text }));
  return withoutDistant([
    ...same(after.slice(0, front)),
    ...compare(old, now),
    ...same(after.slice(after.length - back)),
  ]);
}

function compare(old: readonly string[], now: readonly string[]): readonly LineChange[] {
  const removed = (text: string): LineChange => ({ mark: "-", text });
  const added = (text: string): LineChange => ({ mark: "+", text });
  if (old.length * now.length > MAX_CELLS) return [...old.map(removed), ...now.map(added)];
  const width = now.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      longest[i * width + j] =
        old[i] === now[j]
          ? 1 + (longest[(i + 1) * width + j + 1] ?? 0)
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
  const lines: LineChange[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [was, is] = [old[i], now[j]];
    if (was !== undefined && was === is) {
      lines.push({ mark: " ", text: was });
      i++;
      j++;
    } else if (
      was !== undefined &&
      (is === undefined || (longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0))
    ) {
      lines.push(removed(was));
      i++;
    } else {
      lines.push(added(is ?? ""));
      j++;
    }
  }
  return lines;
}

/** Only lines near a change, with `…` for the rest. */
function withoutDistant(lines: readonly LineChange[]): readonly LineChange[] {
  const near = new Set<number>();
  lines.forEach(({ mark }, at) => {
    if (mark !== " ") for (let around = at - CONTEXT; around <= at + CONTEXT; around++) near.add(around);
  });
  return lines.flatMap((line, at): readonly LineChange[] => {
    if (near.has(at)) return [line];
    return at === 0 || near.has(at - 1) ? [{ mark: " ", text: "…" }] : [];
  });
}
