import type { Cancelling } from "../../core/call/cancelling.ts";
import type { Decision } from "../../core/call/decision.ts";
import { type Eventual, known, type Stage } from "../../core/call/eventual.ts";
import { isRepeatable } from "../../core/trust/repeatable.ts";
import { cancelled } from "./cancellation.ts";
import type { AllowedCall, CallReach, ExecutorPorts, Judgement, PreToolOutcome } from "./ports.ts";
import { type PreparedCall, validateCall } from "./prepare-call.ts";
import { readArguments } from "./read-arguments.ts";
import { type Ended, end, endWith, go, type Step } from "./step.ts";
import type { Confirmation } from "./stream.ts";

/** A call that may run, exactly as it was judged. */
export interface JudgedCall extends AllowedCall {
  readonly readOnly: boolean;
  readonly reach: (prepared: PreparedCall) => CallReach;
  readonly additionalContext: readonly string[];
}

export interface JudgeSetting {
  readonly cancelling: Cancelling;
  readonly confirmation: Confirmation;
  readonly onAsking: () => void;
}

type HookWord = Pick<PreToolOutcome, "decision" | "reason">;
type Ports = Pick<ExecutorPorts, "hooks" | "permissions" | "validator" | "filters">;

/** Input that changes in every round is never judged. */
const MOST_ROUNDS = 3;

/** Second and third stage: hooks, then permission for the input that would really run. */
export function* judgeCall(first: PreparedCall, setting: JudgeSetting, ports: Ports): Stage<Step<JudgedCall>> {
  // What counts later is compared with how things were before anything looked at the call.
  const { revision } = ports.permissions;
  const hooked = yield* known(ports.hooks.pre(first, setting.cancelling));
  const { additionalContext, endTurn } = hooked;
  if (hooked.decision === "deny" || endTurn) return endByHook(hooked.reason, endTurn);
  let hook: HookWord = hooked;
  let approval: Decision | null = null;
  let changed = hooked.updatedInput === undefined ? go(first) : yield* rewrite(first, hooked, "A hook", setting, ports);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (changed.kind === "end") return changed;
    const { value: prepared } = changed;
    let judgement = yield* known(judgeNow(prepared, hook, setting, ports));
    if (judgement.kind === "open") {
      // Nothing is asked while the model may still withdraw the call (X6).
      yield* known(setting.confirmation.settled);
      judgement = yield* known(judgeNow(prepared, hook, setting, ports));
    }
    switch (judgement.kind) {
      case "allowed": {
        const { readOnly, decision, reach } = judgement;
        // It began early as a command that only reads; what a hook made of it waits like any other.
        const isEarly = prepared.tool.traits.readOnly || (readOnly && prepared === first);
        if (!isEarly && (yield* known(whenConfirmed(setting))) === "refused") return end(cancelled("refusal", false));
        if (decision.code === "permission.approved") approval = decision;
        return go({ prepared, readOnly, decision, hook, approval, reach, additionalContext, revision });
      }
      case "denied":
        return end(toDenial(judgement), judgement.resultType === "rejected");
      case "futile":
        return end(judgement.result);
      case "open":
        return endWith("The call was not confirmed.", "denied");
      case "rewritten":
        hook = { decision: "allow", reason: judgement.decision.text };
        approval = judgement.decision;
        changed = yield* reviewed(
          yield* rewrite(prepared, judgement, "Whoever approved the call", setting, ports),
          setting,
          ports,
        );
    }
  }
  if (changed.kind === "end") return changed;
  return endWith("The call was denied: its input was changed again and again while it was judged.", "denied");
}

function whenConfirmed({ confirmation }: JudgeSetting): Eventual<Confirmation["state"]> {
  return confirmation.state === "open" ? confirmation.settled : confirmation.state;
}

function* reviewed(step: Step<PreparedCall>, setting: JudgeSetting, ports: Ports): Stage<Step<PreparedCall>> {
  if (step.kind === "end" || ports.hooks.review === undefined) return step;
  const hooked = yield* known(ports.hooks.review(step.value, setting.cancelling));
  if (hooked.decision === "deny" || hooked.endTurn) return endByHook(hooked.reason, hooked.endTurn);
  return hooked.updatedInput === undefined ? step : yield* rewrite(step.value, hooked, "A hook", setting, ports);
}

export function endByHook(reason: string | null, endTurn: boolean): Ended {
  const text = `Denied by preToolUse hook: ${reason ?? "No reason provided"}`;
  return end({ textResultForLlm: text, resultType: "denied", error: text }, endTurn);
}

function judgeNow(prepared: PreparedCall, hook: HookWord, setting: JudgeSetting, ports: Ports): Eventual<Judgement> {
  const { cancelling, confirmation, onAsking } = setting;
  return ports.permissions.judge(prepared, { hook, mayAsk: confirmation.state === "confirmed", cancelling, onAsking });
}

/** New input is read, validated and filtered like the first one; the caller has it judged. */
function* rewrite(
  prepared: PreparedCall,
  hooked: { readonly updatedInput?: unknown },
  who: string,
  { cancelling }: JudgeSetting,
  { validator, filters }: Ports,
): Stage<Step<PreparedCall>> {
  const args = readArguments(hooked.updatedInput);
  const checked = args.kind === "end" ? args : yield* validateCall({ ...prepared, args: args.value }, validator);
  if (checked.kind === "go")
    return filters === undefined ? checked : yield* known(filters.arguments(checked.value, cancelling));
  const { textResultForLlm, error } = checked.result;
  return endWith(`${who} changed the arguments to what cannot be used. ${textResultForLlm}`, "failure", error);
}

/** `since` begins what is said of a rule that has come or changed meanwhile. */
export function toDenial({ decision, resultType }: Extract<Judgement, { kind: "denied" }>, since = "") {
  // A rule may come from an untrusted file, and must not be a way to speak to the model.
  const isFit = decision.rule === null || isRepeatable(decision.rule);
  const text = `Permission denied: ${since}${isFit ? decision.text : "a rule denies it"}`;
  return {
    textResultForLlm: /[.!?]$/.test(text) ? text : `${text}.`,
    resultType,
    error: `${decision.code}: ${decision.text}`,
    code: decision.code,
  };
}
