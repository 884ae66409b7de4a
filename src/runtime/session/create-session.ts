import { resolve } from "node:path";
import { homeFolder } from "../../config/layers/home-folder.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { AgentsPort } from "../../sources/agents-port.ts";
import type { ExternalSource } from "../../sources/external/external-source.ts";
import { isServer } from "../../sources/source.ts";
import type { Surroundings } from "../../system/surroundings.ts";
import { readVersion } from "../../system/version.ts";
import type { Emitter } from "../events/emitter.ts";
import type { GrantStore } from "../permissions/grant-store.ts";
import { openStoredGrants } from "../permissions/stored-grants.ts";
import type { ScopedValues } from "../store/scoped-values.ts";
import { NO_HOOKS } from "./calls/call-setting.ts";
import { beginKept } from "./conversation/begin-kept.ts";
import { createExchange } from "./conversation/exchange.ts";
import { toModels } from "./conversation/loop-setting.ts";
import { createSessionAgents, type SessionAgents } from "./conversation/session-agents.ts";
import { createTalk, type EarlierTalk, type OwnTalk } from "./conversation/talk.ts";
import { checkCallOptions, checkOptions, checkPrompt, checkRunOptions } from "./options/check-options.ts";
import { createGivenOptions, type GivenOptions } from "./options/given-options.ts";
import { loadGiven } from "./options/load-given.ts";
import { refuseWithoutRequested } from "./options/requested-tools.ts";
import type { SessionSurroundings } from "./options/run-profile.ts";
import { type SessionOptions, withoutUndefined } from "./options/session-options.ts";
import { fromStoredOptions, toStoredOptions } from "./options/stored-options.ts";
import type { ResumeOptions, Session } from "./public-session.ts";
import { openRequiredAudit } from "./required-audit.ts";
import { fromSaved } from "./search/promotion-state.ts";
import { createProjectUsage } from "./search/stored-usage.ts";
import { askThroughServers } from "./sources/ask-through-servers.ts";
import { createOwnSources } from "./sources/own-sources.ts";
import { keptForTools } from "./stored/kept-for-tools.ts";
import { type KeptPlace, type KeptSession, keepAgain, keepNew, toStoredParts } from "./stored/kept-session.ts";
import { createOutsideCalls } from "./stored/outside-calls.ts";
import { createStoredMemory } from "./stored/stored-memory.ts";
import { configuredBuiltins, createHostSetting, type HostOptions, memoryFile } from "./tools/host-setting.ts";
import { type OpenSession, openSession } from "./tools/session.ts";
import type { SessionSetting } from "./tools/setting.ts";

/** The same for a surface of Toolcrib, which also looks after agents and reports events of its own. */
export interface SurfaceSession extends Session {
  /** The agents that work for it, as its model reaches them. */
  readonly agents: Pick<AgentsPort, "known" | "start" | "list" | "read" | "send" | "stop">;
  /** Emits an event of the surface itself, in order with all others; stored where events are. */
  note(
    type: string,
    data: Readonly<Record<string, unknown>>,
    options?: { readonly ephemeral?: boolean; readonly agent?: string | null },
  ): void;
  /** Waits until everything that happened so far is stored; at once where nothing is. */
  stored(): Promise<void>;
}

/** `createSession` in given surroundings. */
export async function createSessionIn(
  around: SessionSurroundings,
  options: SessionOptions = {},
): Promise<SurfaceSession> {
  checkOptions(options, "createSession");
  options.signal?.throwIfAborted();
  const { store, sessionId = around.newId(), tenant = "" } = options;
  const kept = store ? await keepNew(sessionId, store, tenant, toKeptPlace(options, around)) : null;
  return open(options, around, sessionId, kept, "createSession");
}

/** `resumeSession` in given surroundings. */
export async function resumeSessionIn(
  around: SessionSurroundings,
  sessionId: string,
  { continue: continues = false, abandon = false, ...options }: ResumeOptions,
): Promise<SurfaceSession> {
  checkOptions(options, "resumeSession");
  options.signal?.throwIfAborted();
  const kept = await keepAgain(sessionId, options.store, toKeptPlace(options, around));
  const merged = { ...fromStoredOptions(kept.state.options), ...withoutUndefined(options) };
  const session = await open(merged, around, sessionId, kept, "resumeSession", abandon);
  if (continues) session.goOn();
  return session;
}

