import { formatOrigin } from "../../../core/codes/origin.ts";
import type { ToolChange } from "../../../core/toolset/diff-toolsets.ts";
import type { Standing, Toolset, TraceLine } from "../../../core/toolset/toolset.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import type { Io } from "../terminal/io.ts";
import { countText, formatNames, groupBy } from "../terminal/name-list.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import { wrapText } from "../terminal/text-width.ts";

const RANK = { hidden: 0, deferred: 1, visible: 2 } as const satisfies Record<Standing, number>;
type Direction = "more" | "less" | "same";
const MARK = { more: "+", less: "-", same: "~" } as const satisfies Record<Direction, string>;

/** Tools that change alike come together: their two standings, and under that the gates that made the difference. */
export function formatChanges(changes: readonly ToolChange[], after: Toolset, io: Io): string {
  if (changes.length === 0) return `no difference: ${after.placements.length} tools, all with the same standing\n`;
  const width = Math.max(40, io.columns ?? 80);
  const style = createStyle(io);
  const groups = groupBy(changes, changeKey);
  return [...groups.flatMap((group) => formatGroup(group, width, style)), "", formatSum(changes), ""].join("\n");
}

function changeKey(change: ToolChange): string {
  return JSON.stringify([change.before, change.after, change.redefined, ...notesOn(change)]);
}

function formatGroup(group: readonly [ToolChange, ...ToolChange[]], width: number, style: Style): readonly string[] {
  const [first, ...others] = group;
  const { identity, before, after, redefined } = first;
  const standings =
    before === after ? `still ${shown(after, style)}` : `${shown(before, style)} -> ${shown(after, style)}`;
  const isOne = others.length === 0;
  const who = isOne ? escapeText(identity) : `${group.length} tools`;
  const what = isOne ? ", its definition changed" : ", their definitions changed";
  const names = group.map((change) => change.identity);
  return [
    `${MARK[directionOf(first)]} ${who}: ${standings}${redefined ? what : ""}`,
    ...(isOne ? [] : formatNames(names, width, 4)),
    ...notesOn(first)
      .map((note) => (isOne ? note : note.replace(/^(\S+ (?:now|no longer) \S+) it:/, "$1 them:")))
      .flatMap((note) => wrapText(escapeText(note), width - 4))
      .map((line) => `    ${line}`),
  ];
}

/** Where the standing stays, the gates are enough; where it moves, each reason and where it comes from. */
function notesOn({ before, after, gained, lost }: ToolChange): readonly string[] {
  const gates = (lines: readonly TraceLine[]): string => [...new Set(lines.map(({ gate }) => gate))].join(", ");
  if (before === after) {
    return [
      ...(gained.length === 0 ? [] : [`now also by ${gates(gained)}`]),
      ...(lost.length === 0 ? [] : [`no longer by ${gates(lost)}`]),
    ];
  }
  const tell = (how: string) => (line: TraceLine) =>
    `${line.gate} ${how} ${line.verdict}s it: ${line.reason.text} (${formatOrigin(line.reason.origin)})`;
  return [...gained.map(tell("now")), ...lost.map(tell("no longer"))];
}

/** Nobody sees a hidden tool, so it makes no difference whether there is one. */
function directionOf({ before, after }: ToolChange): Direction {
  const [then, now] = [RANK[before ?? "hidden"], RANK[after ?? "hidden"]];
  if (then === now) return "same";
  return now > then ? "more" : "less";
}

function shown(standing: Standing | null, style: Style): string {
  return standing === null ? "absent" : style.standing(standing, standing);
}

function formatSum(changes: readonly ToolChange[]): string {
  const count = (wanted: Direction): number => changes.filter((change) => directionOf(change) === wanted).length;
  const parts = [`${count("more")} seen more (+)`, `${count("less")} seen less (-)`, `${count("same")} otherwise (~)`];
  return `${countText(changes.length, "tool differs", "tools differ")}: ${parts.join(", ")}`;
}
