import type { Decision } from "../../core/call/decision.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type CompiledRule, compileRules, loadPatterns, type RuleLists } from "../../core/rules/compile-rules.ts";
import { parseRule } from "../../core/rules/rule.ts";
import { digestOf, type Grant, isFor } from "./grant.ts";
import type { GrantStore } from "./grant-store.ts";
import type { RuleSetting } from "./ruling.ts";

/** Stored approvals as rules and decisions see them. */
export interface GrantedRules {
  /** Reads changes of another process, if an approval that it may have revoked would count; else null. */
  refresh(entry: Entry): Promise<void> | null;
  /** Loads what rules need that were not used yet; null if nothing. */
  load(entry: Entry): Promise<void> | null;
  /** The approvals that were stored as rules. */
  rulesFor(entry: Entry, setting: RuleSetting): readonly CompiledRule[];
  /** The decision by an approval for exactly these arguments; null if there is none. */
  boundTo(entry: Entry, exactly: unknown, decision: Decision): Decision | null;
}

const NO_RULES: readonly CompiledRule[] = [];

export function createGrantedRules(grants: () => GrantStore, today: () => number): GrantedRules {
  const compiled = new WeakMap<Grant, readonly CompiledRule[]>();
  const compile = (grant: Grant, setting: RuleSetting): readonly CompiledRule[] => {
    const own = compiled.get(grant) ?? compileGrant(grant, setting);
    compiled.set(grant, own);
    return own;
  };
  /** Most sessions have none, and every call checks. */
  const findFor = (entry: Entry, is: (grant: Grant) => boolean): readonly Grant[] => {
    const kept = grants().grants;
    if (kept.length === 0) return kept;
    const now = today();
    return kept.filter((grant) => is(grant) && isFor(grant, entry, now));
  };
  return {
    refresh: (entry) => (findFor(entry, ({ scope }) => scope !== "session").length > 0 ? grants().refresh() : null),
    load(entry) {
      const fresh = findFor(entry, (grant) => grant.digest === null && !compiled.has(grant));
      return fresh.length === 0 ? null : loadPatterns(toLists(fresh.flatMap(readRules)));
    },
    rulesFor(entry, setting) {
      const own = findFor(entry, ({ digest }) => digest === null);
      return own.length === 0 ? NO_RULES : own.flatMap((grant) => compile(grant, setting));
    },
    boundTo(entry, exactly, { parts, rule }) {
      const bound = findFor(entry, ({ digest }) => digest !== null);
      const grant = bound.length === 0 ? undefined : bound.find(({ digest }) => digest === digestOf(exactly));
      if (grant === undefined) return null;
      const text = `approved for these arguments before (grant ${grant.id})`;
      return { decision: "allow", code: "permission.granted", text, origin: originOf(grant), rule, parts };
    },
  };
}

function originOf({ id }: Grant): Origin {
  return { kind: "grant", id };
}

/** A stored rule is somebody's approval, and the decision says so. */
export function markGranted(decision: Decision): Decision {
  const { origin, text } = decision;
  if (decision.decision !== "allow" || origin.kind !== "grant") return decision;
  return { ...decision, code: "permission.granted", text: `${text} (${formatOrigin(origin)})` };
}

function compileGrant(grant: Grant, { workspace, home, aliases = [] }: RuleSetting): readonly CompiledRule[] {
  try {
    return compileRules(toLists(readRules(grant)), { workspace, home, aliases, cwd: workspace }).allow;
  } catch (error) {
    if (isToolcribError(error)) return [];
    throw error;
  }
}

/** A stored rule that cannot be parsed allows nothing; the question is asked again. */
function readRules(grant: Grant): RuleLists["allow"] {
  const origin = originOf(grant);
  try {
    return grant.rules.map((text) => ({ value: parseRule(text, origin), origin }));
  } catch (error) {
    if (isToolcribError(error)) return [];
    throw error;
  }
}

function toLists(allow: RuleLists["allow"]): RuleLists {
  return { deny: [], ask: [], allow };
}
