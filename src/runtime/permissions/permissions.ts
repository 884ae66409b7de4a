import type { Decision } from "../../core/call/decision.ts";
import { type Eventual, known, runStage, type Stage } from "../../core/call/eventual.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import type { ReasonCode } from "../../core/codes/codes.ts";
import { defaultOrigin, formatOrigin, type Origin, type Sourced } from "../../core/codes/origin.ts";
import type { Subject } from "../../core/rules/decide.ts";
import type { Confinement } from "../../core/rules/paths.ts";
import { describeSource, isBuiltin, isOfHost, isUntrusted, serverOf, type Tool } from "../../core/tool/tool.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { AllowedCall, CallPermissions, Judgement, JudgeOptions } from "../executor/ports.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import { type Answered, type Asking, type AskingPorts, createAsking } from "./asking.ts";
import { toKind } from "./call-subject.ts";
import { type Classification, type Classifier, classify } from "./classifier.ts";
import { toGrant } from "./grant.ts";
import type { GrantStore } from "./grant-store.ts";
import { type PermissionRequest, type Suggestion, UNREACHED } from "./permission-request.ts";
import { createRuleBook, type RuleBook } from "./rule-book.ts";
import type { Revision, RuledCall, RuleSetting, Ruling } from "./ruling.ts";
import {
  digestQuestion,
  findChangedGround,
  type Grounds,
  isNarrowed,
  OTHER_APPROVERS,
  type QuestionAsked,
  toAbout,
  WHAT_IT_NAMES,
} from "./same-question.ts";

/** What the pipeline needs; everything that can change is read again at each call. */
export interface PermissionPorts extends AskingPorts {
  readonly sessionId: string;
  readonly rules: () => RuleSetting;
  readonly grants: () => GrantStore;
  readonly classifier: () => Classifier | null;
  /** Whether an origin belongs to managed policy; none does if absent. */
  readonly isManaged?: (origin: Origin) => boolean;
  /** Whether a hook could answer instead of a person. */
  readonly hasAskHooks: () => boolean;
  /** What happens to the host's own tools if nobody can be asked. */
  readonly hostTools: () => Sourced<"allow" | "ask">;
  /** Plans are approved separately, while the tool that presents one runs. */
  readonly plansAreShown: () => boolean;
  /** Whether a tool's claim to be read-only is believed (X6). */
  readonly isTrusted: (tool: Tool) => boolean;
  readonly clock: Clock;
  /**
   * What decides about a call beside its rules, at that revision; nothing if absent. `stored`: without secrets, so that a
   * digest of it can be stored.
   */
  readonly grounds?: (call: RuledCall, revision: Revision, extent: "whole" | "stored") => Grounds;
  /** What makes somebody one who may say yes to calls of that server now; nothing if absent. */
  readonly approvers?: ((server: string | null) => readonly string[]) | undefined;
  /** The sandbox in which our own tools run commands; null or absent without one. */
  readonly confinement?: () => Eventual<Confinement | null>;
  /** Milliseconds since 1970, for grants that expire. */
  readonly today: () => number;
}

/** A call in the pipeline: the call, its ruling, and what else is known. */
interface Case {
  readonly prepared: PreparedCall;
  readonly ruling: Ruling;
  readonly options: JudgeOptions;
}

/** The parts of a session's pipeline. */
interface Pipeline {
  readonly ports: PermissionPorts;
  readonly book: RuleBook;
  readonly asking: Asking;
  /** Which question a decision answers, and who answered. */
  readonly answers: WeakMap<Decision, QuestionAsked & { readonly requestId: string; readonly by: string | null }>;
}

