import type { ToolResult } from "../../core/call/tool-result.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import { resolveList } from "../../core/catalog/resolve-list.ts";
import { createResolver } from "../../core/catalog/resolver.ts";
import type { Lack } from "../../core/limits/describe-limit.ts";
import {
  type Budget,
  budgetsOf,
  isAboutCaller,
  type LimitedCaller,
  type UsageLimit,
  withoutRepeats,
} from "../../core/limits/usage-limit.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { CallAllowance, TakenCall } from "../executor/ports.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import { describeLack } from "./describe-lack.ts";
import { type AnyShare, findLack, findPassed, type Ledger, takeOneOfEach } from "./ledger.ts";
import { SlotShare } from "./slot-share.ts";
import { SpentShare } from "./spent-share.ts";

export interface CallLimitsOptions {
  readonly ledger: Ledger;
  readonly caller: LimitedCaller;
  readonly limits: readonly UsageLimit[];
  /** What names of tools mean. */
  readonly toolset: () => Pick<Toolset, "catalog" | "scene">;
  readonly note: LimitNotes;
}

/** What is worth a row in the log or a number. */
export interface LimitNotes {
  refused(limit: UsageLimit): void;
  /** A soft limit was passed; once for each budget and stretch on each machine. */
  passed(limit: UsageLimit, text: string): void;
}

/** How much one caller may use: calls of one session are counted against all limits about them (O13). */
export function createCallLimits(options: CallLimitsOptions): CallAllowance {
  const { ledger, limits } = options;
  const { now } = ledger.place;
  const counted = new WeakMap<Entry, readonly Counted[]>();
  /** Calls that hold slots, so that those made inside them need none. */
  const holding = new Map<string, ReadonlySet<string>>();
  const countedOf = (entry: Entry): readonly Counted[] => {
    let all = counted.get(entry);
    if (all === undefined) {
      all = findCounted(entry, limits, options);
      counted.set(entry, all);
    }
    return all;
  };
  const sharesOf = (prepared: PreparedCall): readonly AnyShare[] => {
    const { parentId } = prepared.call;
    const held = parentId === undefined ? undefined : holding.get(parentId);
    const at = now();
    const shares: AnyShare[] = [];
    for (const each of countedOf(prepared.entry))
      if (held?.has(each.budget.id) !== true) shares.push(currentShare(each, ledger, at));
    for (const share of shares) ledger.touch(share);
    return shares;
  };
  const refuse = ({ budget, lack }: { readonly budget: Budget; readonly lack: Lack }): ToolResult => {
    options.note.refused(budget.limit);
    return toRefusal(describeLack(budget, lack, now()), lack);
  };
  return {
    refusal(prepared) {
      const lacking = findLack(sharesOf(prepared), now());
      return lacking === null ? null : refuse(lacking);
    },
    take(prepared) {
      const shares = sharesOf(prepared);
      const take = (share: AnyShare): void => {
        if (share instanceof SlotShare) share.enter(now());
        else if (share.budget.limit.measure === "calls") share.spend(1, now());
      };
      const finish = (missing: Awaited<ReturnType<typeof takeOneOfEach>>) => {
        if (missing !== null) return { kind: "refused" as const, result: refuse(missing) };
        return toTaken(prepared, shares, options, holding);
      };
      const taking = takeOneOfEach(shares, now, take);
      return taking instanceof Promise ? taking.then(finish) : finish(taking);
    },
  };
}

/** One budget that calls of a tool are counted against, with what this process may use of it now. */
interface Counted {
  readonly budget: Budget;
  share: AnyShare | null;
}

function currentShare(counted: Counted, ledger: Ledger, at: number): AnyShare {
  const { budget, share } = counted;
  share?.follow(budget);
  if (share !== null && !share.isForgotten && (share instanceof SlotShare || share.isNow(at))) return share;
  const { period } = budget.limit;
  const current = period === null ? ledger.slots(budget) : ledger.spent(budget, period, at);
  counted.share = current;
  return current;
}

function findCounted(
  entry: Entry,
  limits: readonly UsageLimit[],
  { caller, toolset }: CallLimitsOptions,
): readonly Counted[] {
  const called = { server: entry.tool.server ?? "", tool: entry.identity };
  const about = limitsAbout(entry, limits, caller, toolset());
  return about.flatMap((limit) => budgetsOf(limit, caller, called)).map((budget) => ({ budget, share: null }));
}

/** Limits that a caller's calls of a tool are counted against. */
export function limitsAbout(
  entry: Entry,
  limits: readonly UsageLimit[],
  caller: LimitedCaller,
  toolset: Pick<Toolset, "catalog" | "scene">,
): readonly UsageLimit[] {
  return withoutRepeats(limits).filter(
    (limit) =>
      limit.measure !== "money" &&
      isAboutCaller(limit, caller) &&
      (limit.servers === null || limit.servers.includes(entry.tool.server ?? "")) &&
      (limit.tools === null || isNamed(entry, limit.tools, toolset)),
  );
}

/** By the one resolver of names; a tool of an agent's own servers is in no other catalog. */
function isNamed(
  entry: Entry,
  tools: NonNullable<UsageLimit["tools"]>,
  { catalog, scene }: Pick<Toolset, "catalog" | "scene">,
): boolean {
  const entries = catalog.entries.includes(entry) ? catalog.entries : [...catalog.entries, entry];
  const whole = { entries, search: catalog.search, code: catalog.code, style: catalog.style };
  const resolver = createResolver({ catalog: whole, sets: scene.sets, servers: scene.servers.keys() });
  return resolveList(resolver, "limits", tools).mentions.has(entry);
}

/** Four characters count as a token. */
const CHARACTERS_PER_TOKEN = 4;

function toTaken(
  { call }: PreparedCall,
  shares: readonly AnyShare[],
  { ledger, note }: CallLimitsOptions,
  holding: Map<string, ReadonlySet<string>>,
): TakenCall {
  const { now } = ledger.place;
  const slots = shares.filter((share) => share instanceof SlotShare);
  if (slots.length > 0) {
    const above = call.parentId === undefined ? undefined : holding.get(call.parentId);
    holding.set(call.id, new Set([...(above ?? []), ...slots.map(({ budget }) => budget.id)]));
  }
  return {
    kind: "taken",
    note: notePassed(shares, note),
    count({ textResultForLlm }) {
      const tokens = Math.ceil(textResultForLlm.length / CHARACTERS_PER_TOKEN);
      for (const share of shares)
        if (share instanceof SpentShare && share.budget.limit.measure === "tokens") {
          share.spend(tokens, now());
          ledger.touch(share);
        }
    },
    leave() {
      holding.delete(call.id);
      for (const share of slots) share.leave(now());
    },
  };
}

/** What a model should know about soft limits that are passed, once for each. */
function notePassed(shares: readonly AnyShare[], note: LimitNotes): string | null {
  const passed = findPassed(shares);
  for (const { limit, text } of passed) note.passed(limit, text);
  return passed.length === 0 ? null : passed.map(({ text }) => text).join("\n");
}

function toRefusal(text: string, { kind }: Lack): ToolResult {
  const code = kind === "unknown" ? "limit.unknown" : "limit.reached";
  const whole = `The call did not run: ${text}.`;
  return { textResultForLlm: whole, resultType: "denied", error: `${code}: ${text}`, code };
}
