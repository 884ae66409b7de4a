import { setTimeout as pass } from "node:timers/promises";
import { reportSources, type SourceReport } from "../../../runtime/report/source-report.ts";
import { isServer } from "../../../sources/source.ts";
import { findRestartable } from "../../http/views/live-views.ts";
import type { CommandInput, RunningHere } from "../command-line/command.ts";
import { readTimeout } from "../command-line/number-options.ts";

/** The servers of the Toolcrib that answers this command. */
export interface RunningServers {
  /** How that server is doing there; null when it has none of that name. */
  report(name: string): SourceReport | null;
  /** Restarts it behind `prepare`, which may start it by itself, and waits until that has succeeded or failed. */
  restart(name: string, prepare: () => Promise<void>): Promise<SourceReport | null>;
}

const BETWEEN = 100;

export function createRunningServers(input: CommandInput, { crib }: RunningHere): RunningServers {
  const report = (name: string): SourceReport | null =>
    reportSources(crib.main).find((each) => isServer(each) && each.name === name) ?? null;
  return {
    report,
    async restart(name, prepare) {
      const before = findRestartable(crib, name);
      await prepare();
      const server = findRestartable(crib, name);
      // Its state says what became of it.
      if (server !== null && server === before)
        await server.restart().catch((error: unknown) => input.log.debug(`${name} could not be restarted: ${error}`));
      const deadline = performance.now() + readTimeout(input.args);
      for (;;) {
        const now = report(name);
        const isUnderWay = now?.state === "starting" || now?.isRestarting === true;
        if (!isUnderWay || performance.now() >= deadline) return now;
        await pass(BETWEEN);
      }
    },
  };
}
