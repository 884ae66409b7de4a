import { createHash, randomUUID } from "node:crypto";
import type { Config } from "../../config/config.ts";
import { OWN_STORE } from "../../config/shape/store-shape.ts";
import type { SceneFacts } from "../../config/to-scene.ts";
import { nameList } from "../../core/codes/origin.ts";
import { personKey } from "../../core/people/person.ts";
import { toClient } from "../../core/scene/client.ts";
import type { Limit } from "../../core/scene/scene.ts";
import { type ChangeListeners, createChangeListeners } from "../../sources/parts/change-listeners.ts";
import type { Source } from "../../sources/source.ts";
import { SILENT } from "../../system/logger.ts";
import { detectSandbox } from "../../system/sandbox/detect-sandbox.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import type { LoginAsker } from "../credentials/ask-login.ts";
import type { UpstreamCredentials, UpstreamServer } from "../credentials/contract.ts";
import type { CallAllowance } from "../executor/ports.ts";
import { createValidator, type Validator } from "../executor/validator.ts";
import type { SessionHooks } from "../hooks/hook-types.ts";
import { type GrantPlace, type GrantStore, openGrants } from "../permissions/grant-store.ts";
import { openStoredGrants } from "../permissions/stored-grants.ts";
import { createSearchStores, type SearchStores } from "../session/search/search-stores.ts";
import type { UsageStore } from "../session/search/search-usage.ts";
import { createStoredUsage } from "../session/search/stored-usage.ts";
import type { WantedSource } from "../session/sources/configured-sources.ts";
import { withAskedLogin } from "../session/sources/with-asked-login.ts";
import { withClient } from "../session/sources/with-client.ts";
import { type OpenSession, openSession } from "../session/tools/session.ts";
import { type GivenSetting, type SessionSetting, toSetting } from "../session/tools/setting.ts";
import { createScopedValues } from "../store/scoped-values.ts";
import type { KeyValues } from "../store/store.ts";
import { createApprovals, LEFT_TO_OTHERS } from "./approvals.ts";
import type { Crib, CribView, Profile, ViewOptions } from "./crib.ts";
import { type CribLimits, createCribLimits, type LimitedProfile } from "./crib-limits.ts";
import { detectOnce } from "./detect-once.ts";
import { waitForCalls } from "./drain.ts";
import { gatewayBuiltins, keepsState } from "./gateway-builtins.ts";
import { type GuardedApprovals, guardApprovals, type RefusedAnswer } from "./guarded-approvals.ts";
import { createPersonPlaces, type PersonPlaces } from "./person-places.ts";
import { describeView, MAIN, mainProfile, renewProfile, toFollowedConfig, toViewConfig } from "./profile.ts";
import { restartChanged } from "./restart-changed.ts";
import { createSharedApprovals, type SharedPlace } from "./shared-approvals.ts";
import { createSourcePool } from "./source-pool.ts";
import { createViewApprover } from "./view-approver.ts";
import { createViewGrants } from "./view-grants.ts";

export interface CribOptions extends Pick<GivenSetting, "version" | "cwd" | "home" | "env" | "workspace" | "logger"> {
  readonly clock?: Clock;
  /** Milliseconds for which an unused source keeps running. */
  readonly grace?: number;
  /** Milliseconds for which `close` lets running calls continue. */
  readonly drain?: number;
  /** Whether anybody watches the queue of approvals; yes if absent. */
  readonly isWatched?: (config: Config) => boolean;
  readonly hooks?: () => SessionHooks;
  /** Called before each call runs. */
  readonly beforeRun?: SessionSetting["beforeRun"];
  /** Called for each session before anything runs in it. */
  readonly watch?: (view: CribView) => void;
  readonly pins?: SceneFacts["pins"];
  /** Who callers are at servers; absent where nobody logs in. */
  readonly credentials?: UpstreamCredentials;
  /** Asks them for logins that calls lack; absent where nobody logs in. */
  readonly askLogin?: LoginAsker;
  /** An answer of somebody who may not answer; for the log. */
  readonly onRefusedAnswer?: (refused: RefusedAnswer) => void;
  /** Somebody passed a soft limit. */
  readonly onLimitPassed?: (text: string, principal: string) => void;
  /** Other machines that serve the same clients; none if absent. */
  readonly shared?: SharedPlace;
}

interface OpenView extends CribView {
  profile: Profile;
  readonly limits: ViewLimits;
  /** The configuration that it follows. */
  follows: Config;
  readonly opened: OpenSession;
}

