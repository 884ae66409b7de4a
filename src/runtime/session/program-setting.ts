import { resolve } from "node:path";
import { homeFolder } from "../../config/layers/home-folder.ts";
import type { ExternalSource } from "../../sources/external/external-source.ts";
import { isServer } from "../../sources/source.ts";
import type { Surroundings } from "../../system/surroundings.ts";
import { readVersion } from "../../system/version.ts";
import type { SessionAudit } from "../audit/session-audit.ts";
import type { Emitter } from "../events/emitter.ts";
import type { GrantStore } from "../permissions/grant-store.ts";
import { openStoredGrants } from "../permissions/stored-grants.ts";
import type { GivenOptions } from "./options/given-options.ts";
import type { SessionOptions } from "./options/session-options.ts";
import type { SurfaceSetting } from "./options/surface-setting.ts";
import { fromSaved } from "./search/promotion-state.ts";
import { askThroughServers } from "./sources/ask-through-servers.ts";
import { createOwnSources } from "./sources/own-sources.ts";
import { type SessionJournal, toStoredSetting } from "./stored/session-journal.ts";
import { createStoredMemory } from "./stored/stored-memory.ts";
import { createToolStorage } from "./stored/tool-storage.ts";
import { configuredBuiltins, memoryFile } from "./tools/session-host.ts";
import { type SessionSetting, toSetting } from "./tools/setting.ts";

/** Where a program's session works. */
interface LibraryPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env: Surroundings["env"];
  /** Null where file tools have nothing to work on. */
  readonly workspace: string | null;
}

export function toPlace({ workspace }: SessionOptions, { cwd, env }: Surroundings): LibraryPlace {
  const folder = workspace === null ? null : resolve(cwd, workspace ?? ".");
  return { cwd: folder ?? cwd, home: homeFolder(env), env, workspace: folder };
}

interface ProgramParts {
  readonly id: string;
  readonly place: LibraryPlace;
  readonly around: Surroundings;
  readonly journal: SessionJournal | null;
  readonly surface: SurfaceSetting;
  readonly given: GivenOptions;
  readonly external: ExternalSource;
  readonly audit: SessionAudit | undefined;
  readonly emit: Emitter["emit"];
}

/** What a program's session is made of; what the program may replace is a function. */
export function toProgramSetting({ journal, given, place, emit, ...parts }: ProgramParts): SessionSetting {
  const { now: options } = given;
  const { external: _manner, guards: _guards, opened: _opened, server, database, ...surface } = parts.surface;
  const { clock, today, newId } = parts.around;
  const { onElicitationRequest, approvePlan, limits, logger, signal, embedder, tenant = "" } = options;
  const own = createOwnSources();
  const stored = journal && toStoredSetting(journal);
  const setting = toSetting({
    ...place,
    ...{ id: parts.id, timing: { clock, today, newId }, version: readVersion(), audit: parts.audit, mayCall: true },
    ...stored,
    ...(journal && createToolStorage(journal, emit, clock, database)),
    ...(journal && { grants: () => storedGrants(journal, place, tenant, clock.now) }),
    ...toMemory(options, journal, place),
    promoted: options.promoted ? fromSaved(options.promoted) : stored?.promoted,
    usage: { store: options.usage ?? stored?.usage.store ?? null, tenant },
    ...(embedder && { embedder }),
    ...(approvePlan && { approvePlan }),
    ...(limits && { limits }),
    ...(logger && { logger }),
    ...(signal && { signal }),
    builtins: (config) => configuredBuiltins(config, "off"),
    askUser: options.onUserInputRequest ?? null,
    elicits: Boolean(onElicitationRequest),
    onModeSet: given.setMode,
    onPermissionRequest: () => given.now.onPermissionRequest ?? null,
    hooks: () => given.now.hooks ?? NO_HOOKS,
    classifier: () => given.now.classifier ?? null,
    models: () => given.now,
    asksItself: () => Boolean(given.now.modelClient),
    sources: () => [{ key: "external", open: async () => parts.external }, ...own.wanted(given.now.sources ?? [])],
    facts: () => {
      const { allowNoTools, filterPrecedence } = given.now;
      return { allowNoTools, filterPrecedence, modelIsForced: given.modelIsForced };
    },
    ...surface,
  });
  const people = { sessionId: setting.id, newId, emit, logger: setting.logger, questions: journal?.questions };
  return {
    ...setting,
    open: async (wanted) => {
      const opened = await wanted.open();
      const source = isServer(opened) ? (server?.(opened) ?? opened) : opened;
      return askThroughServers(source, onElicitationRequest, people);
    },
  };
}

/** The same object each time, so that it is not prepared again for every call. */
const NO_HOOKS = {};

/** What the person of this machine approved in files counts on; nobody else's does. */
function storedGrants(
  { values }: SessionJournal,
  place: LibraryPlace,
  tenant: string,
  now: () => number,
): Promise<GrantStore> {
  return openStoredGrants(values, tenant === "" ? place : null, { now, newOnes: "store" });
}

/** The program's own, else that of the store where the feature is on; its older file lies in the workspace. */
function toMemory(
  { memory, features }: SessionOptions,
  journal: SessionJournal | null,
  { workspace }: LibraryPlace,
): Pick<SessionSetting, "memory"> {
  if (memory !== undefined) return { memory };
  if (journal === null || features?.memory !== true) return {};
  return { memory: createStoredMemory(journal.values, workspace === null ? null : memoryFile(workspace)) };
}