/** X2: deny rules, ask rules, mode, allow rules and grants, edits, reading, classifier, people, and then no. */
export function createPermissions(ports: PermissionPorts): CallPermissions {
  const pipeline = { ports, book: createRuleBook(ports), asking: createAsking(ports), answers: new WeakMap() };
  return {
    get revision() {
      return ports.rules().revision;
    },
    judge: (prepared, options) => runStage(judge(prepared, options, pipeline)),
    again(prepared, allowed, cancelling) {
      const options = { hook: allowed.hook, mayAsk: false, cancelling, onAsking: () => {} };
      return runStage(judgeAgain(prepared, allowed, options, pipeline));
    },
    onlyReads: (prepared) => runStage(onlyReads(prepared, pipeline)),
  };
}

function* judge(prepared: PreparedCall, options: JudgeOptions, pipeline: Pipeline): Stage<Judgement> {
  const judgement = yield* judgeUntold(prepared, options, pipeline);
  // A call that was cancelled in the meantime has ended: a decision after its end would look like one about another
  // call.
  const isTold = (judgement.kind === "allowed" || judgement.kind === "denied") && !options.cancelling.isCancelled;
  if (isTold) tell(prepared, judgement.decision, pipeline);
  return judgement;
}

function* judgeUntold(prepared: PreparedCall, options: JudgeOptions, pipeline: Pipeline): Stage<Judgement> {
  const ruling = yield* known(pipeline.book.rule(prepared));
  const isOpen = ruling.decision.decision === "ask" || (ruling.decision.decision === "allow" && asksByHook(options));
  return isOpen ? yield* judgeOpen({ prepared, ruling, options }, pipeline) : toJudgement(ruling.decision, ruling);
}

/** E1: what was narrowed since a call was allowed counts for it. */
function* judgeAgain(
  prepared: PreparedCall,
  allowed: AllowedCall,
  options: JudgeOptions,
  pipeline: Pipeline,
): Stage<Judgement> {
  const { ports, book, answers } = pipeline;
  const { decision, approval } = allowed;
  const isLater = ports.rules().revision !== allowed.revision;
  const yes = approval === null ? undefined : answers.get(approval);
  const isFewer = yes !== undefined && isNarrowed(yes.approvers, approversOf(prepared, ports));
  const what = (isLater ? changedSince(prepared, allowed, ports) : null) ?? (isFewer ? OTHER_APPROVERS : null);
  if (what !== null) return refuseAgain(prepared, outdated(decision, what), pipeline);
  const answered = answers.get(decision);
  if (answered === undefined) {
    const judgement = yield* (isLater ? judge : judgeUntold)(prepared, options, pipeline);
    if (judgement.kind === "allowed" || (judgement.kind === "denied" && isLater)) return judgement;
    return refuseAgain(prepared, judgement.decision, pipeline);
  }
  const ruling = yield* known(book.rule(prepared));
  // What was asked about is all that it reaches, and it says best where its paths lead by now.
  if (!isLater && REACHING.has(ruling.subject.subject.kind)) return toJudgement(decision, ruling);
  const byHook = asksByHook(options) && ruling.decision.decision !== "deny";
  if (ruling.decision.decision !== "ask" && !byHook) {
    if (ruling.decision.decision === "allow") return toJudgement(ruling.decision, ruling);
    return refuseAgain(prepared, ruling.decision, pipeline);
  }
  const question = toQuestion(ruling, options);
  const refused = refuseToAsk(question, ruling);
  if (refused !== null) return refuseAgain(prepared, refused, pipeline);
  if (toAbout(prepared, ruling, question, isManagedBy(ports)) === answered.about) return toJudgement(decision, ruling);
  return refuseAgain(prepared, isLater ? question : outdated(decision, WHAT_IT_NAMES), pipeline);
}

const REACHING: ReadonlySet<string> = new Set(["read", "write"] satisfies Subject["kind"][]);

function changedSince(prepared: PreparedCall, { revision, approval }: AllowedCall, ports: PermissionPorts) {
  const before = ports.grounds?.(prepared, revision as Revision, "whole"); // As `revision` gave it.
  const now = ports.grounds?.(prepared, ports.rules().revision, "whole");
  return before === undefined || now === undefined ? null : findChangedGround(before, now, approval !== null);
}