/** The key-value entries that hold what clients' users approved for a session, by client. */
export const SESSION_GRANTS = "gateway.grants";
const NOBODY = { principal: MAIN, caller: null };
const DRAIN = 10_000;
/** What narrows and limits a session, which may change. */
interface ViewLimits {
  profile: LimitedProfile;
  limits: readonly Limit[];
  allowance: CallAllowance | null;
}

const NO_LIMITS: ViewLimits = { profile: mainProfile(), limits: [], allowance: null };
const NOTHING: readonly Limit[] = [{ include: nameList([]), exclude: nameList([]) }];

/** The state of a running Toolcrib. */
interface Running {
  readonly options: CribOptions;
  readonly views: Set<OpenView>;
  readonly listeners: ChangeListeners;
  readonly approvals: GuardedApprovals;
  readonly pool: ReturnType<typeof createSourcePool>;
  readonly places: PersonPlaces;
  readonly grants: () => Promise<GrantStore>;
  readonly detect: typeof detectSandbox;
  readonly searchStores: SearchStores;
  /** Schemas of tools that clients call, compiled once for all. */
  readonly validator: Validator;
  /** What searches of each client led to; null: forgotten with the session. */
  readonly usage: UsageStore | null;
  readonly leaving: AbortController;
  readonly usageLimits: CribLimits;
  config: Config;
  refused: string | null;
  closed: Promise<void> | null;
  /** The last change of configuration; each waits for the one before it. */
  changing: Promise<unknown>;
}

/** Opens a Toolcrib for any number of clients. Nobody waits for servers: it is ready at once. */
export async function openCrib(first: Config, options: CribOptions): Promise<Crib> {
  const running = toRunning(first, options);
  const { views, approvals, pool, listeners } = running;
  restartChanged(options.credentials, pool, (text, error) => options.logger?.error(text, error));
  const main = await openSession(
    first,
    settingOf({ label: "inspector", approve: null, client: null }, NOBODY, NO_LIMITS, running),
  ).catch(async (error: unknown) => {
    await pool.close();
    throw error;
  });
  options.watch?.({ session: main, label: "inspector", principal: "main" });
  return {
    get config() {
      return running.config;
    },
    main,
    get sources() {
      // Servers that only an agent has run just for its clients; the main session holds leases of the rest.
      const leased = new Set(main.sources.map((source): unknown => Object.getPrototypeOf(source)));
      return [...main.sources, ...pool.sources.filter((source) => !leased.has(source))];
    },
    get personConnections() {
      return running.places.taken;
    },
    get views() {
      return [...views];
    },
    approvals,
    limits: {
      usage: (profile) => running.usageLimits.usage(profile, running.config),
      figures: () => running.usageLimits.figures(running.config),
      limitModel: (model, profile) => running.usageLimits.limitModel(model, profile, () => running.config),
    },
    beforeRun: options.beforeRun,
    searchStores: running.searchStores,
    openView: (given) => openView(given, running),
    async openBeside(other, { calls, logger, label }) {
      const { beforeRun } = options;
      const open = (wanted: WantedSource) => openSource(wanted, running);
      const session = await openSession(other, toSetting({ ...hostOf(running), beforeRun, ...calls, logger, open }));
      if (label !== null) options.watch?.({ session, label, principal: MAIN });
      return session;
    },
    openSource: (wanted) => openSource(wanted, running),
    holdsAlone: ({ sources, config }) => keepsState(config) || sources.some(pool.isHeldAlone),
    reconfigure: (next) => inTurn(running, () => reconfigure(next, main, running)),
    get refused() {
      return running.refused;
    },
    noteRefused(text) {
      if (running.refused === text) return;
      running.refused = text;
      listeners.emit();
    },
    changes: listeners.add,
    loginChanges: (listener) => options.credentials?.changes(({ person }) => listener(personKey(person))) ?? (() => {}),
    close() {
      running.closed ??= close(main, running);
      return running.closed;
    },
  };
}

