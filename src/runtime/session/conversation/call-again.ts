import type { WaitingCall } from "../../../core/events/close-cut.ts";
import type { SessionJournal } from "../stored/session-journal.ts";
import type { OpenSession } from "../tools/session.ts";

/** Calls that waited for somebody when their process ended. */
export interface CalledAgain {
  /** Those that could not be made again, because their tools are not there. */
  readonly missing: readonly WaitingCall[];
  /** Resolves once all of them have ended. */
  over(signal: AbortSignal): Promise<void>;
  /** Gives up those that nobody has answered, and waits for the others. */
  giveUp(): Promise<void>;
}

/** They go on waiting for the same answer, and run once it comes or has come already (S5, S12). */
export function callAgain(
  waiting: readonly WaitingCall[],
  session: Pick<OpenSession, "call" | "settled" | "why">,
  kept: Pick<SessionJournal, "unanswered">,
): CalledAgain {
  const missing: WaitingCall[] = [];
  const isThere = ({ toolName }: WaitingCall): boolean => session.why(toolName).kind === "found";
  const made = waiting.map((one) => {
    const stop = new AbortController();
    const run = async (): Promise<void> => {
      if (!isThere(one)) await session.settled(stop.signal);
      if (isThere(one)) await session.call(one.toolName, one.arguments, { id: one.id, signal: stop.signal });
      else missing.push(one);
    };
    // The result says how it went; a store that is away fails the next step.
    return { questionId: one.questionId, stop, ended: run().catch(() => {}) };
  });
  const ended = Promise.all(made.map((one) => one.ended)).then(() => {});
  return {
    missing,
    over(signal) {
      const giveUp = (): void => {
        for (const { stop } of made) stop.abort(signal.reason);
      };
      if (signal.aborted) giveUp();
      signal.addEventListener("abort", giveUp, { once: true });
      return ended.finally(() => signal.removeEventListener("abort", giveUp));
    },
    async giveUp() {
      const open = made.length === 0 ? new Set() : await kept.unanswered();
      for (const { questionId, stop } of made) if (open.has(questionId)) stop.abort("user_initiated");
      await ended;
    },
  };
}
