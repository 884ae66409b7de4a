import type { SessionEvent } from "../../../core/events/envelope.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { revealText } from "../../../system/text/reveal-text.ts";
import type { UsageRow, UsageView } from "../api/api.ts";

/** The calls since the start, and their outcomes. */
export interface Usage {
  record(event: SessionEvent): void;
  view(toolset: Pick<Toolset, "placements">): UsageView;
}

interface Tally {
  calls: number;
  errors: number;
  refused: number;
  /** Characters of results. */
  characters: number;
  /** A ring of the newest durations in milliseconds: enough for percentiles, and never more. */
  readonly durations: number[];
}

/** Names come from servers, so there may be any number; the rest is counted together. */
const MOST_TOOLS = 1_000;
const MOST_DURATIONS = 200;
const CHARACTERS_PER_TOKEN = 4;
const REST = "(other tools)";
const REFUSALS: ReadonlySet<string> = new Set(["denied", "rejected"]);

export function createUsage(now: () => number = Date.now): Usage {
  const since = now();
  const tools = new Map<string, Tally>();
  const tallyOf = (name: string): Tally => {
    const key = tools.has(name) || tools.size < MOST_TOOLS ? name : REST;
    const known = tools.get(key) ?? { calls: 0, errors: 0, refused: 0, characters: 0, durations: [] };
    tools.set(key, known);
    return known;
  };
  return {
    record(event) {
      if (event.type !== "tool.execution_complete") return;
      const { toolName, resultType, success, duration, content } = event.data;
      const tally = tallyOf(toolName);
      tally.durations[tally.calls % MOST_DURATIONS] = duration;
      tally.calls += 1;
      tally.characters += content.length;
      if (REFUSALS.has(resultType)) tally.refused += 1;
      else if (!success) tally.errors += 1;
    },
    view({ placements }) {
      const servers = new Map(placements.map(({ entry }) => [entry.wireName, entry.tool.server ?? entry.tool.source]));
      const ids = new Map(placements.map(({ entry }) => [entry.wireName, entry.identity]));
      const byServer = new Map<string, Tally[]>();
      for (const [name, tally] of tools) {
        const server = servers.get(name) ?? "(gone)";
        byServer.set(server, [...(byServer.get(server) ?? []), tally]);
      }
      return {
        since,
        total: toRow("", [...tools.values()]),
        servers: busiestFirst([...byServer].map(([name, tallies]) => toRow(name, tallies))),
        tools: busiestFirst([...tools].map(([name, tally]) => toRow(ids.get(name) ?? name, [tally]))),
      };
    },
  };
}

function toRow(name: string, tallies: readonly Tally[]): UsageRow {
  const sum = (field: "calls" | "errors" | "refused" | "characters"): number =>
    tallies.reduce((total, tally) => total + tally[field], 0);
  const durations = tallies.flatMap((tally) => tally.durations).sort((a, b) => a - b);
  const at = (share: number): number | null => durations[Math.max(0, Math.ceil(durations.length * share) - 1)] ?? null;
  return {
    name: revealText(name),
    calls: sum("calls"),
    errors: sum("errors"),
    refused: sum("refused"),
    p50: at(0.5),
    p95: at(0.95),
    tokens: Math.round(sum("characters") / CHARACTERS_PER_TOKEN),
  };
}

function busiestFirst(rows: readonly UsageRow[]): readonly UsageRow[] {
  return [...rows].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1));
}
