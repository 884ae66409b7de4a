import { expandCommand } from "../../core/agent/prompt-command.ts";
import { sourced } from "../../core/codes/origin.ts";
import type { CribView } from "../../runtime/crib/crib.ts";
import { MAIN } from "../../runtime/crib/profile.ts";
import { keepNew } from "../../runtime/session/kept-session.ts";
import type { KeptSchedule } from "../../sources/schedule.ts";
import { openConfiguredAgent } from "./agent-session.ts";
import type { CommandInput } from "./command.ts";
import { loadAsked } from "./load-asked.ts";
import { NO_OVERRIDES, readOverrides, stackOverrides } from "./overrides.ts";
import { findKeptStore } from "./own-store.ts";
import { requireModel } from "./require-model.ts";

const NOBODY = { onPermissionRequest: () => null, askUser: null };
/** Milliseconds for servers to start, and for a run that nobody watches. */
const PATIENCE = 30_000;
const LIMITS = { turns: 200, time: 3_600_000 };

/** Runs what is due, stored like any kept session. Nobody is there, so what would be asked about is denied (T11). */
export async function runScheduled(
  input: CommandInput,
  { id, prompt, agent, mode, model }: KeptSchedule,
  sessionId: string,
  signal: AbortSignal,
  watch: (view: CribView) => void = () => {},
): Promise<{ readonly stopReason: string; readonly text: string }> {
  const by = { kind: "call", call: `schedule ${id}` } as const;
  const own = {
    ...NO_OVERRIDES,
    agent: agent === null ? null : sourced(agent, by),
    mode: mode === null ? null : sourced(mode, by),
    model: model === null ? null : sourced(model, by),
  };
  const alone = { ...input, io: { ...input.io, canAsk: false } };
  const config = await loadAsked(alone, stackOverrides(readOverrides(input.args), own));
  await requireModel(alone, config);
  const place = await findKeptStore(alone);
  const kept = await keepNew(sessionId, place.setting.url.value, "", place);
  const opened = await openConfiguredAgent(alone, config, NOBODY, { kept, options: {} }).catch(
    async (error: unknown) => {
      await kept.recorder.close();
      throw error;
    },
  );
  watch({ session: opened.session, label: `schedule ${id}`, principal: MAIN });
  try {
    await opened.session.settled(AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]));
    return await opened.run(expandCommand(prompt, config.commands) ?? prompt, { signal, limits: LIMITS });
  } finally {
    await opened.close();
  }
}
