import type { Cancelling } from "../../core/call/cancelling.ts";
import type { Decision } from "../../core/call/decision.ts";
import type { ExecutorPorts, Judgement, PreToolOutcome } from "./ports.ts";
import { type PreparedCall, validateCall } from "./prepare-call.ts";
import { readArguments } from "./read-arguments.ts";
import { end, endWith, go, type Step } from "./step.ts";
import type { Confirmation } from "./stream.ts";

/** A call that may run, exactly as it was judged. */
export interface JudgedCall {
  readonly prepared: PreparedCall;
  readonly readOnly: boolean;
  readonly decision: Decision;
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
export async function judgeCall(first: PreparedCall, setting: JudgeSetting, ports: Ports): Promise<Step<JudgedCall>> {
  const said = await ports.hooks.pre(first, setting.cancelling);
  if (said.decision === "deny" || said.endTurn) {
    const text = `Denied by preToolUse hook: ${said.reason ?? "No reason provided"}`;
    return end({ textResultForLlm: text, resultType: "denied", error: text }, said.endTurn);
  }
  const hooked = await rewrite(first, said, ports);
  if (hooked.kind === "end") return hooked;
  let prepared = hooked.value;
  let hook: Pick<PreToolOutcome, "decision" | "reason"> = said;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { revision } = ports.permissions;
    const judgement = await judgeWhenAllowed(prepared, hook, setting, ports);
    switch (judgement.kind) {
      case "allowed": {
        const { readOnly, decision } = judgement;
        return go({ prepared, readOnly, decision, additionalContext: said.additionalContext, revision });
      }
      case "denied":
        return end(toRefusal(judgement), judgement.resultType === "rejected");
      case "open":
        return endWith("The call was not confirmed.", "denied");
      case "rewritten": {
        const rewritten = await rewrite(prepared, judgement, ports);
        if (rewritten.kind === "end") return rewritten;
        prepared = rewritten.value;
        hook = { decision: "allow", reason: judgement.decision.text };
      }
    }
  }
  return endWith("The call was denied: its input was changed again and again while it was judged.", "denied");
}

/** Nothing is asked while the model may still take the call back (X6). */
async function judgeWhenAllowed(
  prepared: PreparedCall,
  hook: Pick<PreToolOutcome, "decision" | "reason">,
  { cancelling, confirmation, onAsking }: JudgeSetting,
  { permissions }: Ports,
): Promise<Judgement> {
  const judge = () =>
    permissions.judge(prepared, { hook, mayAsk: confirmation.state === "confirmed", cancelling, onAsking });
  const judgement = await judge();
  if (judgement.kind !== "open") return judgement;
  await confirmation.settled;
  return judge();
}

/** New input is read and validated like the first one was; the caller has it judged. */
async function rewrite(
  prepared: PreparedCall,
  said: { readonly updatedInput?: unknown },
  { validator }: Ports,
): Promise<Step<PreparedCall>> {
  if (said.updatedInput === undefined) return go(prepared);
  const args = readArguments(said.updatedInput);
  const checked = args.kind === "end" ? args : await validateCall({ ...prepared, args: args.value }, validator);
  if (checked.kind === "go") return checked;
  const { textResultForLlm, error } = checked.result;
  return endWith(`A hook changed the arguments to what cannot be used. ${textResultForLlm}`, "failure", error);
}

function toRefusal({ decision, resultType }: Extract<Judgement, { kind: "denied" }>) {
  const text = `Permission denied: ${decision.text}`;
  return {
    textResultForLlm: /[.!?]$/.test(text) ? text : `${text}.`,
    resultType,
    error: `${decision.code}: ${decision.text}`,
  };
}