async function open(
  options: SessionOptions,
  surroundings: SessionSurroundings,
  id: string,
  kept: KeptSession | null,
  call: string,
  abandon = false,
): Promise<SurfaceSession & OwnTalk> {
  let emit: Emitter["emit"] = () => {};
  const tell: Emitter["emit"] = (name, data, agent) => emit(name, data, agent);
  const external = createOutsideCalls(surroundings, kept, tell, surroundings.profile?.external);
  const place = toPlace(options, surroundings);
  try {
    const given = createGivenOptions(options, external, (next, name) => loadGiven(next, name, place, surroundings));
    const config = await given.load(call);
    let session: OpenSession | null = null;
    const agents = createSessionAgents({
      config: () => session?.config ?? config,
      session: () => session,
      setting: () => setting,
      given: () => given.now,
      around: surroundings,
      emit: tell,
      past: kept?.past ?? [],
      report: (end) => held.report(end),
      tell: (text) => held.tell(text),
    });
    const audit = await openRequiredAudit(config, place, options.logger);
    const setting = toSetting(given, external, place, { ...surroundings, id, audit }, kept, agents, tell);
    session = await openSession(config, {
      ...setting,
      attach(ports) {
        emit = ports.emit;
        const setMode: typeof ports.setMode = (mode, origin) => {
          given.setMode(mode);
          ports.setMode(mode, origin);
        };
        setting.attach({ ...ports, setMode });
      },
    });
    await refuseWithoutRequested(session, options.requestedTools ?? []);
    kept?.pruneDaily(() => (session?.config ?? config).store.keep.value);
    const earlier = kept === null ? undefined : beginKept(kept, toStoredOptions(options), session, tell, abandon);
    const held = toHeld(session, given, external, tell, surroundings, earlier, agents);
    surroundings.profile?.opened?.(session);
    return held;
  } catch (error) {
    await kept?.recorder.close();
    throw error;
  }
}

