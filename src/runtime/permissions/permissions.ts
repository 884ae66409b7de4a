import type { Decision } from "../../core/call/decision.ts";
import { type Eventual, whenKnown } from "../../core/call/eventual.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import type { ReasonCode } from "../../core/codes/codes.ts";
import { defaultOrigin, formatOrigin, type Origin, type Sourced } from "../../core/codes/origin.ts";
import type { Confinement } from "../../core/rules/paths.ts";
import { isUntrusted, type Tool } from "../../core/tool/tool.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { CallPermissions, Judgement, JudgeOptions } from "../executor/ports.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import { type Answered, type AskingPorts, createAsking } from "./asking.ts";
import { toKind } from "./call-subject.ts";
import { type Classification, type Classifier, classify } from "./classifier.ts";
import { describeGrant, digestOf, toGrant } from "./grant.ts";
import type { GrantStore } from "./grant-store.ts";
import type { PermissionRequest, Suggestion } from "./permission-request.ts";
import { createRuleBook, type RuledCall, type RuleSetting, type Ruling } from "./rule-book.ts";

/** What the pipeline needs; everything that can change is asked for anew at each call. */
export interface PermissionPorts extends AskingPorts {
  readonly sessionId: string;
  readonly rules: () => RuleSetting;
  readonly grants: () => GrantStore;
  readonly classifier: () => Classifier | null;
  /** Whether a hook could answer in place of a person. */
  readonly hasAskHooks: () => boolean;
  /** What becomes of the host's own tools when nobody is there to be asked. */
  readonly hostTools: () => Sourced<"allow" | "ask">;
  /** Somebody else is asked about plans, while the tool that presents one runs. */
  readonly plansAreShown: () => boolean;
  /** Whether a tool's claim to only read is believed (X6). */
  readonly isTrusted: (tool: Tool) => boolean;
  readonly clock: Clock;
  /** The sandbox in which our own tools run commands; null or absent without one. */
  readonly confinement?: () => Eventual<Confinement | null>;
  /** Milliseconds since 1970, for grants that expire. */
  readonly today: () => number;
}

