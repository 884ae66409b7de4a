import type { Placement, Standing, Toolset, TraceLine } from "./toolset.ts";

/** One changed tool. */
export interface ToolChange {
  readonly identity: string;
  readonly wireName: string;
  readonly source: string;
  /** Null if the tool did not exist. */
  readonly before: Standing | null;
  /** Null if the tool is gone. */
  readonly after: Standing | null;
  /** Its definition changed, regardless of its standing. */
  readonly redefined: boolean;
  /** New lines: why it is less visible. */
  readonly gained: readonly TraceLine[];
  /** Removed lines: why it is more visible. */
  readonly lost: readonly TraceLine[];
}

/** The changes between two toolsets and the gates that cause them; in the order of the second, removed tools last. */
export function diffToolsets(before: Toolset, after: Toolset): readonly ToolChange[] {
  const earlier = byKey(before.placements);
  const later = byKey(after.placements);
  const changes: ToolChange[] = [];
  for (const [key, placement] of later) {
    const change = compare(earlier.get(key) ?? null, placement);
    if (change !== null) changes.push(change);
  }
  for (const [key, placement] of earlier) {
    const change = later.has(key) ? null : compare(placement, null);
    if (change !== null) changes.push(change);
  }
  return changes;
}

/** A source may list one tool twice; each copy is compared with its own counterpart. */
function byKey(placements: readonly Placement[]): ReadonlyMap<string, Placement> {
  const keyed = new Map<string, Placement>();
  const copies = new Map<string, number>();
  for (const placement of placements) {
    const key = JSON.stringify([placement.entry.tool.source, placement.entry.identity]);
    const copy = copies.get(key) ?? 0;
    copies.set(key, copy + 1);
    keyed.set(copy === 0 ? key : `${key}#${copy}`, placement);
  }
  return keyed;
}

function compare(before: Placement | null, after: Placement | null): ToolChange | null {
  const shown = after ?? before;
  if (shown === null) return null;
  const redefined = before !== null && after !== null && before.entry.signature !== after.entry.signature;
  const gained = linesWithout(after, before);
  const lost = linesWithout(before, after);
  if (before?.standing === after?.standing && !redefined && gained.length === 0 && lost.length === 0) return null;
  const { identity, wireName, tool } = shown.entry;
  return {
    identity,
    wireName,
    source: tool.source,
    before: before?.standing ?? null,
    after: after?.standing ?? null,
    redefined,
    gained,
    lost,
  };
}

function linesWithout(placement: Placement | null, other: Placement | null): readonly TraceLine[] {
  const known = new Set(other?.trace.map(({ gate, reason }) => `${gate} ${reason.code}`));
  return placement?.trace.filter(({ gate, reason }) => !known.has(`${gate} ${reason.code}`)) ?? [];
}
