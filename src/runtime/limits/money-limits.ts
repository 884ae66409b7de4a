import {
  type Budget,
  budgetsOf,
  isAboutCaller,
  type LimitedCaller,
  type UsageLimit,
  withoutRepeats,
} from "../../core/limits/usage-limit.ts";
import type { LimitNotes } from "./call-limits.ts";
import { describeLack } from "./describe-lack.ts";
import { findPassed, type Ledger, takeOneOfEach } from "./ledger.ts";
import { SpentShare } from "./spent-share.ts";

/** How much money a caller may spend on models. */
export interface MoneyAllowance {
  /** Why a model may not be asked now; null if it may. */
  refusal(): Promise<string | null>;
  /** Millionths of a US dollar. */
  spend(amount: number): void;
  /** Whether what nobody can price has to be refused. */
  readonly isHard: boolean;
}

export interface MoneyLimitsOptions {
  readonly ledger: Ledger;
  readonly caller: LimitedCaller;
  readonly limits: readonly UsageLimit[];
  readonly note: LimitNotes;
}

const NO_TOOL = { server: "", tool: "" };

/** Null if no limit is about what that caller's models cost. */
export function createMoneyLimits({ ledger, caller, limits, note }: MoneyLimitsOptions): MoneyAllowance | null {
  const { now } = ledger.place;
  const own = withoutRepeats(limits).filter((limit) => limit.measure === "money" && isAboutCaller(limit, caller));
  if (own.length === 0) return null;
  const budgets = own.flatMap((limit) => budgetsOf(limit, caller, NO_TOOL));
  const sharesNow = (): readonly SpentShare[] => budgets.flatMap((budget) => toShare(budget, ledger));
  return {
    isHard: own.some(({ isSoft }) => !isSoft),
    async refusal() {
      const missing = await takeOneOfEach(sharesNow(), now, () => {});
      if (missing === null) return null;
      note.refused(missing.budget.limit);
      return describeLack(missing.budget, missing.lack, now());
    },
    spend(amount) {
      const shares = sharesNow();
      for (const share of shares) share.spend(Math.ceil(amount), now());
      for (const { limit, text } of findPassed(shares)) note.passed(limit, text);
    },
  };
}

function toShare(budget: Budget, ledger: Ledger): readonly SpentShare[] {
  const { period } = budget.limit;
  if (period === null) return [];
  const share = ledger.spent(budget, period, ledger.place.now());
  ledger.touch(share);
  return share instanceof SpentShare ? [share] : [];
}
