import type { Config } from "../../../config/config.ts";
import { type FoundValues, findValues } from "../../../config/shape/find-values.ts";
import { listValues, type ValueRow } from "../../../config/shape/list-values.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { toNoticeRow } from "../../../runtime/report/toolset-rows.ts";
import { escapeText, toJson } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { createStyle } from "../terminal/style.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { loadAsked } from "./load-asked.ts";

const COLUMNS: readonly Column[] = [
  { heading: "PATH", shrinks: true },
  { heading: "VALUE", shrinks: true },
  { heading: "ORIGIN", shrinks: true, keeps: "end" },
];

/** `toolcrib config [KEY]`: effective values, each with its origin; secrets never leave `listValues`. */
export async function runConfig(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const config = await loadAsked(input);
  const [key] = args.operands;
  const all = listValues(config);
  const found = key === undefined ? ({ kind: "set", rows: all } as const) : valuesOf(all, key);
  const rows = found.kind === "set" ? found.rows : [];
  if (args.has("json")) {
    const files = config.files.map(({ layer, file }) => ({ layer, file }));
    const values = rows.map(({ path, value, origin }) => ({ path, value, origin: formatOrigin(origin) }));
    io.out(toJson({ files, values, notices: config.notices.map(toNoticeRow) }, io.isTTY));
    return rows.length === 0 ? 1 : 0;
  }
  const [only, ...others] = rows;
  if (only === undefined) {
    const about = found.kind === "unset" && found.about !== null ? `: ${found.about}` : "";
    io.err(`toolcrib: ${escapeText(`${key} is not set${about}`)}\n`);
    return 1;
  }
  if (key !== undefined && others.length === 0 && !only.path.endsWith("]")) {
    const [, value, origin] = toCells(only);
    io.out(`${value}  ${createStyle(io).dim(`(${origin})`)}\n`);
    return 0;
  }
  const [heading = "", ...lines] = formatTable(COLUMNS, rows.map(toCells), io.columns);
  const sum = key === undefined ? ["", formatFiles(config)] : [];
  io.out([createStyle(io).bold(heading), ...lines, ...sum, ""].join("\n"));
  log.notices(config.notices);
  return 0;
}

function valuesOf(rows: readonly ValueRow[], key: string): Exclude<FoundValues, { readonly kind: "unknown" }> {
  const found = findValues(rows, key);
  if (found.kind !== "unknown") return found;
  const { nearest } = found;
  const advice =
    nearest.length === 0
      ? '"toolcrib config" shows them all'
      : `did you mean ${nearest.map((one) => JSON.stringify(one)).join(" or ")}?`;
  throw usage(`there is no setting ${JSON.stringify(key)}; ${advice}`, nearest);
}

function toCells({ path, value, origin }: ValueRow): readonly string[] {
  const shown = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
  return [path, shown, formatOrigin(origin)].map(escapeText);
}

function formatFiles({ files, servers }: Pick<Config, "files" | "servers">): string {
  const besides = servers.size > 0 ? "servers of other products, " : "";
  if (files.length === 0) return `no configuration file found; all values are ${besides}defaults or flags`;
  return `read, highest first: ${files.map(({ layer, file }) => `${escapeText(file)} (${layer})`).join(", ")}`;
}
