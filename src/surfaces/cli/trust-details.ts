import { listValues, type ValueRow } from "../../config/list-values.ts";
import { type ConfigInput, loadConfig } from "../../config/load-config.ts";
import type { TrustItem } from "../../config/trust-items.ts";
import type { Origin } from "../../core/codes/origin.ts";

/** What stands under each item, as written and with secrets masked: command line, address, environment. */
export type TrustDetails = ReadonlyMap<TrustItem, readonly Detail[]>;

interface Detail {
  readonly path: string;
  readonly value: string;
}

/** A file that is named counts whole, so naming each one shows what it says without trusting it. */
export async function loadDetails(items: readonly TrustItem[], input: ConfigInput): Promise<TrustDetails> {
  const files = new Set(items.map(({ origin }) => fileOf(origin)).filter((file) => file !== null));
  const rows = new Map<string, readonly ValueRow[]>();
  for (const file of files) {
    if (!/\.(?:ya?ml|json)$/.test(file)) continue;
    const config = await loadConfig({ ...input, flags: { config: file } });
    rows.set(
      file,
      listValues(config).filter(({ origin }) => fileOf(origin) === file),
    );
  }
  return new Map(items.map((item) => [item, detailsOf(item, rows.get(fileOf(item.origin) ?? "") ?? [])]));
}

function detailsOf(item: TrustItem, rows: readonly ValueRow[]): readonly Detail[] {
  const under = rows.flatMap((row) => {
    const front = frontOf(row.path, item.path) ?? frontOf(row.path, quotedPath(item));
    return front === null ? [] : [{ ...row, front, rest: row.path.slice(front.length).replace(/^\./, "") }];
  });
  const own = under.find(({ origin }) => lineOf(origin) === lineOf(item.origin)) ?? under[0];
  const mine = under.filter(({ front, rest }) => front === own?.front && rest !== "");
  const words = mine.filter(({ rest }) => rest === "command" || rest.startsWith("args["));
  const others = mine.filter((row) => !words.includes(row));
  return [
    ...(words.length === 0 ? [] : [{ path: "runs", value: words.map(({ value }) => toWord(value)).join(" ") }]),
    ...others.map(({ rest, value }) => ({ path: rest, value: String(value) })),
  ];
}

/** The part of a row's path that is the item's: `hooks.preToolUse[2]` for `hooks.preToolUse[]`. */
function frontOf(path: string, pattern: string): string | null {
  const parts = pattern.split("[]").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("\\[\\d+\\]")}(?=$|[.[])`).exec(path)?.[0] ?? null;
}

/** Rows quote a key that has dots or brackets; an odd name must not keep its command line from being shown. */
function quotedPath({ path, name }: TrustItem): string {
  return path.endsWith(`.${name}`) ? path.slice(0, -name.length) + JSON.stringify(name) : path;
}

function toWord(value: unknown): string {
  const text = String(value);
  return /^[\w@%+=:,./*-]+$/.test(text) ? text : JSON.stringify(text);
}

function fileOf(origin: Origin): string | null {
  return origin.kind === "file" ? origin.file : null;
}

function lineOf(origin: Origin): number | null {
  return origin.kind === "file" ? origin.line : null;
}
