import type { Placement, TraceLine } from "../../core/toolset/toolset.ts";
import { type AnsweredQuestion, toListHead, toListTail, toTraceRow } from "./toolset-rows.ts";

/** Rows that become one piece of the text. */
const TOGETHER = 64;

/**
 * `JSON.stringify(toListDocument(answered, shown))`, without the rows: of many tools those would all be there at once,
 * and the collector would move them about. Thousands of tools share their trace, so its text is made once.
 */
export function toListText(answered: AnsweredQuestion, shown: readonly Placement[]): string {
  const traceOf = textsOf((trace: readonly TraceLine[]) => trace.map(toTraceRow));
  const wordOf = textsOf((word: string | null) => word);
  let text = `${JSON.stringify(toListHead(answered)).slice(0, -1)},"tools":[`;
  let parts: string[] = [];
  for (const [at, { entry, standing, trace }] of shown.entries()) {
    const { tool } = entry;
    parts.push(at === 0 ? '{"name":' : ',{"name":', JSON.stringify(entry.wireName), ',"id":', JSON.stringify(entry.id));
    parts.push(',"source":', wordOf(tool.source), ',"server":', wordOf(tool.server), ',"standing":', wordOf(standing));
    parts.push(',"tokens":', String(entry.tokens), ',"trace":', traceOf(trace), "}");
    if ((at + 1) % TOGETHER > 0) continue;
    text += parts.join("");
    parts = [];
  }
  return `${text}${parts.join("")}],${JSON.stringify(toListTail(answered)).slice(1)}`;
}

/** JSON of what comes again and again. */
function textsOf<T>(toRow: (value: T) => unknown): (value: T) => string {
  const known = new Map<T, string>();
  return (value) => {
    const earlier = known.get(value);
    if (earlier !== undefined) return earlier;
    const text = JSON.stringify(toRow(value));
    known.set(value, text);
    return text;
  };
}