/** X2: deny rules, ask rules, mode, allow rules and grants, edits, reading, classifier, people, and then no. */
export function createPermissions(ports: PermissionPorts): CallPermissions {
  const book = createRuleBook(ports);
  const asking = createAsking(ports);
  /** Which question a decision answers, and who did. */
  const answered = new WeakMap<Decision, { readonly requestId: string; readonly by: string | null }>();

  const judge = (prepared: PreparedCall, ruling: Ruling, options: JudgeOptions): Eventual<Judgement> => {
    const { decision } = ruling;
    if (decision.decision === "deny") return { kind: "denied", decision, resultType: "denied" };
    if (decision.decision === "allow" && options.hook.decision !== "ask") return allow(decision, ruling);
    return judgeOpen(prepared, ruling, options);
  };

  /** What the rules leave to others. */
  const judgeOpen = async (prepared: PreparedCall, ruling: Ruling, options: JudgeOptions): Promise<Judgement> => {
    const { decision } = ruling;
    const hookAsks = options.hook.decision === "ask";
    const asked = hookAsks ? changed(decision, "ask", "permission.hook-asked", options.hook.reason ?? ASKED) : decision;
    // Ask rules and hooks that ask are heeded; everything else that would be asked has other ways to an answer.
    const settled =
      hookAsks || isByAskRule(decision) ? refuseToAsk(asked, ruling) : await settle(prepared, ruling, options);
    if (settled?.decision === "allow") return allow(settled, ruling);
    if (settled !== null) return { kind: "denied", decision: settled, resultType: "denied" };
    if (!options.mayAsk) return { kind: "open", decision: asked };
    return ask(prepared, { ...ruling, decision: asked }, options);
  };

  /** What replaces the question, never a deny or ask rule or a mode (X2). */
  const settle = async (prepared: PreparedCall, ruling: Ruling, options: JudgeOptions): Promise<Decision | null> => {
    const { decision } = ruling;
    const { tool } = prepared;
    const known = foretell(ruling, prepared);
    if (known.decision !== "ask") return known;
    if (options.hook.decision === "allow")
      return changed(decision, "allow", "permission.hook-allowed", options.hook.reason ?? "a hook allowed it");
    if (maySkip(tool))
      return changed(decision, "allow", "permission.skipped", "the tool is defined to need no permission");
    const isPlan = ruling.subject.subject.kind === "plan";
    if (isPlan && ports.plansAreShown())
      return changed(decision, "allow", "permission.plan", "the plan is shown to whoever approves plans");
    // Only a person agrees to a plan, or somebody who wrote a rule about it.
    const classifier = isPlan ? null : ports.classifier();
    const answer = classifier === null ? UNSURE : await classify(classifier, toRequest(prepared, ruling, options));
    if (answer.verdict === "unsure")
      return ports.handler() === null && !ports.hasAskHooks() ? runUnasked(prepared, ruling) : null;
    const { verdict, reason, code = "permission.classified" } = answer;
    return changed(decision, verdict === "safe" ? "allow" : "deny", code, reason);
  };

  /** The last step: what nobody answers is denied, save what the program around the session defined itself (X3). */
  const runUnasked = ({ tool }: PreparedCall, { decision, subject }: Ruling): Decision | null => {
    const { value, origin } = ports.hostTools();
    if (value !== "allow" || !isOfHost(tool) || subject.subject.kind === "plan") return null;
    const text = "the program that runs the session defined the tool itself, and nobody is there to be asked";
    return changed(decision, "allow", "permission.host-tool", text, origin);
  };

  const toRequest = (
    prepared: PreparedCall,
    { decision, subject, narrowest, exactly }: Ruling,
    { cancelling, hook }: JudgeOptions,
  ): PermissionRequest => {
    const { call, entry, tool, args } = prepared;
    return {
      kind: hook.decision === "ask" ? "hook" : toKind(subject, tool),
      toolName: entry.wireName,
      toolArgs: args,
      toolCallId: call.id,
      sessionId: ports.sessionId,
      description: tool.description,
      parts: decision.parts,
      reason: decision.text,
      origin: formatOrigin(decision.origin),
      source: sourceOf(tool),
      code: decision.code,
      // What a rule or a hook asks about is asked about each time, and so is every plan: there is nothing to keep.
      suggestions:
        hook.decision === "ask" || isByAskRule(decision) || subject.subject.kind === "plan"
          ? []
          : toSuggestions(entry, exactly(prepared), narrowest(prepared)),
      signal: cancelling.signal,
    };
  };

  const ask = (prepared: PreparedCall, ruling: Ruling, options: JudgeOptions): Promise<Judgement> =>
    asking.inTurn(options.cancelling.signal, async () => {
      // While others were asked, this one may have been answered; by another process too.
      await ports.grants().refresh();
      const again = await book.rule(prepared);
      if (again.decision.decision === "deny") return { kind: "denied", decision: again.decision, resultType: "denied" };
      const mustAsk = options.hook.decision === "ask" || isByAskRule(again.decision);
      const since = again.decision.decision === "allow" ? again.decision : again.bound(prepared);
      if (since !== null && !mustAsk) return allow(since, again);
      options.onAsking();
      const request = toRequest(prepared, ruling, options);
      const { answer, by, requestId } = await asking.ask(request, prepared);
      const { decision } = ruling;
      const unasked = by === null && !mustAsk ? runUnasked(prepared, ruling) : null;
      if (unasked !== null) return allow(unasked, ruling);
      if (answer.decision === "deny") {
        const code = by === null ? "permission.no-handler" : "permission.refused";
        const text = answer.reason ?? `${by ?? "nobody"} did not allow it`;
        // A rule that asks is the reason then, and what a person would change.
        const denied =
          by === null && mustAsk
            ? changed(decision, "deny", code, `${decision.text}, and nobody is there to be asked`, decision.origin)
            : changed(decision, "deny", code, text);
        answered.set(denied, { requestId, by });
        return { kind: "denied", decision: denied, resultType: answer.endTurn === true ? "rejected" : "denied" };
      }
      const allowed = changed(decision, "allow", "permission.approved", `${by ?? "somebody"} allowed it`);
      answered.set(allowed, { requestId, by });
      if (answer.updatedInput !== undefined)
        return { kind: "rewritten", decision: allowed, updatedInput: answer.updatedInput };
      await keep(prepared, ruling, request, answer);
      return allow(allowed, ruling);
    });

  const keep = async (
    prepared: PreparedCall,
    { exactly }: Ruling,
    request: PermissionRequest,
    answer: Answered["answer"],
  ): Promise<void> => {
    const { scope = "once", boundToArguments = false, expiresIn = null } = answer;
    if (scope === "once" || request.suggestions.length === 0) return;
    const rules = boundToArguments ? [] : (request.suggestions[0]?.rules ?? []);
    const made = { scope, rules, args: exactly(prepared), now: ports.today(), expiresIn };
    await ports.grants().add(toGrant(prepared.entry, made));
  };

  const tell = ({ call }: PreparedCall, made: Decision): void => {
    const { decision, code, text, origin } = made;
    const { requestId = null, by = null } = answered.get(made) ?? {};
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
  };

  return {
    get revision() {
      return ports.rules().revision;
    },
    judge(prepared, options) {
      return whenKnown(book.rule(prepared), (ruling) =>
        whenKnown(judge(prepared, ruling, options), (judgement) => {
          // A call that was given up meanwhile has ended: a decision behind its end would look like one about another call.
          if (options.cancelling.isCancelled) return judgement;
          if (judgement.kind === "allowed" || judgement.kind === "denied") tell(prepared, judgement.decision);
          return judgement;
        }),
      );
    },
  };
}

