import type { Cancelling } from "../../core/call/cancelling.ts";
import type { Eventual } from "../../core/call/eventual.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { HookRun } from "./command-hook.ts";
import { readOutput } from "./read-output.ts";

/** How long a hook without a time limit of its own may take. */
export const DEFAULT_SECONDS = 60;

/** Runs a hook of this program; one that throws, hangs or answers nonsense has failed, as a command would have. */
export function runFunction(call: () => unknown, cancelling: Cancelling, clock: Clock): Eventual<HookRun> {
  if (cancelling.isCancelled) return CANCELLED;
  try {
    const answer = call();
    // Most hooks answer at once; then there is nothing to wait for or to cancel.
    return isThenable(answer) ? within(answer, cancelling, clock).catch(toFailure) : toRun(answer);
  } catch (error) {
    return toFailure(error);
  }
}

function toFailure(error: unknown): HookRun {
  return { outcome: "failed", error: error instanceof Error ? error.message : String(error) };
}

const CANCELLED: HookRun = { outcome: "failed", error: "the call was cancelled" };

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function toRun(answer: unknown): HookRun {
  const verdict = readOutput(answer);
  return verdict === null
    ? { outcome: "failed", error: "its answer cannot be understood" }
    : { outcome: "ok", verdict, text: "" };
}

function within(answer: PromiseLike<unknown>, cancelling: Cancelling, clock: Clock): Promise<HookRun> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(
      () => resolve({ outcome: "timeout", error: `no answer within ${DEFAULT_SECONDS} s` }),
      DEFAULT_SECONDS * 1000,
    );
    const letGo = cancelling.onCancel(() => resolve(CANCELLED));
    void Promise.resolve(answer)
      .then(toRun)
      .then(resolve, reject)
      .finally(() => {
        clock.clearTimeout(timer);
        letGo();
      });
  });
}
