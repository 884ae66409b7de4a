import type { ChangedStanding, ReasonView, ShownStanding, ToolsetView, ToolView } from "../../http/api/api.ts";

export interface GroupRow {
  readonly kind: "group";
  readonly key: string;
  readonly source: string;
  readonly server: string | null;
  readonly tools: number;
  readonly standings: Readonly<Record<ShownStanding, number>>;
  readonly tokens: number;
  readonly changes: number;
  /** How many of its tools each gate holds back. */
  readonly held: ReadonlyMap<string, number>;
  readonly isOpen: boolean;
}

export interface ToolRow {
  readonly kind: "tool";
  readonly tool: ToolView;
  /** Its standing without the what-if; null if it does not exist then, absent if nothing is compared. */
  readonly before?: ToolView | null;
  readonly change: ChangedStanding | null;
}

export type GridRow = GroupRow | ToolRow;

export const ORDERS = ["payload", "name", "tokens"] as const;
export type Order = (typeof ORDERS)[number];

export interface RowOptions {
  readonly filter: string;
  readonly standings: ReadonlySet<ShownStanding>;
  readonly onlyChanges: boolean;
  readonly order: Order;
  /**
   * Groups that people opened or closed themselves; others are open while the list is short, or while a filter is set.
   */
  readonly toggled: ReadonlyMap<string, boolean>;
}

/** Above this many tools groups start closed, so that the list can be scanned. */
const OPEN_UP_TO = 400;

/** The rows to show, in order: a row for each group, then its tools when it is open. */
export function buildRows(
  toolset: ToolsetView,
  base: ToolsetView | null,
  changes: readonly ChangedStanding[],
  options: RowOptions,
): readonly GridRow[] {
  const changed = new Map(changes.map((change) => [change.name, change]));
  const earlier = base === null ? null : new Map(base.tools.map((tool) => [tool.name, tool]));
  const words = options.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ToolView[]>();
  let count = 0;
  for (const tool of toolset.tools) {
    if (!options.standings.has(tool.standing) || !matches(tool, words)) continue;
    if (options.onlyChanges && !changed.has(tool.name)) continue;
    const key = toGroupKey(tool);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [tool]);
    else group.push(tool);
    count += 1;
  }
  const isSearched = words.length > 0 || options.onlyChanges || !options.standings.has("visible");
  return [...groups].flatMap(([key, tools]): readonly GridRow[] => {
    const isOpen = options.toggled.get(key) ?? (count <= OPEN_UP_TO && (isSearched || !isSwitchedOff(tools)));
    const group = toGroupRow(key, tools, changed, isOpen);
    if (!isOpen) return [group];
    const rows = inOrder(tools, options.order).map((tool): ToolRow => {
      const change = changed.get(tool.name) ?? null;
      if (earlier === null) return { kind: "tool", tool, change };
      return { kind: "tool", tool, change, before: earlier.get(tool.name) ?? null };
    });
    return [group, ...rows];
  });
}

/** Built-in tools that nobody asked for come after the tools of one's own servers. */
function isSwitchedOff(tools: readonly ToolView[]): boolean {
  return tools.every(({ source, standing }) => source === "builtin" && standing === "hidden");
}

/** One gate's verdict about a tool: the strictest of its lines. Null if it was not asked. */
export function verdictOf(tool: ToolView, gate: string): ReasonView | null {
  let found: ReasonView | null = null;
  for (const line of tool.trace) {
    if (line.gate !== gate) continue;
    if (found === null || STRICTNESS[line.verdict] > STRICTNESS[found.verdict]) found = line;
  }
  return found;
}

/** The gates that hold back any of these tools, or did before the what-if; in order. */
export function decidingGates(now: ToolsetView | null, before: ToolsetView | null): readonly string[] {
  const tools = [now, before].flatMap((toolset) => toolset?.tools ?? []);
  const lines = tools.flatMap(({ trace }) => trace.filter(({ verdict }) => verdict !== "pass"));
  const deciding = new Set(lines.map(({ gate }) => gate));
  return now?.gates.filter((gate) => deciding.has(gate)) ?? [];
}

/** The first reason against a tool. */
export function firstReason(tool: ToolView): ReasonView | null {
  const stopping = tool.standing === "hidden" ? "hide" : "defer";
  return tool.trace.find(({ verdict }) => verdict === stopping) ?? null;
}

const STRICTNESS = { pass: 0, defer: 1, hide: 2 } as const;

function toGroupKey({ source, server }: ToolView): string {
  return server === null ? source : `${source}/${server}`;
}

function toGroupRow(
  key: string,
  tools: readonly ToolView[],
  changed: ReadonlyMap<string, ChangedStanding>,
  isOpen: boolean,
): GroupRow {
  const standings = { visible: 0, deferred: 0, hidden: 0 };
  for (const { standing } of tools) standings[standing] += 1;
  const [first] = tools;
  return {
    kind: "group",
    key,
    source: first?.source ?? "",
    server: first?.server ?? null,
    tools: tools.length,
    standings,
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    changes: tools.reduce((sum, { name }) => sum + (changed.has(name) ? 1 : 0), 0),
    held: countHeld(tools),
    isOpen,
  };
}

function countHeld(tools: readonly ToolView[]): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  for (const { trace } of tools) {
    const gates = new Set(trace.filter(({ verdict }) => verdict !== "pass").map(({ gate }) => gate));
    for (const gate of gates) held.set(gate, (held.get(gate) ?? 0) + 1);
  }
  return held;
}

function matches({ name, id, title, description, server, source }: ToolView, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [name, id, title ?? "", server ?? "", source, description].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function inOrder(tools: readonly ToolView[], order: Order): readonly ToolView[] {
  switch (order) {
    case "payload":
      return tools;
    case "name":
      return tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    case "tokens":
      return tools.toSorted((a, b) => b.tokens - a.tokens);
  }
}
