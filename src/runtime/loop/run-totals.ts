import type { SessionEvents } from "../../core/events/event-types.ts";
import type { TokenUsage } from "../models/model.ts";
import { costOf, type Price } from "../models/prices.ts";

/** What a run has used so far. */
export interface RunTotals extends TokenUsage {
  readonly turns: number;
  /** US dollars; null if the price of the model is unknown. */
  readonly cost: number | null;
}

export const NOTHING_USED: RunTotals = { turns: 0, input: 0, output: 0, cached: 0, written: 0, cost: 0 };

export function addTotals(a: RunTotals, b: RunTotals): RunTotals {
  return combine(a, b, (one, other) => one + other);
}

export function withoutTotals(a: RunTotals, b: RunTotals): RunTotals {
  return combine(a, b, (one, other) => one - other);
}

/** The usage in the event of one request; only requests of the conversation are turns. */
export function fromUsage(usage: SessionEvents["assistant.usage"]): RunTotals {
  const { inputTokens: input, outputTokens: output, cachedTokens: cached, cost, purpose } = usage;
  return { turns: purpose === undefined ? 1 : 0, input, output, cached, written: 0, cost };
}

/** Adds the usage of one more request. */
export function addUsage(totals: RunTotals, used: TokenUsage | null, price: Price | null): RunTotals {
  const { input = 0, output = 0, cached = 0, written = 0 } = used ?? {};
  const usage = { input, output, cached, written };
  return addTotals(totals, { ...usage, turns: 1, cost: price === null ? null : costOf(usage, price) });
}

function combine(a: RunTotals, b: RunTotals, join: (one: number, other: number) => number): RunTotals {
  return {
    turns: join(a.turns, b.turns),
    input: join(a.input, b.input),
    output: join(a.output, b.output),
    cached: join(a.cached, b.cached),
    written: join(a.written, b.written),
    cost: a.cost === null || b.cost === null ? null : join(a.cost, b.cost),
  };
}
