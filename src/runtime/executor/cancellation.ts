import { setMaxListeners } from "node:events";
import type { Canceller, ToolResult } from "../../core/call/tool-result.ts";

/** Why a call or a whole batch is given up; the first one who says so counts (X7). */
export interface Cancellation {
  readonly signal: AbortSignal;
  readonly by: Canceller | null;
  cancel(by: Canceller): void;
}

/** With a parent: cancelled when that is, by whoever cancelled that. `release` lets go of it. */
export function createCancellation(parent?: Cancellation): Cancellation & { release(): void } {
  const controller = new AbortController();
  // Every call of a batch listens, and each lets go again.
  setMaxListeners(0, controller.signal);
  let by: Canceller | null = null;
  const cancel = (who: Canceller): void => {
    if (by !== null) return;
    by = who;
    controller.abort(new DOMException(`cancelled by ${who}`, "AbortError"));
  };
  const follow = (): void => cancel(parent?.by ?? "user");
  parent?.signal.addEventListener("abort", follow, { once: true });
  if (parent?.signal.aborted === true) follow();
  return {
    signal: controller.signal,
    get by() {
      return by;
    },
    cancel,
    release: () => parent?.signal.removeEventListener("abort", follow),
  };
}

const REASONS = {
  user: "The call was cancelled by the user",
  sibling: "The call was cancelled because another call of the same turn failed; nobody refused it",
  timeout: "The call took too long and was stopped",
  refusal: "The call was cancelled because the reply that asked for it was not finished",
  shutdown: "The call was cancelled because the session is closing",
} as const satisfies Record<Canceller, string>;

/** The one result of a call that was given up. It says who did it, so that no model reads a user's wish into it. */
export function cancelled(by: Canceller, started: boolean): ToolResult {
  const effect = started ? "It had started; whether it had an effect is unknown." : "It did not start.";
  return {
    textResultForLlm: `${REASONS[by]}. ${effect}`,
    resultType: by === "timeout" ? "timeout" : "failure",
    error: `cancelled: ${by}`,
    cancelledBy: by,
  };
}
