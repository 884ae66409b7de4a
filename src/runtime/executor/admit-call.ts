import { known, type Stage } from "../../core/call/eventual.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import { type ActiveCall, givenUp } from "./active-call.ts";
import { cancelled, orCancelled } from "./cancellation.ts";
import { type JudgedCall, toDenial } from "./judge-call.ts";
import type { ExecutorPorts } from "./ports.ts";
import { findTool, type PreparedCall } from "./prepare-call.ts";
import type { CallSlot } from "./scheduler.ts";
import { end, endWith, go, type Step } from "./step.ts";

/** Fourth stage: waits for the call's turn, and checks again what may have been narrowed in the meantime (E1). */
export function* admitCall(active: ActiveCall, judged: JudgedCall, ports: ExecutorPorts): Stage<Step<JudgedCall>> {
  const { call, cancellation } = active;
  const { prepared, readOnly } = judged;
  if (active.behind !== null && !active.inParentSlot) active.slot = reserveLate(prepared, ports);
  const { slot } = active;
  active.state = { kind: "queued", call };
  if (slot !== null) {
    const turn = slot.ready(ports.accessOf(prepared, readOnly));
    const patience = slot.isRunning ? null : giveUpWhenStuck(active, slot, prepared, ports);
    const isAdmitted = yield* known(orCancelled(turn, cancellation));
    patience?.();
    if (isAdmitted !== true) return end(cancellation.by === "timeout" ? STUCK : givenUp(active));
  } else if (cancellation.isCancelled) return end(givenUp(active));
  return yield* stillAllowed(active, judged, ports);
}

/** Rules that change in every round never let a call run. */
const MOST_ROUNDS = 3;

function* stillAllowed({ call, request, cancellation }: ActiveCall, judged: JudgedCall, ports: ExecutorPorts) {
  const { prepared, approval } = judged;
  let { revision } = judged;
  let { reach } = judged;
  // Who said yes took their time, in which also files and names may have changed that no revision knows of.
  let isFresh = approval === null;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = findTool(call.toolName, request);
    if (found.kind === "end") return found;
    const { tool, source } = found.value;
    const isSame = tool === prepared.tool && source === prepared.source;
    const now = isSame ? prepared : { ...prepared, tool, source };
    // Who said yes was told who would run it; what was started in its place is something else, if only since.
    if (approval !== null && source !== prepared.source) return endWith(`Permission denied: ${OTHER_SOURCE}`, "denied");
    const current = ports.permissions.revision;
    if (isFresh && current === revision) return go({ ...judged, prepared: now, reach });
    const judgement = yield* known(ports.permissions.again(now, judged, cancellation));
    if (judgement.kind !== "allowed") {
      const { decision } = judgement;
      const hasChanged = decision.code !== "permission.outdated" && current !== judged.revision;
      const denial = { kind: "denied", decision, resultType: "denied" } as const;
      return end(toDenial(denial, hasChanged ? "the rules changed, and now " : ""));
    }
    if (current !== judged.revision) ({ reach } = judgement);
    revision = current;
    isFresh = true;
  }
  return endWith("Permission denied: the rules changed again and again while it was judged.", "denied");
}

const OTHER_SOURCE =
  "what would run it was changed or started anew while the call waited, so the approval does not count for it. Call it again to be asked about it.";

/** A client's call takes its slot only now, so one that waited for an answer has not blocked others. */
function reserveLate({ tool, source }: PreparedCall, { scheduler }: ExecutorPorts): CallSlot | null {
  if (source.manner !== undefined && source.manner.queue !== "always") return null;
  return scheduler.reserve(!(tool.traits.readOnly && tool.traits.concurrencySafe));
}

/** A call waits for others as long as they take, but not for ever behind one that nobody waits for any longer. */
function giveUpWhenStuck(
  { cancellation, timeout }: ActiveCall,
  slot: CallSlot,
  { tool }: PreparedCall,
  { clock, limits }: ExecutorPorts,
): () => void {
  const wait = timeout ?? tool.timeout ?? limits.timeout;
  const look = () => {
    if (slot.isStuck) cancellation.cancel("timeout");
    else timer = clock.setTimeout(look, wait);
  };
  let timer = clock.setTimeout(look, wait);
  return () => clock.clearTimeout(timer);
}

const STUCK: ToolResult = {
  ...cancelled("timeout", false),
  textResultForLlm:
    "The call did not start: an earlier call was told to stop and has not let go of what this one needs.",
};
