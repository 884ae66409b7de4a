import { createScheduleRunner } from "../../../runtime/agents/schedule-runner.ts";
import { reachStore } from "../../../runtime/session/stored/session-journal.ts";
import { escapeLines } from "../../../system/text/escape-text.ts";
import { type RunningRuns, runScheduled } from "../agent/run-scheduled.ts";
import type { CommandInput } from "../command-line/command.ts";
import { toBook } from "../stored/own-schedules.ts";
import { findWorkspaceStore } from "../stored/own-store.ts";

/** Runs what is due in this workspace until it is closed; those who watch see its sessions. */
export async function startSchedules(
  input: CommandInput,
  cwd: string,
  running: RunningRuns,
): Promise<{ close(): Promise<void> }> {
  const here = { ...input, io: { ...input.io, cwd, canAsk: false } };
  const place = await findWorkspaceStore(here);
  const { store, close } = await reachStore(place.setting.url.value, place);
  const { clock, today } = place.surroundings;
  const runner = createScheduleRunner({
    book: toBook(store, place),
    run: async (schedule, sessionId, signal) =>
      (await runScheduled(here, schedule, sessionId, signal, running)).stopReason,
    clock,
    today,
    onEvent: (text) => input.io.err(`${escapeLines(text)}\n`),
  });
  return {
    async close() {
      await runner.close();
      await close();
    },
  };
}
