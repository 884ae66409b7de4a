import { type LimitedCaller, limitId, type UsageLimit, withoutRepeats } from "../../core/limits/usage-limit.ts";
import type { CallAllowance } from "../executor/ports.ts";
import { type CallLimitsOptions, createCallLimits, type LimitNotes } from "./call-limits.ts";
import { createLedger, type LedgerOptions } from "./ledger.ts";
import { createMoneyLimits, type MoneyAllowance } from "./money-limits.ts";
import { readUsage, type UsedBudget } from "./read-usage.ts";
import { personOf } from "./share-place.ts";

/** What callers may use and have used, for all sessions of one process. */
export interface LimitDesk {
  /** Null if no limit is about calls of that caller. */
  calls(options: LimitedCalls): CallAllowance | null;
  /** How much money a caller may spend on models; null if no limit is about that. */
  money(options: Omit<LimitedCalls, "toolset">): MoneyAllowance | null;
  /** What somebody has used of these limits on all machines, this one up to now. */
  usage(limits: readonly UsageLimit[], caller: LimitedCaller): Promise<readonly UsedBudget[]>;
  /** How often each of these limits refused a call here, or was passed if it is soft, since the start. */
  figures(limits: readonly UsageLimit[]): readonly LimitFigures[];
  close(): Promise<void>;
}

export interface LimitFigures {
  readonly limit: UsageLimit;
  readonly refused: number;
  readonly passed: number;
}

interface LimitedCalls extends Pick<CallLimitsOptions, "caller" | "limits" | "toolset"> {
  /** A soft limit was passed. */
  readonly onPassed: (text: string) => void;
}

export function createLimitDesk(options: LedgerOptions): LimitDesk {
  const ledger = createLedger(options);
  const figures = new Map<string, { refused: number; passed: number }>();
  const figureOf = (limit: UsageLimit): { refused: number; passed: number } => {
    const id = limitId(limit);
    const known = figures.get(id) ?? { refused: 0, passed: 0 };
    figures.set(id, known);
    return known;
  };
  const notesOf = (onPassed: LimitedCalls["onPassed"]): LimitNotes => ({
    refused(limit) {
      figureOf(limit).refused += 1;
    },
    passed(limit, text) {
      figureOf(limit).passed += 1;
      onPassed(text);
    },
  });
  return {
    calls({ onPassed, ...given }) {
      const limits = given.limits.filter(({ measure }) => measure !== "money");
      if (limits.length === 0) return null;
      return createCallLimits({ ...given, limits, ledger, note: notesOf(onPassed) });
    },
    money: ({ onPassed, ...given }) => createMoneyLimits({ ...given, ledger, note: notesOf(onPassed) }),
    async usage(limits, caller) {
      const { now } = ledger.place;
      const own = [...ledger.shares].filter(
        ({ budget, isOpen }) => isOpen && ["", caller.person].includes(personOf(budget.of)),
      );
      await Promise.all(own.map((share) => share.say(now())));
      return readUsage(withoutRepeats(limits), caller, ledger.place);
    },
    figures: (limits) =>
      withoutRepeats(limits).map((limit) => ({ limit, ...(figures.get(limitId(limit)) ?? { refused: 0, passed: 0 }) })),
    close: ledger.close,
  };
}
