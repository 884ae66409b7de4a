import type { Cancelling } from "../../core/call/cancelling.ts";
import type { Decision } from "../../core/call/decision.ts";
import { type Eventual, whenKnown } from "../../core/call/eventual.ts";
import { isRepeatable } from "../../core/trust/repeatable.ts";
import type { CallReach, ExecutorPorts, Judgement, PreToolOutcome } from "./ports.ts";
import { type PreparedCall, validateCall } from "./prepare-call.ts";
import { readArguments } from "./read-arguments.ts";
import { end, endWith, go, type Step } from "./step.ts";
import type { Confirmation } from "./stream.ts";

/** A call that may run, exactly as it was judged. */
export interface JudgedCall {
  readonly prepared: PreparedCall;
  readonly readOnly: boolean;
  readonly decision: Decision;
  readonly reach: (prepared: PreparedCall) => CallReach;
  readonly additionalContext: readonly string[];
  /** Of the rules that allowed it. */
  readonly revision: unknown;
}

export interface JudgeSetting {
  readonly cancelling: Cancelling;
  readonly confirmation: Confirmation;
  readonly onAsking: () => void;
}

type Ports = Pick<ExecutorPorts, "hooks" | "permissions" | "validator">;

/** Whoever keeps changing the input while it is judged never gets it judged. */
const MOST_ROUNDS = 3;

/** Second and third stage: hooks, then permission on the input that would really run. */
export function judgeCall(first: PreparedCall, setting: JudgeSetting, ports: Ports): Eventual<Step<JudgedCall>> {
  return whenKnown(ports.hooks.pre(first, setting.cancelling), (said): Eventual<Step<JudgedCall>> => {
    if (said.decision === "deny" || said.endTurn) {
      const text = `Denied by preToolUse hook: ${said.reason ?? "No reason provided"}`;
      return end({ textResultForLlm: text, resultType: "denied", error: text }, said.endTurn);
    }
    return whenKnown(rewrite(first, said, "A hook", ports), (hooked) =>
      hooked.kind === "end" ? hooked : judgeRound(1, hooked.value, said, said.additionalContext, setting, ports),
    );
  });
}

function judgeRound(
  round: number,
  prepared: PreparedCall,
  hook: Pick<PreToolOutcome, "decision" | "reason">,
  additionalContext: readonly string[],
  setting: JudgeSetting,
  ports: Ports,
): Eventual<Step<JudgedCall>> {
  if (round > MOST_ROUNDS)
    return endWith("The call was denied: its input was changed again and again while it was judged.", "denied");
  const { revision } = ports.permissions;
  return whenKnown(judgeWhenAllowed(prepared, hook, setting, ports), (judgement): Eventual<Step<JudgedCall>> => {
    switch (judgement.kind) {
      case "allowed": {
        const { readOnly, decision, reach } = judgement;
        return go({ prepared, readOnly, decision, reach, additionalContext, revision });
      }
      case "denied":
        return end(toRefusal(judgement), judgement.resultType === "rejected");
      case "open":
        return endWith("The call was not confirmed.", "denied");
      case "rewritten": {
        const agreed = { decision: "allow", reason: judgement.decision.text } as const;
        return whenKnown(rewrite(prepared, judgement, "Whoever approved the call", ports), (rewritten) =>
          rewritten.kind === "end"
            ? rewritten
            : judgeRound(round + 1, rewritten.value, agreed, additionalContext, setting, ports),
        );
      }
    }
  });
}

/** Nothing is asked while the model may still take the call back (X6). */
function judgeWhenAllowed(
  prepared: PreparedCall,
  hook: Pick<PreToolOutcome, "decision" | "reason">,
  { cancelling, confirmation, onAsking }: JudgeSetting,
  { permissions }: Ports,
): Eventual<Judgement> {
  const judge = () =>
    permissions.judge(prepared, { hook, mayAsk: confirmation.state === "confirmed", cancelling, onAsking });
  return whenKnown(judge(), (judgement) => (judgement.kind === "open" ? confirmation.settled.then(judge) : judgement));
}

/** New input is read and validated like the first one was; the caller has it judged. */
function rewrite(
  prepared: PreparedCall,
  said: { readonly updatedInput?: unknown },
  who: string,
  { validator }: Ports,
): Eventual<Step<PreparedCall>> {
  if (said.updatedInput === undefined) return go(prepared);
  const args = readArguments(said.updatedInput);
  return whenKnown(
    args.kind === "end" ? args : validateCall({ ...prepared, args: args.value }, validator),
    (checked) => {
      if (checked.kind === "go") return checked;
      const { textResultForLlm, error } = checked.result;
      return endWith(`${who} changed the arguments to what cannot be used. ${textResultForLlm}`, "failure", error);
    },
  );
}

function toRefusal({ decision, resultType }: Extract<Judgement, { kind: "denied" }>) {
  // A rule may stand in a file that anybody wrote, and is no way to speak to the model.
  const isFit = decision.rule === null || isRepeatable(decision.rule);
  const text = `Permission denied: ${isFit ? decision.text : "a rule denies it"}`;
  return {
    textResultForLlm: /[.!?]$/.test(text) ? text : `${text}.`,
    resultType,
    error: `${decision.code}: ${decision.text}`,
  };
}