function refuseAgain(prepared: PreparedCall, by: Decision, pipeline: Pipeline): Judgement {
  const decision = by.decision === "deny" ? by : { ...by, decision: "deny" as const };
  tell(prepared, decision, pipeline);
  return { kind: "denied", decision, resultType: "denied" };
}

function outdated(decision: Decision, what: string): Decision {
  const text = `${what} changed while the call waited, so what allowed it does not count any more; call it again to be asked about it as it is now`;
  return changed(decision, "deny", "permission.outdated", text);
}

/** Null where nothing is known of who may answer. */
function approversOf({ tool }: PreparedCall, { approvers }: PermissionPorts): readonly string[] | null {
  return approvers?.(serverOf(tool)) ?? null;
}

function isManagedBy({ isManaged }: PermissionPorts): (origin: Origin) => boolean {
  return (origin) => isManaged?.(origin) === true;
}

function* onlyReads(prepared: PreparedCall, { book }: Pipeline): Stage<boolean> {
  const { subject, readOnly, decision } = yield* known(book.rule(prepared));
  return subject.subject.kind === "shell" && readOnly && decision.decision === "allow";
}

/** What the rules leave open. */
function* judgeOpen(open: Case, pipeline: Pipeline): Stage<Judgement> {
  const { ruling, options } = open;
  const asked = toQuestion(ruling, options);
  // Ask rules and hooks that ask are obeyed; everything else has other ways to an answer.
  const settled = mustAsk(open) ? refuseToAsk(asked, ruling) : yield* settle(open, pipeline.ports);
  if (settled !== null) return toJudgement(settled, ruling);
  if (!options.mayAsk) return { kind: "open", decision: asked };
  return yield* known(pipeline.asking.inTurn(options.cancelling.signal, () => ask(open, pipeline)));
}

function toQuestion({ decision }: Ruling, options: JudgeOptions): Decision {
  if (!asksByHook(options)) return decision;
  return changed(decision, "ask", "permission.hook-asked", options.hook.reason ?? ASKED);
}

/** What replaces the question, never a deny or ask rule or a mode (X2). */
function* settle(open: Case, ports: PermissionPorts): Stage<Decision | null> {
  const { prepared, ruling, options } = open;
  const { decision } = ruling;
  const foretold = foretell(ruling, prepared);
  if (foretold.decision !== "ask") return foretold;
  if (options.hook.decision === "allow")
    return changed(decision, "allow", "permission.hook-allowed", options.hook.reason ?? "a hook allowed it");
  if (maySkip(prepared.tool))
    return changed(decision, "allow", "permission.skipped", "the tool is defined to need no permission");
  const isPlan = ruling.subject.subject.kind === "plan";
  if (isPlan && ports.plansAreShown())
    return changed(decision, "allow", "permission.plan", "the plan is shown to whoever approves plans");
  // Only a person can approve a plan, or a rule about it.
  const classifier = isPlan ? null : ports.classifier();
  const answer = classifier === null ? UNSURE : yield* known(classify(classifier, toRequest(open, ports.sessionId)));
  if (answer.verdict !== "safe" && answer.verdict !== "unsafe")
    return ports.handler() === null && !ports.hasAskHooks() ? runUnasked(open, ports) : null;
  const { verdict, reason, code = "permission.classified", origin } = answer;
  return changed(decision, verdict === "safe" ? "allow" : "deny", code, reason, origin);
}

/** The last step: what nobody answers is denied, except tools that the embedding program defined itself (X3). */
function runUnasked({ prepared, ruling }: Case, { hostTools }: PermissionPorts): Decision | null {
  const { value, origin } = hostTools();
  if (value !== "allow" || !isOfHost(prepared.tool) || ruling.subject.subject.kind === "plan") return null;
  const text = "the program that runs the session defined the tool itself, and there is nobody to ask";
  return changed(ruling.decision, "allow", "permission.host-tool", text, origin);
}

