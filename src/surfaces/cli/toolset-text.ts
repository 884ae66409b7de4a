import type { Placement, Standing, Toolset } from "../../core/toolset/toolset.ts";
import { escapeText } from "./escape-text.ts";
import type { Io } from "./io.ts";
import { STANDINGS } from "./options.ts";
import { createStyle } from "./style.ts";
import { fitText, widthOf } from "./text-width.ts";

const HEADINGS = { standing: "STANDING", tool: "TOOL", source: "SOURCE", tokens: "TOKENS", reason: "REASON" } as const;
type Row = Readonly<Record<keyof typeof HEADINGS, string>>;

const DEFAULT_WIDTH = 80;
const LEAST_REASON = 16;

/** The table that people read, and one line that sums it up. */
export function formatToolset(toolset: Toolset, shown: readonly Placement[], io: Io): string {
  return `${shown.length === 0 ? "" : formatTable(shown, io)}${formatSummary(toolset.placements)}\n`;
}

function formatTable(shown: readonly Placement[], io: Io): string {
  const rows = shown.map(toRow);
  const { tool, source, tokens, reason } = columnWidths(rows, io.columns ?? DEFAULT_WIDTH);
  const style = createStyle(io);
  const format = (row: Row, standing: string): string =>
    [
      standing,
      fitText(row.tool, tool),
      fitText(row.source, source),
      fitText(row.tokens, tokens, "right"),
      fitText(row.reason, reason).trimEnd(),
    ]
      .join("  ")
      .trimEnd();
  const lines = rows.map((row, at) => {
    const standing = shown[at]?.standing ?? "visible";
    return format(row, style.standing(standing, fitText(row.standing, HEADINGS.standing.length)));
  });
  return [style.bold(format(HEADINGS, HEADINGS.standing)), ...lines, "", ""].join("\n");
}

function toRow({ entry, standing, trace }: Placement): Row {
  const [first, ...others] = trace;
  const more = others.length === 0 ? "" : ` (+${others.length} more)`;
  return {
    standing,
    tool: escapeText(entry.identity),
    source: entry.tool.source,
    tokens: String(entry.tokens),
    reason: first === undefined ? "" : `${first.gate}: ${escapeText(first.reason.text)}${more}`,
  };
}

/** Narrow columns keep their width; tool and reason share the rest, and the longer of the two gives way. */
function columnWidths(rows: readonly Row[], columns: number): Readonly<Record<Exclude<keyof Row, "standing">, number>> {
  const widest = (key: keyof Row): number =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[key])), HEADINGS[key].length);
  const [source, tokens] = [widest("source"), widest("tokens")];
  const fixed = HEADINGS.standing.length + source + tokens + 8;
  const rest = Math.max(HEADINGS.tool.length + 2, columns - fixed);
  const reason = Math.min(widest("reason"), Math.max(LEAST_REASON, Math.floor(rest / 2)));
  const tool = Math.max(HEADINGS.tool.length, Math.min(widest("tool"), rest - reason));
  return { tool, source, tokens, reason: Math.max(0, rest - tool) };
}

function formatSummary(placements: readonly Placement[]): string {
  const counts = new Map<Standing, number>();
  let tokens = 0;
  for (const { entry, standing } of placements) {
    counts.set(standing, (counts.get(standing) ?? 0) + 1);
    if (standing === "visible") tokens += entry.tokens;
  }
  const parts = STANDINGS.map((standing) => `${counts.get(standing) ?? 0} ${standing}`);
  return `${parts.join(", ")}; about ${groupDigits(tokens)} tokens sent now`;
}

export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
