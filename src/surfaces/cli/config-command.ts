import { listValues, type ValueRow } from "../../config/list-values.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { toNoticeRow } from "../../runtime/report/toolset-rows.ts";
import type { CommandInput } from "./command.ts";
import { escapeText, toJson } from "./escape-text.ts";
import { loadAsked } from "./load-asked.ts";
import { createStyle } from "./style.ts";
import { type Column, formatTable } from "./table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "PATH", shrinks: true },
  { heading: "VALUE", shrinks: true },
  { heading: "ORIGIN", shrinks: true, keeps: "end" },
];

/** `toolcrib config`: the effective configuration, every value with its origin; secrets never leave `listValues`. */
export async function runConfig(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const config = await loadAsked(input);
  const rows = listValues(config);
  if (args.has("json")) {
    const files = config.files.map(({ layer, file }) => ({ layer, file }));
    const values = rows.map(({ path, value, origin }) => ({ path, value, origin: formatOrigin(origin) }));
    io.out(toJson({ files, values, notices: config.notices.map(toNoticeRow) }, io.isTTY));
    return 0;
  }
  const [heading = "", ...lines] = formatTable(COLUMNS, rows.map(toCells), io.columns);
  io.out([createStyle(io).bold(heading), ...lines, "", formatFiles(config.files), ""].join("\n"));
  log.notices(config.notices);
  return 0;
}

function toCells({ path, value, origin }: ValueRow): readonly string[] {
  const shown = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
  return [path, shown, formatOrigin(origin)].map(escapeText);
}

function formatFiles(files: readonly { readonly layer: string; readonly file: string }[]): string {
  if (files.length === 0) return "no configuration file found; all values are defaults or flags";
  return `read, highest first: ${files.map(({ layer, file }) => `${escapeText(file)} (${layer})`).join(", ")}`;
}
