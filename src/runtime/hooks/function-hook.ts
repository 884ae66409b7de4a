import type { Clock } from "../../sources/mcp/clock.ts";
import type { HookRun } from "./command-hook.ts";
import { readOutput } from "./read-output.ts";

/** How long a hook that says nothing about it may take. */
export const DEFAULT_SECONDS = 60;

/** Runs a hook of this program; one that throws, hangs or answers nonsense has failed, as a command would have. */
export async function runFunction(call: () => unknown, signal: AbortSignal, clock: Clock): Promise<HookRun> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(
      () => resolve({ outcome: "timeout", error: `no answer within ${DEFAULT_SECONDS} s` }),
      DEFAULT_SECONDS * 1000,
    );
    const onAbort = (): void => resolve({ outcome: "failed", error: "the call was cancelled" });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const work = async (): Promise<HookRun> => {
      const said = readOutput(await call());
      return said === null
        ? { outcome: "failed", error: "its answer cannot be understood" }
        : { outcome: "ok", said, text: "" };
    };
    void work()
      .catch(
        (error: unknown): HookRun => ({
          outcome: "failed",
          error: error instanceof Error ? error.message : String(error),
        }),
      )
      .then(resolve)
      .finally(() => {
        clock.clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      });
  });
}
