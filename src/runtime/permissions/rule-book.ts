import type { Decision } from "../../core/call/decision.ts";
import { type Eventual, known, runStage, type Stage } from "../../core/call/eventual.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import { type CompiledRule, type CompiledRules, compileRules, loadPatterns } from "../../core/rules/compile-rules.ts";
import { decide, type RuleContext } from "../../core/rules/decide.ts";
import { narrowestRules } from "../../core/rules/narrowest-rules.ts";
import type { Confinement } from "../../core/rules/paths.ts";
import { readOnlyRules } from "../../core/rules/ready-rules.ts";
import { toTables } from "../../core/rules/rule-table.ts";
import { isBuiltin, type Tool } from "../../core/tool/tool.ts";
import { placesIn, type ReachPorts, toExact, toReach } from "./call-reach.ts";
import { type CallSubject, readCallSubject } from "./call-subject.ts";
import type { GrantStore } from "./grant-store.ts";
import { createGrantedRules, markGranted } from "./granted-rules.ts";
import { readLink } from "./read-link.ts";
import { type RuledCall, type RuleSetting, type Ruling, toContext, toJudged } from "./ruling.ts";

interface RuleBookPorts {
  readonly rules: () => RuleSetting;
  readonly grants: () => GrantStore;
  readonly isTrusted: (tool: Tool) => boolean;
  readonly today: () => number;
  /** The sandbox in which our own tools run commands, as it is now; null or absent without one. */
  readonly confinement?: () => Eventual<Confinement | null>;
}

interface Compiled {
  readonly revision: RuleSetting["revision"];
  readonly rules: CompiledRules;
  /** What may be read without a question. */
  readonly reading: CompiledRules;
  /** Whether a deny or ask rule names a tool rather than a kind of call. */
  readonly hasNames: boolean;
}

/** The ruling about a tool, and under which rules. */
interface Standing {
  readonly setting: RuleSetting;
  readonly names: unknown;
  readonly tool: Tool;
  readonly toolName: string;
  /** Null if its arguments matter. */
  readonly ruling: Ruling | null;
}

export interface RuleBook {
  rule(prepared: RuledCall): Eventual<Ruling>;
}

export function createRuleBook({ rules, grants, isTrusted, today, confinement }: RuleBookPorts): RuleBook {
  const approvals = createGrantedRules(grants, today);
  const standing = new WeakMap<Entry, Standing>();
  let compiled: Compiled | null = null;
  const isCompiled = ({ revision }: RuleSetting): boolean => compiled !== null && compiled.revision === revision;
  const compiledFor = (setting: RuleSetting): Compiled => {
    if (compiled === null || !isCompiled(setting)) compiled = compile(setting);
    return compiled;
  };
  const decideOn = (call: RuledCall, subject: CallSubject, setting: RuleSetting, own: readonly CompiledRule[]) =>
    decideBy(call, subject, setting, compiledFor(setting), own, isTrusted(call.tool));
  const reach: ReachPorts = {
    rules,
    compiled: (setting) => compiledFor(setting).rules,
    decide: (call, subject, setting) =>
      decideOn(call, subject, setting, approvals.rulesFor(call.entry, setting)).decision,
  };

  /** Outlives the call that it was made for, so it must not reference that. */
  const judge = (
    first: RuledCall,
    subject: CallSubject,
    setting: RuleSetting,
    own: readonly CompiledRule[],
  ): Ruling => {
    const { decision, readOnly, context } = decideOn(first, subject, setting, own);
    const places = placesIn(subject, context);
    return {
      decision,
      subject,
      mode: setting.mode,
      readOnly,
      narrowest: (call) =>
        narrowestRules(toJudged(call, subject, setting), call.entry.identity, toContext(subject, setting)),
      exactly: ({ args }) => toExact(args, places),
      bound: ({ entry, args }) => approvals.boundTo(entry, toExact(args, places), decision),
      reach: (call) => toReach(call, subject, places, reach),
    };
  };

  /** If no rule looks at arguments, all calls of a tool get the same ruling until rules or names change. */
  const ruleOn = (prepared: RuledCall, subject: CallSubject, setting: RuleSetting): Ruling => {
    const { entry, tool, call } = prepared;
    const own = approvals.rulesFor(entry, setting);
    if (own.length > 0 || subject.subject.kind !== "other") return judge(prepared, subject, setting, own);
    const { toolName } = call;
    const names = setting.names();
    const last = standing.get(entry);
    const isSame =
      last?.setting === setting && last.names === names && last.tool === tool && last.toolName === toolName;
    if (isSame && last.ruling !== null) return last.ruling;
    const ruling = judge(prepared, subject, setting, own);
    if (isSame) return ruling;
    const { deny, ask, allow } = toTables(compiledFor(setting).rules);
    const broadly = toJudged(prepared, subject, setting, "broadly");
    const isOpen = [deny, ask, allow].some((table) =>
      table
        .about({ tool: broadly })
        .some(({ matcher, tool: named }) => looksAtArguments(matcher) && broadly.isMeantBy(named)),
    );
    standing.set(entry, { setting, names, tool, toolName, ruling: isOpen ? null : ruling });
    return ruling;
  };

  const rule = function* (prepared: RuledCall): Stage<Ruling> {
    const { tool, args, entry } = prepared;
    yield* known(approvals.refresh(entry));
    yield* known(approvals.load(entry));
    const setting = rules();
    if (!isCompiled(setting)) yield* known(loadPatterns(setting.lists));
    const subject = yield* known(readCallSubject(tool, args, setting.workspace));
    const isConfined = subject.subject.kind === "shell" && isBuiltin(tool);
    const around = isConfined && confinement !== undefined ? yield* known(confinement()) : null;
    return ruleOn(prepared, around === null ? subject : { ...subject, confinement: around }, setting);
  };
  return { rule: (prepared) => runStage(rule(prepared)) };
}

