import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../core/shape/is-record.ts";

type Plain = Readonly<Record<string, unknown>>;

/** The content of a TOML file; null if it cannot be read. */
export async function readTomlFile(text: string): Promise<Plain | null> {
  const { parse } = await import("smol-toml");
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/**
 * The text with the table `[key.name]`, replacing one of the same name; every other byte stays. Null if the text does not
 * allow that: it cannot be read, or writes that table in another form.
 */
export async function withTable(text: string, key: string, name: string, entry: Plain): Promise<string | null> {
  const { stringify } = await import("smol-toml");
  const before = await readTomlFile(text);
  const tables = before?.[key] ?? {};
  if (before === null || !isRecord(tables)) return null;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const table = stringify({ [key]: { [name]: entry } })
    .trim()
    .replaceAll("\n", newline);
  const at = findTable(text, key, name);
  const rest = text === "" || text.endsWith("\n") ? text : text + newline;
  const gap = rest === "" ? "" : newline;
  const after =
    at === null ? `${rest}${gap}${table}${newline}` : text.slice(0, at.start) + table + newline + text.slice(at.end);
  const wanted = { ...before, [key]: { ...tables, [name]: entry } };
  return isDeepStrictEqual(plainToml(await readTomlFile(after)), plainToml(wanted)) ? after : null;
}

/** The text without that table, with the empty line before it. Null if the text does not allow that, as above. */
export async function withoutTable(text: string, key: string, name: string): Promise<string | null> {
  const before = await readTomlFile(text);
  const tables = before?.[key];
  const at = findTable(text, key, name);
  if (before === null || !isRecord(tables) || at === null) return null;
  const head = text.slice(0, at.start).replace(/(^|\n)\r?\n$/, "$1");
  const after = head + text.slice(at.end);
  const { [name]: _, ...others } = tables;
  const { [key]: __, ...rest } = before;
  const wanted = Object.keys(others).length === 0 ? rest : { ...before, [key]: others };
  return isDeepStrictEqual(plainToml(await readTomlFile(after)), plainToml(wanted)) ? after : null;
}

/** From its heading to the next one, without what stands directly above that; its subtables are part of it. */
function findTable(text: string, key: string, name: string): { readonly start: number; readonly end: number } | null {
  const lines = text.split(/(?<=\n)/);
  const own = (line: string): boolean => {
    const heading = /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?$/.exec(line.trimEnd())?.[1];
    const keys = heading?.match(/"[^"]*"|'[^']*'|[\w-]+/g)?.map((part) => part.replace(/^["']|["']$/g, "")) ?? [];
    return keys[0] === key && keys[1] === name;
  };
  const first = lines.findIndex(own);
  if (first === -1) return null;
  const isHeading = (line: string): boolean => /^\s*\[/.test(line);
  const length = lines.slice(first + 1).findIndex((line) => isHeading(line) && !own(line));
  let last = length === -1 ? lines.length : first + 1 + length;
  // Comments and empty lines above the next heading belong to that.
  while (last > first + 1 && /^\s*(?:#.*)?$/.test((lines[last - 1] ?? "").trimEnd())) last -= 1;
  const start = lines.slice(0, first).join("").length;
  return { start, end: start + lines.slice(first, last).join("").length };
}

/** Tables of the reader have no prototype in common with ours. */
export function plainToml(value: unknown): unknown {
  return value === null ? null : JSON.parse(JSON.stringify(value));
}
