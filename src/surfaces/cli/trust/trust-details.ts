import { readAgentFiles } from "../../../config/foreign/agent-files.ts";
import { readForeignLayers } from "../../../config/foreign/read-foreign-layers.ts";
import { findFiles } from "../../../config/layers/find-files.ts";
import { readLayers } from "../../../config/layers/read-layers.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import type { ConfigInput } from "../../../config/load-config.ts";
import { readPlugins } from "../../../config/plugins/plugin-layers.ts";
import { listWritten, type ValueRow } from "../../../config/shape/list-values.ts";
import { showPlain } from "../../../config/shape/show-plain.ts";
import { toShownWord } from "../../../config/trust/found-program.ts";
import type { ShownValue, TrustItem } from "../../../config/trust/trust-items.ts";
import { formatOrigin, type Origin } from "../../../core/codes/origin.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import { listNode, mapNode } from "../../../core/shape/node.ts";

/** What stands under each item, as written and with nothing but secrets masked: command line, address, environment. */
export type TrustDetails = ReadonlyMap<TrustItem, readonly ShownValue[]>;

/** Read from the files themselves, because what is not trusted yet is in no configuration. */
export async function loadDetails(items: readonly TrustItem[], input: ConfigInput): Promise<TrustDetails> {
  const { cwd, home, env, readers = fileReaders } = input;
  const found = await findFiles({ cwd, home, env, named: null, systemPolicy: "" }, readers);
  const layers = await readLayers(found.files, readers);
  const { agents } = await readAgentFiles({ cwd, home, env }, found.folders, readers);
  const foreign = await readForeignLayers(found, { cwd, home, env }, readers);
  const { plugins } = await readPlugins(found, { cwd, home, env }, readers);
  const agentFiles = agents.map(({ node }) => mapNode([["agents", listNode([node], node.origin)]], node.origin));
  const all = [...layers, ...foreign.layers, ...plugins.map(({ layer }) => layer)];
  const rows = [...all.map(({ root }) => root), ...agentFiles].flatMap((written) =>
    listWritten({ written }, showPlain),
  );
  const inFile = (origin: Origin) => rows.filter((row) => fileOf(row.origin) === fileOf(origin));
  const placeOf = ({ path, origin }: TrustItem) => `${path} ${formatOrigin(origin)}`;
  return new Map(
    items.map((item, at) => {
      const earlier = items.slice(0, at).filter((other) => placeOf(other) === placeOf(item)).length;
      return [item, item.runs ?? detailsOf(item, inFile(item.origin), earlier)];
    }),
  );
}

/** Of several list items on one line, it is the one behind `earlier` others. */
function detailsOf(item: TrustItem, rows: readonly ValueRow[], earlier: number): readonly ShownValue[] {
  const under = rows.flatMap((row) => {
    const front = frontOf(row.path, item.path) ?? frontOf(row.path, quotedPath(item));
    return front === null ? [] : [{ ...row, front, rest: row.path.slice(front.length).replace(/^\./, "") }];
  });
  const sameLine = under.filter(({ origin }) => lineOf(origin) === lineOf(item.origin));
  const fronts = [...new Set((sameLine.length === 0 ? under : sameLine).map(({ front }) => front))];
  const mine = under.filter(({ front }) => front === fronts[earlier]);
  const words = ["command", "args["].flatMap((key) => mine.filter(({ rest }) => rest.startsWith(key)));
  const others = mine.filter((row) => !words.includes(row) && (row.rest !== "" || String(row.value) !== item.name));
  return [
    ...(words.length === 0 ? [] : [{ path: "runs", value: words.map(({ value }) => toShownWord(value)).join(" ") }]),
    ...others.flatMap(({ rest, value }) => {
      if (isRecord(value)) return [];
      return [{ path: rest === "" ? "value" : rest, value: Array.isArray(value) ? "[]" : String(value) }];
    }),
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

function fileOf(origin: Origin): string | null {
  return origin.kind === "file" ? origin.file : null;
}

function lineOf(origin: Origin): number | null {
  return origin.kind === "file" ? origin.line : null;
}
