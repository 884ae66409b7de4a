import type { RunAgent, RunView, UsedView } from "../../http/api/api.ts";
import { formatCount, formatNumber } from "../parts/format.ts";
import type { IconName } from "../parts/icon.tsx";
import type { Tone } from "../parts/status.tsx";

type Words = readonly [Tone, IconName, string];

const ENDINGS: ReadonlyMap<string, Words> = new Map([
  ["end", ["good", "done", "done"]],
  ["terminal-tool", ["good", "done", "done"]],
  ["aborted", ["warn", "stop", "stopped"]],
  ["rejected", ["warn", "approvals", "ended: a call was rejected"]],
  ["refusal", ["warn", "hidden", "the model refused"]],
  ["length", ["warn", "warning", "the answer was cut"]],
  ["max-turns", ["warn", "deferred", "ended at its limit of requests"]],
  ["max-tokens", ["warn", "deferred", "ended at its limit of tokens"]],
  ["max-cost", ["warn", "deferred", "ended at its limit of cost"]],
  ["max-time", ["warn", "deferred", "ended at its limit of time"]],
  ["error", ["bad", "warning", "failed"]],
]);

/** The state of a run, in a few words. */
export function wordsOfRun({ state, stopReason }: RunView): Words {
  if (state === "waiting") return ["warn", "approvals", "waits for you"];
  if (state === "running") return ["good", "calls", "running"];
  return ENDINGS.get(stopReason ?? "") ?? ["plain", "done", stopReason ?? "idle"];
}

export const AGENT_WORDS = {
  running: ["good", "calls", "running"],
  done: ["plain", "done", "done"],
  failed: ["bad", "warning", "failed"],
} as const satisfies Record<RunAgent["state"], Words>;

/** Tokens and cost in one line. */
export function formatUsed({ requests, input, output, cached, cost }: UsedView): string {
  const kept = cached === 0 ? "" : `, ${formatCount(cached)} cached`;
  return `${formatNumber(requests, "request")} · ${formatCount(input)} tokens in${kept}, ${formatCount(output)} out · ${formatCost(cost)}`;
}

export function formatCost(cost: number | null): string {
  if (cost === null) return "cost unknown";
  return `$${cost.toFixed(cost !== 0 && cost < 0.1 ? 4 : 2)}`;
}