function allow(decision: Decision, { readOnly, reach }: Ruling): Judgement {
  return { kind: "allowed", decision, readOnly, reach };
}

const UNSURE = { verdict: "unsure" } as const satisfies Classification;

const ASKED = "a hook wants it to be asked about";

/** What is decided before anybody is asked: rules, mode and kept approvals. `ask` means that somebody would be. */
export function foretell(ruling: Ruling, call: RuledCall): Decision {
  const { decision } = ruling;
  if (decision.decision !== "ask") return decision;
  const granted = isByAskRule(decision) ? null : ruling.bound(call);
  return granted ?? refuseToAsk(decision, ruling) ?? decision;
}

/** What could be kept of an approval: the narrowest rules, and these very arguments. */
function toSuggestions({ identity }: Entry, exactly: unknown, rules: readonly string[]): readonly Suggestion[] {
  const bound = { rules: [], text: describeGrant({ tool: identity, rules: [], digest: digestOf(exactly) }) };
  return rules.length === 0 ? [bound] : [{ rules, text: rules.join(", ") }, bound];
}

/** In `dont-ask` mode what would be asked is denied; that is a mode, which no hook replaces. */
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

function sourceOf({ source, server, owner }: Tool): string {
  if (source === "builtin") return "built-in";
  if (source === "mcp") return `server ${server}`;
  return owner === null ? source : `${owner.kind} ${owner.name}`;
}

/** Only tools of this program and of the host may say so about themselves (X2). */
function maySkip(tool: Tool): boolean {
  if (!tool.skipPermission || isUntrusted(tool)) return false;
  return tool.source === "builtin" || isOfHost(tool);
}

/** Defined in the code of the program that runs the session: not by a module, an extension or a connection. */
function isOfHost({ source, owner }: Tool): boolean {
  return source === "external" && owner?.kind === "host";
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