async function ask({ prepared, options }: Case, { ports, book, asking, answers }: Pipeline): Promise<Judgement> {
  // While others were asked, this one may have been answered, also by another process, or become another question.
  await ports.grants().refresh(true);
  const again = await book.rule(prepared);
  if (again.decision.decision === "deny") return toJudgement(again.decision, again);
  const isForced = mustAsk({ prepared, options, ruling: again });
  const since = again.decision.decision === "allow" ? again.decision : again.bound(prepared);
  if (since !== null && !isForced) return toJudgement(since, again);
  const ruling = { ...again, decision: toQuestion(again, options) };
  const open = { prepared, options, ruling };
  const { source, tool, args, call } = prepared;
  const { signal } = options.cancelling;
  const context = { sessionId: ports.sessionId, toolCallId: call.id, signal, ...ruling.reach(prepared) };
  const failure = await source.foresee?.(tool, args, context);
  if (failure) return { kind: "futile", decision: ruling.decision, result: failure };
  options.onAsking();
  const about = toAbout(prepared, ruling, ruling.decision, isManagedBy(ports));
  const grounds = ports.grounds?.(prepared, ports.rules().revision, "stored") ?? null;
  const request = { ...toRequest(open, ports.sessionId), about: digestQuestion(about, grounds) };
  const approvers = approversOf(prepared, ports);
  const byPolicy = isForced && ports.isManaged?.(ruling.decision.origin) === true;
  const answered = await asking.ask({ request, prepared, byPolicy });
  const { answer, by, requestId } = answered;
  const unasked = by === null && !isForced ? runUnasked(open, ports) : null;
  if (unasked !== null) return toJudgement(unasked, ruling);
  const under = answer.under ?? approvers;
  const isOutdated = answer.decision === "allow" && isNarrowed(under, approversOf(prepared, ports));
  const said = decideByAnswer(ruling.decision, answered, isForced);
  const decision = isOutdated ? outdated(said, OTHER_APPROVERS) : said;
  answers.set(decision, { requestId, by, about, approvers: under });
  if (isOutdated) return toJudgement(decision, ruling);
  if (answer.decision === "deny")
    return { kind: "denied", decision, resultType: answer.endTurn === true ? "rejected" : "denied" };
  if (answer.updatedInput !== undefined) return { kind: "rewritten", decision, updatedInput: answer.updatedInput };
  await keep(open, request, answer, ports);
  return toJudgement(decision, ruling);
}

function decideByAnswer(asked: Decision, { answer, by }: Answered, isForced: boolean): Decision {
  if (answer.decision === "allow")
    return changed(asked, "allow", "permission.approved", `${by ?? "somebody"} allowed it`);
  if (answer.isUnasked === true) return changed(asked, "deny", NOBODY, answer.reason ?? UNREACHED);
  if (by !== null) return changed(asked, "deny", "permission.refused", answer.reason ?? `${by} did not allow it`);
  // Then the reason is the rule that asks, or the protection, because that is what a person would change.
  return isForced || asked.code === "permission.protected-path"
    ? changed(asked, "deny", NOBODY, `${asked.text}, and there is nobody to ask`, asked.origin)
    : changed(asked, "deny", NOBODY, answer.reason ?? "nobody allowed it");
}

const NOBODY = "permission.no-handler";

async function keep(
  { prepared, ruling }: Case,
  { suggestions }: PermissionRequest,
  answer: Answered["answer"],
  { grants, today }: PermissionPorts,
): Promise<void> {
  const { scope = "once", boundToArguments = false, expiresIn = null } = answer;
  if (scope === "once" || suggestions.length === 0) return;
  const rules = boundToArguments ? [] : (suggestions[0]?.rules ?? []);
  const made = { scope, rules, args: ruling.exactly(prepared), now: today(), expiresIn };
  await grants().add(toGrant(prepared.entry, made));
}

