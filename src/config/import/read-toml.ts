import type { Origin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type ConfigNode, listNode, mapNode, scalarNode } from "../../core/shape/node.ts";

/** TOML as configuration; each table has the line of its heading. Throws `config.syntax` with file and line. */
export async function readToml(text: string, file: string): Promise<ConfigNode> {
  const { parse, TomlError } = await import("smol-toml");
  const lines = findHeadings(text);
  const at = (line: number | null): Origin => ({ kind: "file", file, line });
  try {
    return toNode(parse(text), [], null);
  } catch (error) {
    const line = error instanceof TomlError ? error.line : null;
    const why = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    const place = line === null ? file : `${file}:${line}`;
    throw new ToolcribError("config.syntax", `${place}: ${why}`, { origin: at(line) });
  }

  function toNode(value: unknown, path: readonly string[], above: number | null, place = 0): ConfigNode {
    const found = lines.get(path.join("\0"));
    const line = found?.[place] ?? found?.[0] ?? above;
    if (Array.isArray(value))
      return listNode(
        value.map((item, index) => toNode(item, path, line, index)),
        at(line),
      );
    if (typeof value === "object" && value !== null && !(value instanceof Date))
      return mapNode(
        Object.entries(value).map(([key, member]) => [key, toNode(member, [...path, key], line)]),
        at(line),
      );
    const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return scalarNode(isScalar ? value : value === null ? null : String(value), at(line));
  }
}

const KEY = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)/g;

/** The line of each `[a.b]`, by its keys; of each `[[a.b]]` one after the other. A false match inside a long text does no harm: it only shifts a line. */
function findHeadings(text: string): ReadonlyMap<string, readonly number[]> {
  const lines = new Map<string, number[]>();
  text.split("\n").forEach((line, at) => {
    const heading = /^\s*\[{1,2}([^\]]+)\]{1,2}\s*(?:#.*)?$/.exec(line.trimEnd())?.[1];
    if (heading === undefined) return;
    const keys = [...heading.matchAll(KEY)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
    const path = keys.join("\0");
    lines.set(path, [...(lines.get(path) ?? []), at + 1]);
  });
  return lines;
}
