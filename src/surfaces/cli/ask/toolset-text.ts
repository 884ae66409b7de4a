import type { Placement, Standing, Toolset } from "../../../core/toolset/toolset.ts";
import { type PastRequest, toPastOptions } from "../../../runtime/report/stored-world.ts";
import { tenseOf } from "../../../runtime/report/tell-standing.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { STANDINGS } from "../command-line/options.ts";
import type { Io } from "../terminal/io.ts";
import { createStyle } from "../terminal/style.ts";
import { type Column, formatTable } from "../terminal/table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "STANDING" },
  { heading: "TOOL" },
  { heading: "SOURCE", drops: true },
  { heading: "TOKENS", align: "right", drops: true },
  { heading: "REASON", shrinks: true },
];

/** The table that people read, and one line that sums it up. */
export function formatToolset(toolset: Toolset, shown: readonly Placement[], io: Io, past?: PastRequest): string {
  const summary = `${formatSummary(toolset.placements, past)}\n`;
  if (shown.length === 0) return summary;
  const style = createStyle(io);
  const rows = shown.map(toRow);
  const grouped = io.columns === null ? rows : rows.map((row, at) => withoutRepeat(row, rows[at - 1]));
  const [heading = "", ...lines] = formatTable(COLUMNS, grouped, io.columns);
  const painted = lines.map((line, at) => {
    const standing = shown[at]?.standing ?? "visible";
    return style.standing(standing, standing) + line.slice(standing.length);
  });
  const isCut = lines.some((line) => line.endsWith("…"));
  const then = past === undefined ? "" : ` ${toPastOptions(past)}`;
  const advice = isCut ? [`"toolcrib why TOOL${then}" shows the whole reason.`] : [];
  return [style.bold(heading), ...painted, "", ...advice, summary].join("\n");
}

/** On a terminal a reason is said once for all the tools below that have it too. Programs find it on every line. */
function withoutRepeat(row: readonly string[], above: readonly string[] | undefined): readonly string[] {
  const reason = row.at(-1) ?? "";
  const isSame = reason !== "" && above?.at(-1) === reason && above[0] === row[0];
  return isSame ? [...row.slice(0, -1), "same"] : row;
}

function toRow({ entry, standing, trace }: Placement): readonly string[] {
  const [first, ...others] = trace;
  const more = others.length === 0 ? "" : `(+${others.length}) `;
  const reason = first === undefined ? "" : `${more}${first.gate}: ${escapeText(first.reason.text)}`;
  return [standing, escapeText(entry.identity), entry.tool.source, String(entry.tokens), reason];
}

export function formatSummary(placements: readonly Placement[], past?: PastRequest): string {
  const counts = new Map<Standing, number>();
  let tokens = 0;
  for (const { entry, standing } of placements) {
    counts.set(standing, (counts.get(standing) ?? 0) + 1);
    if (standing === "visible") tokens += entry.tokens;
  }
  const parts = STANDINGS.map((standing) => `${counts.get(standing) ?? 0} ${standing}`);
  return `${parts.join(", ")}; about ${groupDigits(tokens)} tokens ${tenseOf(past).sent}`;
}

function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