/** The session as a program holds it. */
function toHeld(
  session: OpenSession,
  given: GivenOptions,
  external: ExternalSource,
  tell: Emitter["emit"],
  surroundings: SessionSurroundings,
  earlier: EarlierTalk | undefined,
  agents: SessionAgents,
): SurfaceSession & OwnTalk {
  const exchange = createExchange(session, tell);
  const { payload, execute, results } = exchange;
  const talk = createTalk({
    ...{ session, agents, earlier, exchange },
    ...{ given: () => given.now, around: surroundings, emit: tell },
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await earlier?.suspend();
    await talk.abort("closed");
    await agents.close();
    await session.close();
  };
  return {
    id: session.id,
    get toolset() {
      return session.toolset;
    },
    get sources() {
      return session.sources;
    },
    why: (name) => session.why(toName(name)),
    payload,
    execute: (reply, options) => onceStored(execute(reply, options), session),
    results,
    ...talk,
    run(prompt, options) {
      if (isClosed) throw new ToolcribError("session.closed", "the session is closed; open another one");
      return talk.run(checkPrompt(prompt, "run"), checkRunOptions(options));
    },
    send: (prompt, options) => talk.send(checkPrompt(prompt, "send"), options),
    get promotions() {
      return session.promotions;
    },
    nextTurn: session.nextTurn,
    async updateOptions(changes) {
      await given.update(changes, session);
      if (earlier === undefined) return;
      tell("session.options_changed", { options: toStoredOptions(changes) });
      await session.stored();
    },
    setTools: (owner, tools) => given.setTools(toName(owner), tools),
    answer: external.answer,
    agents,
    refresh: session.refresh,
    settled: session.settled,
    call: async (name, args, callOptions) => session.call(toName(name), args, checkCallOptions(callOptions)),
    calls: session.calls,
    interrupt: session.interrupt,
    on: session.on,
    note: (type, data, { ephemeral = false, agent = null } = {}) =>
      tell(ephemeral ? "client.signal" : "client.event", { type, data }, agent),
    stored: session.stored,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A program learns of a result once that is stored; a run waits before it asks its model again (S2). */
async function* onceStored<Result>(
  results: AsyncIterable<Result>,
  { stored }: Pick<OpenSession, "stored">,
): AsyncGenerator<Result, void, void> {
  for await (const result of results) {
    await stored();
    yield result;
  }
}

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly env: Surroundings["env"];
  /** Null where file tools have nothing to work on. */
  readonly workspace: string | null;
}

function toPlace({ workspace }: SessionOptions, { cwd, env }: Surroundings): Place {
  const folder = workspace === null ? null : resolve(cwd, workspace ?? ".");
  return { cwd: folder ?? cwd, home: homeFolder(env), env, workspace: folder };
}

/** What surrounds a program's session; whatever the program may replace is asked for anew. */
function toSetting(
  given: GivenOptions,
  external: ExternalSource,
  place: Place,
  { clock, today, newId, id, audit, profile }: SessionSurroundings & Pick<SessionSetting, "id" | "audit">,
  kept: KeptSession | null,
  agents: AgentsPort,
  emit: Emitter["emit"],
): SessionSetting {
  const { now: options } = given;
  const { onElicitationRequest } = options;
  const own = createOwnSources();
  const setting = createHostSetting({
    ...place,
    ...{ id, audit },
    activeSkills: kept?.state.skills ?? [],
    todo: kept?.state.todo,
    timing: { clock, today, newId },
    version: readVersion(),
    builtins: (config) => configuredBuiltins(config, "off"),
    askUser: options.onUserInputRequest ?? null,
    elicits: Boolean(onElicitationRequest),
    ...{ questions: kept?.questions, searchStores: kept?.searchStores },
    ...(kept === null ? {} : keptForTools(kept, emit, clock, profile?.database)),
    agents,
    askToken: profile?.askToken,
    ...(profile?.dialect === undefined ? {} : { dialect: profile.dialect }),
    ...(options.approvePlan === undefined ? {} : { approvePlan: options.approvePlan }),
    ...toMemory(options, kept, place),
    calls: {
      ...(kept === null ? {} : { grants: () => keptGrants(kept.values, place, options.tenant ?? "", clock.now) }),
      onPermissionRequest: () => given.now.onPermissionRequest ?? null,
      hooks: () => given.now.hooks ?? NO_HOOKS,
      classifier: () => given.now.classifier ?? null,
      models: () => toModels(given.now),
      limits: options.limits ?? {},
      mayCall: true,
      asksAtOnce: profile?.asksAtOnce === true,
      hooksFirst: profile?.hooksFirst === true,
      ...(profile?.storeLong === undefined ? {} : { storeLong: profile.storeLong }),
    },
    get sources() {
      return [{ key: "external", open: async () => external }, ...own.wanted(given.now.sources ?? [])];
    },
    get allowNoTools() {
      return given.now.allowNoTools;
    },
    get modelIsForced() {
      return given.modelIsForced;
    },
    get filterPrecedence() {
      return given.now.filterPrecedence;
    },
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return {
    ...setting,
    notices: () => [...(kept?.notices ?? []), ...setting.notices()],
    open: async (wanted) => {
      const opened = await wanted.open();
      const source = isServer(opened) ? (profile?.server?.(opened) ?? opened) : opened;
      const { id: sessionId, logger } = setting;
      return askThroughServers(source, onElicitationRequest, {
        ...{ sessionId, newId, emit, logger, questions: kept?.questions },
      });
    },
    ...(kept === null ? {} : toStoredParts(kept)),
    hidden: profile?.hidden,
    promoted: fromSaved(options.promoted ?? kept?.state.promotions ?? null),
    usage: { store: options.usage ?? (kept && createProjectUsage(kept.values)), tenant: options.tenant ?? "" },
    ...(options.embedder ? { embedder: options.embedder } : {}),
  };
}

/** What the person of this machine approved in files counts on; nobody else's does. */
function keptGrants(values: ScopedValues, place: Place, tenant: string, now: () => number): Promise<GrantStore> {
  return openStoredGrants(values, tenant === "" ? place : null, { now, newOnes: "store" });
}

/** The program's own, else that of the store where the feature is on; its older file lies in the workspace. */
function toMemory(
  { memory, features }: SessionOptions,
  kept: KeptSession | null,
  { workspace }: Place,
): Pick<HostOptions, "memory"> {
  if (memory !== undefined) return { memory };
  if (kept === null || features?.memory !== true) return {};
  return { memory: createStoredMemory(kept.values, workspace === null ? null : memoryFile(workspace)) };
}

function toKeptPlace(options: SessionOptions, surroundings: Surroundings): KeptPlace {
  const { home, cwd } = toPlace(options, surroundings);
  return { home, workspace: cwd, surroundings };
}

/** What programs without types get wrong first. */
function toName(name: unknown): string {
  if (typeof name === "string") return name;
  throw new TypeError(`a name must be text; found ${name === null ? "null" : typeof name}`);
}