function compile({ lists, revision, workspace, added, home, aliases = [] }: RuleSetting): Compiled {
  const world = { workspace, added, home, aliases, cwd: workspace, readLink };
  const reading = { deny: [], ask: [], allow: readOnlyRules(world) };
  const rules = compileRules(lists, world);
  const hasNames = [...rules.deny, ...rules.ask].some(({ family }) => family === "other");
  return { revision, rules, reading, hasNames };
}

/** The decision of rules, mode and the rules of stored approvals (`own`). */
function decideBy(
  call: RuledCall,
  subject: CallSubject,
  setting: RuleSetting,
  { rules, reading, hasNames }: Compiled,
  own: readonly CompiledRule[],
  isTrusted: boolean,
): { readonly decision: Decision; readonly readOnly: boolean; readonly context: RuleContext } {
  const { kind } = subject.subject;
  const context = toContext(subject, setting);
  const judged = toJudged(call, subject, setting);
  const byFirst = decide(judged, rules, context, own);
  const strict = hasNames ? findStrict(call, subject, setting, rules, context) : null;
  const strictest = strict === null || byFirst.decision === "deny" ? byFirst : strict;
  // A request to an address may carry data along, even if it only reads.
  const decision = markGranted(isTrusted && kind !== "url" ? strictest : withoutClaim(strictest));
  // What may be written in a sandbox is written all the same.
  const { confinement: _confinement, sandboxed: _sandboxed, ...bare } = context;
  const readOnly =
    kind === "shell"
      ? decide(judged, reading, { ...bare, mode: "default" }).decision === "allow"
      : call.tool.traits.readOnly;
  return { decision, readOnly, context };
}

const NO_RULES: readonly CompiledRule[] = [];

function looksAtArguments({ kind }: CompiledRule["matcher"]): boolean {
  return kind === "parameter" || kind === "pattern";
}

/** Deny and ask rules match a tool by every meaning of the name they use; allow rules only by the first. */
function findStrict(
  call: RuledCall,
  subject: CallSubject,
  setting: RuleSetting,
  { deny, ask }: CompiledRules,
  context: RuleContext,
): Decision | null {
  const strictly: RuleContext = { ...context, mode: "default", allowReadOnly: false };
  const decision = decide(toJudged(call, subject, setting, "broadly"), { deny, ask, allow: NO_RULES }, strictly);
  return decision.decision === "deny" || decision.code === "permission.asked" ? decision : null;
}

/** Modes believe a tool's claim to be read-only; running without a question needs more than the claim (X6). */
function withoutClaim(decision: Decision): Decision {
  if (decision.decision !== "allow" || decision.code !== "permission.read-only") return decision;
  return {
    ...decision,
    decision: "ask",
    code: "permission.no-rule",
    text: "no rule covers the call, and the tool's own claim that it only reads is not enough",
  };
}
