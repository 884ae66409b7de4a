import { sourced } from "../../../core/codes/origin.ts";
import type { Crib, CribView } from "../../../runtime/crib/crib.ts";
import { MAIN } from "../../../runtime/crib/profile.ts";
import { readSaid, sendSaid } from "../../../runtime/session/conversation/said-prompt.ts";
import type { AgentSetting } from "../../../runtime/session/open-agent.ts";
import { openNewJournal } from "../../../runtime/session/stored/session-journal.ts";
import type { StoredSchedule } from "../../../sources/schedule.ts";
import type { CommandInput } from "../command-line/command.ts";
import { NO_OVERRIDES, readOverrides, stackOverrides } from "../command-line/overrides.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { openOwnAudit } from "../stored/own-audit.ts";
import { findWorkspaceStore } from "../stored/own-store.ts";
import { openConfiguredAgent } from "./agent-session.ts";
import { requireModel } from "./require-model.ts";

/** A running Toolcrib that keeps a log for the sessions that are opened for it. */
export interface RunningRuns extends Pick<Crib, "beforeRun">, Pick<AgentSetting, "limitModel"> {
  readonly watch: (view: CribView) => void;
}

const NOBODY = { onPermissionRequest: () => null, askUser: null };
/** Milliseconds for servers to start, and for a run that nobody watches. */
const PATIENCE = 30_000;
const LIMITS = { turns: 200, time: 3_600_000 };

/** Runs what is due, stored like any kept session. Nobody is there, so what would be asked about is denied (T11). */
export async function runScheduled(
  input: CommandInput,
  { id, prompt, agent, mode, model }: StoredSchedule,
  sessionId: string,
  signal: AbortSignal,
  running: RunningRuns | null = null,
): Promise<{ readonly stopReason: string; readonly text: string }> {
  const by = { kind: "call", call: `schedule ${id}` } as const;
  const asked = {
    ...NO_OVERRIDES,
    agent: agent === null ? null : sourced(agent, by),
    mode: mode === null ? null : sourced(mode, by),
    model: model === null ? null : sourced(model, by),
  };
  const alone = { ...input, io: { ...input.io, canAsk: false } };
  const config = await loadAsked(alone, stackOverrides(readOverrides(input.args), asked));
  await requireModel(alone, config);
  const place = await findWorkspaceStore(alone);
  const kept = await openNewJournal(sessionId, place.setting.url.value, "", place);
  const label = `schedule ${id}`;
  const own = running ?? { audit: await openOwnAudit(alone, config, label) };
  const opened = await openConfiguredAgent(alone, config, NOBODY, { kept, options: {} }, own).catch(
    async (error: unknown) => {
      await kept.recorder.close();
      throw error;
    },
  );
  running?.watch({ session: opened.session, label, principal: MAIN });
  try {
    await opened.session.settled(AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]));
    return await sendSaid(opened.session, readSaid(prompt, config), (said) =>
      opened.run(said, { signal, limits: LIMITS }),
    );
  } finally {
    await opened.close();
  }
}
