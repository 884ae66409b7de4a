import { SILENT } from "../../system/logger.ts";
import type { Surroundings } from "../../system/surroundings.ts";
import { openConversation } from "./conversation/open-conversation.ts";
import { checkOptions } from "./options/check-options.ts";
import { createGivenOptions } from "./options/given-options.ts";
import { loadGiven } from "./options/load-given.ts";
import { refuseWithoutRequested } from "./options/requested-tools.ts";
import { type SessionOptions, withoutUndefined } from "./options/session-options.ts";
import { fromStoredOptions, toStoredOptions } from "./options/stored-options.ts";
import type { SurfaceSetting } from "./options/surface-setting.ts";
import { type SurfaceSession, toProgramSession } from "./program-session.ts";
import { toPlace, toProgramSetting } from "./program-setting.ts";
import type { ResumeOptions } from "./public-session.ts";
import { openRequiredAudit } from "./required-audit.ts";
import { createOutsideCalls } from "./stored/outside-calls.ts";
import { type JournalPlace, openNewJournal, reopenJournal, type SessionJournal } from "./stored/session-journal.ts";
import { createSessionEmitter } from "./tools/setting.ts";

/** `createSession` in given surroundings, for a program or a surface of ours. */
export async function createSessionIn(
  around: Surroundings,
  options: SessionOptions = {},
  surface: SurfaceSetting = {},
): Promise<SurfaceSession> {
  checkOptions(options, "createSession");
  options.signal?.throwIfAborted();
  const { store, sessionId: id = around.newId(), tenant = "" } = options;
  const journal = store ? await openNewJournal(id, store, tenant, toJournalPlace(options, around)) : null;
  return open(options, around, surface, { id, journal, call: "createSession" });
}

/** `resumeSession` in given surroundings. */
export async function resumeSessionIn(
  around: Surroundings,
  id: string,
  { continue: continues = false, abandon = false, ...options }: ResumeOptions,
  surface: SurfaceSetting = {},
): Promise<SurfaceSession> {
  checkOptions(options, "resumeSession");
  options.signal?.throwIfAborted();
  const journal = await reopenJournal(id, options.store, toJournalPlace(options, around));
  const merged = { ...fromStoredOptions(journal.state.options), ...withoutUndefined(options) };
  return open(merged, around, surface, { id, journal, call: "resumeSession", abandon, continues });
}

interface Opening {
  readonly id: string;
  /** Null where the session is not stored. */
  readonly journal: SessionJournal | null;
  /** What the program called, for errors. */
  readonly call: string;
  readonly abandon?: boolean;
  readonly continues?: boolean;
}

async function open(
  options: SessionOptions,
  around: Surroundings,
  surface: SurfaceSetting,
  { id, journal, call, abandon = false, continues = false }: Opening,
): Promise<SurfaceSession> {
  try {
    const place = toPlace(options, around);
    const { logger = SILENT } = options;
    const { hidden } = surface;
    const emitter = createSessionEmitter({ timing: around, logger, hidden, journal: journal ?? undefined });
    const { emit } = emitter;
    const external = createOutsideCalls(around, journal, emit, surface.external);
    const given = createGivenOptions(options, external, (next, name) =>
      loadGiven(next, name, place, around.cwd, surface.guards),
    );
    const config = await given.load(call);
    const audit = await openRequiredAudit(config, place, options.logger);
    const setting = toProgramSetting({ id, place, around, journal, surface, given, external, audit, emit });
    const opened = await openConversation(
      config,
      emitter,
      { setting, around, given: () => given.now },
      { options: toStoredOptions(options), abandon, check: (session) => refuseWithoutRequested(session, options) },
    );
    journal?.pruneDaily(() => opened.session.config.store.keep.value);
    surface.opened?.(opened.session);
    const continued = continues ? opened.conversation.goOn() : null;
    return toProgramSession(opened, { given, external, emit, continued, isStored: journal !== null });
  } catch (error) {
    await journal?.recorder.close();
    throw error;
  }
}

function toJournalPlace(options: SessionOptions, around: Surroundings): JournalPlace {
  const { home, cwd } = toPlace(options, around);
  return { home, workspace: cwd, surroundings: around };
}