function toRunning(config: Config, options: CribOptions): Running {
  const { clock = SYSTEM_CLOCK, logger = SILENT, grace, home, env, workspace, shared } = options;
  let opening: Promise<GrantStore> | null = null;
  const running: Running = {
    options,
    views: new Set(),
    listeners: createChangeListeners(),
    approvals: guardApprovals(
      shared === undefined ? createApprovals() : createSharedApprovals(createApprovals(), shared),
      { onRefused: options.onRefusedAnswer ?? (() => {}), config: () => running.config },
    ),
    pool: createSourcePool({ clock, onError: logger.error, ...(grace === undefined ? {} : { grace }) }),
    places: createPersonPlaces(() => running.config.gateway.upstreams),
    grants: () => {
      // If they could not be read, the next session tries again.
      opening ??= openSharedGrants({ home, env, workspace }, shared).catch((error: unknown) => {
        opening = null;
        throw error;
      });
      return opening;
    },
    detect: detectOnce(detectSandbox),
    ...toSearchStores(config, options),
    validator: createValidator(),
    leaving: new AbortController(),
    usageLimits: createCribLimits({
      ...{ place: shared, onError: logger.error },
      onPassed: options.onLimitPassed ?? (() => {}),
    }),
    config,
    refused: null,
    closed: null,
    changing: Promise.resolve(),
  };
  return running;
}

function toSearchStores({ store: { url } }: Config, options: CribOptions): Pick<Running, "searchStores" | "usage"> {
  const { shared } = options;
  if (shared === undefined) return { searchStores: createSearchStores(options, null), usage: null };
  const { store, scope } = shared;
  const values = url.value === OWN_STORE ? null : createScopedValues(store, { person: "", project: scope });
  return {
    searchStores: createSearchStores(options, values),
    usage: createStoredUsage((person) => store.keyValues({ name: "usage", person, project: scope })),
  };
}

/** In the store if other machines need to see them, else in files. */
function openSharedGrants(place: GrantPlace, shared: SharedPlace | undefined): Promise<GrantStore> {
  if (shared === undefined) return openGrants(place);
  const values = createScopedValues(shared.store, { person: "", project: place.workspace ?? "" });
  return openStoredGrants(values, place, { now: Date.now, newOnes: shared.isOwn === true ? "files" : "store" });
}

/** What was approved for one client's session, if it outlives this machine. */
function sessionValues({ shared }: CribOptions, storedAs: string | null): KeyValues | null {
  if (shared === undefined || storedAs === null) return null;
  const person = createHash("sha256").update(storedAs).digest("base64url");
  return shared.store.keyValues({ name: SESSION_GRANTS, person, project: shared.scope });
}

function inTurn<T>(running: Running, work: () => Promise<T>): Promise<T> {
  const run = running.changing.then(work);
  running.changing = run.catch(() => {});
  return run;
}

/** What all sessions of a Toolcrib share; those of nobody in particular are nobody at servers. */
function hostOf({ options, detect, searchStores, validator }: Running): GivenSetting {
  const { credentials, version, cwd, home, env, workspace, logger = SILENT } = options;
  const place = { version, cwd, home, env, workspace, logger, searchStores, validator, detectSandbox: detect };
  const own = credentials && { identityOf: (server: UpstreamServer) => credentials.of(server, null) };
  return { ...place, ...own, id: randomUUID(), facts: () => factsOf(options) };
}

function factsOf({ pins }: CribOptions): SceneFacts {
  return { allowNoTools: true, ...(pins === undefined ? {} : { pins }) };
}

function openSource(wanted: WantedSource, { pool }: Running): Promise<Source> {
  if (wanted.sharable === true) return pool.lease(wanted);
  if (wanted.person === undefined) return wanted.open();
  return pool.lease({ ...wanted, key: `${wanted.key} ${randomUUID()}`, sharable: false });
}

function settingOf(
  view: Omit<ViewOptions, "profile">,
  { principal, caller }: Pick<Profile, "principal" | "caller">,
  now: ViewLimits,
  running: Running,
): SessionSetting {
  const { approvals, options, grants, usage, leaving, places } = running;
  const { isWatched = () => true, hooks, credentials } = options;
  const approver = createViewApprover(
    { config: () => running.config, approvals, isWatched: () => isWatched(running.config), leaving: leaving.signal },
    { ...view, caller },
  );
  const { client } = view;
  const clientNow = () => toClient(view.clientName ?? null, running.config.gateway.knownClients);
  return toSetting({
    ...hostOf(running),
    ...(view.sessionId == null ? {} : { id: view.sessionId }),
    ...approver,
    ...(credentials && { identityOf: (server: UpstreamServer) => credentials.of(server, caller) }),
    keepsLists: true,
    ...(caller === null ? {} : { person: { key: personKey(caller), places: places.of(personKey(caller)) } }),
    builtins: gatewayBuiltins,
    grants: async () => createViewGrants(await grants(), sessionValues(options, view.storedAs ?? null)),
    asksAtOnce: view.isShared === true,
    beforeRun: options.beforeRun,
    allowance: () => now.allowance,
    limitModel: (model) => running.usageLimits.limitModel(model, now.profile, () => running.config),
    ...(hooks === undefined ? {} : { hooks }),
    usage: { store: usage, tenant: principal },
    async open(wanted) {
      const source = withClient(await openSource(wanted, running), client && (() => client));
      return withAskedLogin(source, wanted.identity ?? null, options.askLogin ?? null);
    },
    facts: () => ({
      ...factsOf(options),
      limits: now.limits,
      client: { ...clientNow(), late: view.isLate?.() === true },
    }),
  });
}