function toRequest(open: Case, sessionId: string): PermissionRequest {
  const { prepared, ruling, options } = open;
  const { call, entry, tool, args } = prepared;
  const { decision, subject } = ruling;
  // What a rule or a hook asks about is asked every time, and so is every plan: there is nothing to store.
  const isKeepable = !mustAsk(open) && subject.subject.kind !== "plan";
  return {
    kind: asksByHook(options) ? "hook" : toKind(subject, tool),
    toolName: entry.wireName,
    toolArgs: args,
    toolCallId: call.id,
    sessionId,
    description: tool.description,
    parts: decision.parts,
    reason: decision.text,
    origin: formatOrigin(decision.origin),
    source: describeSource(tool),
    code: decision.code,
    ...(call.codeLine === undefined ? {} : { codeLine: call.codeLine }),
    suggestions: isKeepable ? toSuggestions(entry, subject.subject.kind, ruling.narrowest(prepared)) : [],
    signal: options.cancelling.signal,
  };
}

function tell({ call }: PreparedCall, made: Decision, { ports, answers }: Pipeline): void {
  const { decision, code, text, origin } = made;
  const { requestId = null, by = null } = answers.get(made) ?? {};
  ports.emit("permission.completed", {
    requestId,
    by,
    toolCallId: call.id,
    toolName: call.toolName,
    decision,
    code,
    text,
    origin: formatOrigin(origin),
  });
}

function toJudgement(decision: Decision, { readOnly, reach }: Ruling): Judgement {
  if (decision.decision === "allow") return { kind: "allowed", decision, readOnly, reach };
  return { kind: "denied", decision, resultType: "denied" };
}

function asksByHook({ hook }: JudgeOptions): boolean {
  return hook.decision === "ask";
}

/** Whether a rule or a hook requires a person, whatever else would answer. */
function mustAsk({ ruling, options }: Case): boolean {
  return asksByHook(options) || isByAskRule(ruling.decision);
}

const UNSURE = { verdict: "unsure" } as const satisfies Classification;

const ASKED = "a hook asks for a decision";

/** What is decided before anybody is asked: rules, mode and stored approvals. `ask` means that somebody would be. */
export function foretell(ruling: Ruling, call: RuledCall): Decision {
  const { decision } = ruling;
  if (decision.decision !== "ask") return decision;
  const granted = isByAskRule(decision) ? null : ruling.bound(call);
  return granted ?? refuseToAsk(decision, ruling) ?? decision;
}

/** What could be stored of an approval: the narrowest rules, and these exact arguments. */
function toSuggestions({ identity }: Entry, kind: Subject["kind"], rules: readonly string[]): readonly Suggestion[] {
  const text = kind === "shell" ? "exactly this command line" : `${identity} with exactly these arguments`;
  const bound = { rules: [], text };
  return rules.length === 0 ? [bound] : [{ rules, text: rules.join(", ") }, bound];
}

/** In `dont-ask` mode, what would be asked is denied; that is a mode, which no hook overrides. */
function refuseToAsk(decision: Decision, { mode }: Ruling): Decision | null {
  if (mode.value !== "dont-ask") return null;
  return changed(
    decision,
    "deny",
    "permission.mode-denied",
    `nobody is asked in this mode, and ${decision.text}`,
    mode.origin,
  );
}

function isByAskRule({ code, parts }: Decision): boolean {
  return code === "permission.asked" || parts.some((part) => part.code === "permission.asked");
}

/** Only tools of this program and of the host may claim this (X2). */
function maySkip(tool: Tool): boolean {
  if (!tool.skipPermission || isUntrusted(tool)) return false;
  return isBuiltin(tool) || isOfHost(tool);
}

function changed(
  { parts, rule }: Decision,
  decision: Decision["decision"],
  code: ReasonCode,
  text: string,
  origin: Origin = defaultOrigin,
): Decision {
  return { decision, code, text, origin, rule, parts };
}
