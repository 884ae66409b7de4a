import { resolve } from "node:path";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { toFileChange } from "../../runtime/report/file-change.ts";
import { findBuiltin } from "../../sources/builtin/definitions.ts";

/** A call in the protocol's terms. */
export interface CallDescription {
  readonly title: string;
  readonly kind: string;
  readonly rawInput: unknown;
  readonly locations: readonly { readonly path: string }[];
  readonly content: readonly object[];
}

/** The sets of built-in tools that the protocol has a word for. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["read", "read"],
  ["edit", "edit"],
  ["search", "search"],
  ["execute", "execute"],
  ["web", "fetch"],
  ["ExitPlanMode", "switch_mode"],
]);

const LONGEST_TITLE = 200;

/** What an editor shows of a call: its subject, the files it names, and a change of a file as a diff. */
export function describeCall(toolName: string, args: unknown, toolset: Toolset, folder: string): CallDescription {
  const tool = toolset.placements.find(({ entry }) => entry.wireName === toolName)?.entry.tool;
  const sets = tool === undefined ? [] : (findBuiltin(tool)?.sets ?? []);
  const kind = sets.map((set) => KINDS.get(set)).find((known) => known !== undefined) ?? "other";
  const given = isRecord(args) ? args : {};
  const path = typeof given.path === "string" ? resolve(folder, given.path) : null;
  const named = [given.command, given.path].filter((one) => typeof one === "string").join(" ");
  const about = [named || undefined, given.pattern, given.url, given.query].find((one) => typeof one === "string");
  return {
    title: (about === undefined ? toolName : `${toolName} ${about}`).slice(0, LONGEST_TITLE),
    kind,
    rawInput: args,
    locations: path === null ? [] : [{ path }],
    content: path === null || kind !== "edit" ? [] : toDiff(path, given),
  };
}

function toDiff(path: string, args: unknown): readonly object[] {
  const change = toFileChange(args);
  return change === null ? [] : [{ type: "diff", path, oldText: change.before, newText: change.after }];
}