async function openView({ profile, ...given }: ViewOptions, running: Running): Promise<OpenSession> {
  if (running.closed !== null) throw new Error("this Toolcrib is closed");
  const { views, listeners, options } = running;
  const { config: startedWith } = running;
  const allowance = await running.usageLimits.allowanceOf(profile, startedWith, () => opened.toolset);
  const limits: ViewLimits = { profile, limits: profile.limits, allowance };
  const shownAs = describeView({ label: given.label, principal: profile.principal });
  const setting = settingOf({ ...given, label: shownAs }, profile, limits, running);
  const opened = await openSession(toViewConfig(startedWith, profile), setting);
  const close = async (): Promise<void> => {
    if (views.delete(view)) listeners.emit();
    await opened.close();
  };
  const session = Object.create(opened, {
    close: { value: close },
    [Symbol.asyncDispose]: { value: close },
  }) as OpenSession; // All else is inherited.
  const [{ label }, { principal }] = [given, profile];
  const isOwners = profile.key === MAIN;
  const view: OpenView = { session, label, principal, isOwners, profile, limits, follows: startedWith, opened };
  views.add(view);
  options.watch?.(view);
  if (isClosed(running)) await close();
  else if (running.config !== startedWith) await inTurn(running, () => follow(view, running));
  listeners.emit();
  return session;
}

/** Checked again after every wait. */
function isClosed({ closed }: Running): boolean {
  return closed !== null;
}

/**
 * A client's profile may have changed with the configuration; a client that is no longer known keeps its session and
 * sees nothing.
 */
async function follow(view: OpenView, { config, usageLimits, options: { logger = SILENT } }: Running): Promise<void> {
  const renewed = renewProfile(view.profile, config);
  const now = keepMode(config, view.follows, view.opened);
  view.follows = config;
  try {
    if (renewed === null) throw new Error(`${view.principal} is known no more`);
    const next = toFollowedConfig(now, renewed);
    const allowance = await usageLimits.allowanceOf(renewed, config, () => view.opened.toolset);
    view.profile = renewed;
    Object.assign(view.limits, { profile: renewed, limits: renewed.limits, allowance } satisfies ViewLimits);
    await view.opened.reconfigure(next);
  } catch (error) {
    logger.error(`${view.label} cannot follow the configuration, and sees no tools`, error);
    view.limits.limits = NOTHING;
    await view.opened.reconfigure({ ...now, agent: null });
  }
}

async function reconfigure(next: Config, main: OpenSession, running: Running): Promise<void> {
  if (isClosed(running)) return;
  const { config: before, views, listeners } = running;
  try {
    await main.reconfigure(keepMode(next, before, main));
  } catch (error) {
    await main.reconfigure(keepMode(before, before, main));
    throw error;
  }
  running.config = next;
  running.refused = null;
  await Promise.all([...views].map((view) => follow(view, running)));
  listeners.emit();
}

async function close(
  main: OpenSession,
  { approvals, views, pool, listeners, options, leaving, usageLimits }: Running,
): Promise<void> {
  const { drain = DRAIN, clock = SYSTEM_CLOCK } = options;
  leaving.abort(LEFT_TO_OTHERS);
  approvals.close();
  await waitForCalls([main, ...[...views].map(({ session }) => session)], drain, clock);
  await Promise.all([...views].map(({ session }) => session.close()));
  await main.close();
  await usageLimits.close();
  await pool.close();
  listeners.clear();
}

/** A mode that an approved plan set in the session stays until another one is configured. */
function keepMode(next: Config, before: Config, { config: { permissions } }: OpenSession): Config {
  const configured = before.permissions.mode.value;
  if (next.permissions.mode.value !== configured || permissions.mode.value === configured) return next;
  return { ...next, permissions: { ...next.permissions, mode: permissions.mode } };
}
