import type { Clock, Timer } from "../../system/time/clock.ts";
import type { OpenSession } from "../session/tools/session.ts";

/** Resolves when none of the sessions runs a call any longer, or when the time is up. */
export async function waitForCalls(sessions: readonly OpenSession[], limit: number, clock: Clock): Promise<void> {
  let timer: Timer = null;
  const late = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, limit);
  });
  const stops: (() => void)[] = [];
  const idle = Promise.all(
    sessions.map(async (session) => {
      if (!session.hasCalls) return;
      await new Promise<void>((resolve) => {
        stops.push(
          session.on("tool.execution_complete", () => {
            if (!session.hasCalls) resolve();
          }),
        );
      });
    }),
  );
  await Promise.race([idle, late]);
  clock.clearTimeout(timer);
  for (const stop of stops) stop();
}
