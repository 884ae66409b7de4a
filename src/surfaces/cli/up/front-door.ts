import { randomBytes } from "node:crypto";
import type { Config } from "../../../config/config.ts";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { trustFindings } from "../../../config/load-config.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { createAuditDesk, toReadNote } from "../../../runtime/audit/audit-desk.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import type { AuditRow } from "../../../runtime/audit/audit-row.ts";
import { auditScope } from "../../../runtime/audit/audit-scope.ts";
import type { CribView } from "../../../runtime/crib/crib.ts";
import type { PersonRow } from "../../../runtime/people/contract.ts";
import { createDefinitionChanges } from "../../../runtime/pins/definition-changes.ts";
import { createRequestReader } from "../../../runtime/session/search/search-stores.ts";
import { createTraces, type Traces } from "../../../runtime/traces/traces.ts";
import { createDeferred } from "../../../system/time/deferred.ts";
import { readVersion } from "../../../system/version.ts";
import { createGateway, type Gateway } from "../../gateway/gateway.ts";
import type { TrialView } from "../../http/api/api.ts";
import { createEventFeed, type EventFeed } from "../../http/api/event-feed.ts";
import type { LogTrial } from "../../http/api/ports.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "../../http/door/http-server.ts";
import { PAGE_FOLDER } from "../../http/door/page-files.ts";
import type { PeoplePort } from "../../http/door/people-port.ts";
import { createInspectorApi, type InspectorApi } from "../../http/inspector/inspector-api.ts";
import { createKnownRedactor } from "../../http/inspector/known-redactor.ts";
import { createMetrics, type Metrics } from "../../http/metrics/metrics.ts";
import { createPageRuns, type PageRuns } from "../agent/page-runs.ts";
import { toConnectLines } from "../clients/client-entry.ts";
import type { CommandInput } from "../command-line/command.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { openJudgeDoor } from "../guard/judge-door.ts";
import { createJudging, type Judging, judgeByTool } from "../guard/judging.ts";
import { createIdleEnd } from "../running/idle-end.ts";
import { type LockedWorkspace, lockWorkspace } from "../running/locked-workspace.ts";
import type { NotePlaces } from "../running/running-note.ts";
import { openSharedPlace } from "../running/shared-place.ts";
import { findPortOwner, keepPort, readPorts } from "../running/stored-ports.ts";
import { keyOf, settingPlaces } from "../running/work-place.ts";
import { followJudged } from "../stored/follow-judged.ts";
import { storedToken } from "./gateway-token.ts";
import { createLocalPorts, type LocalSetting } from "./local-ports.ts";
import { describePeople, hasApprovers, openPeopleOf } from "./people-front.ts";
import { type RunningCrib, type RunningOptions, startCrib } from "./running-crib.ts";
import { createSwitches } from "./switches.ts";
import { type FoundConfig, findConfig } from "./up-config.ts";
import { checkListenFlags, describeMove, type KnownPorts, listenNear, toListenPlace } from "./up-listen.ts";
import { createWaitingServers } from "./waiting-to-start.ts";

/** A running gateway behind HTTP, with the inspector or without. */
export interface FrontDoor {
  readonly running: RunningCrib;
  /** Listens to one more session, for the log, the page and metrics. */
  readonly watch: (view: CribView) => void;
  readonly gateway: Gateway;
  readonly token: string;
  /** `http://127.0.0.1:8787`; null where it could not listen and runs for local clients alone. */
  readonly origin: string | null;
  /** Where MCP clients connect. */
  readonly endpoint: string | null;
  readonly isRemote: boolean;
  /** What a person should know about its address. */
  readonly remark: string | null;
  /** Resolves when somebody asked it to end, or nobody has used it for long enough. */
  readonly ended: Promise<void>;
  /** Lets running calls end for a while, then leaves nothing behind. Twice is fine. */
  close(): Promise<void>;
}

interface FrontDoorOptions extends Pick<RunningOptions, "isWatched"> {
  /** The one Toolcrib of its workspace, with the inspector, which others find; else the gateway alone. */
  readonly isUp: boolean;
  /** Milliseconds without clients after which it ends; null: never. It then does without an address if need be. */
  readonly idle: number | null;
}

const ENDED = "Toolcrib was ended";

export async function openFrontDoor(input: CommandInput, options: FrontDoorOptions): Promise<FrontDoor> {
  checkListenFlags(input);
  const behind = await startBehind(input, options);
  const { running, gateway, traces, held } = behind;
  const asked = createDeferred<void>();
  let http: HttpServer | null = null;
  let local: LocalClients | null = null;
  let runs: PageRuns | null = null;
  let people: PeoplePort | null = null;
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      local?.stopIdling();
      // It stops listening at once; what runs is answered while the calls end.
      const closing = http?.close();
      await runs?.close();
      await running.close();
      await local?.close();
      await gateway.close();
      await behind.judging.close();
      await closing;
      await people?.close();
      await running.shared?.store.close();
      await traces?.close();
      await held?.release();
    })();
    return closed;
  };
  try {
    const { crib, workspace } = running;
    runs = options.isUp ? createPageRuns(input, { crib, workspace, watch: behind.watch }) : null;
    const peopleNow = async () => (await people?.list()) ?? [];
    const api = runs && createApi(input, behind, runs, { endpoint: () => toEndpoint(http), people: peopleNow });
    const place = toListenPlace(input, crib.config);
    const places = settingPlaces(input.io);
    const key = keyOf(workspace, places);
    const kept = behind.token();
    const accessOf = ({ gateway }: Config) => ({ ...gateway, token: gateway.token?.value ?? kept });
    const ports = await knownPorts(places, key);
    people = await openPeopleOf(running, gateway, stateFolder(places), behind.onError);
    const own: OwnDoor = { publicUrl: crib.config.gateway.publicUrl?.value ?? null, people };
    const listen = listenOn(behind, { ...own, host: place.host, access: accessOf(crib.config) }, api);
    const listening = await listenNear(place, ports, listen).catch((error: unknown) => {
      // Clients of this machine do not need an address.
      if (options.idle === null || !isToolcribError(error)) throw error;
      return { server: null, remark: error.message };
    });
    http = listening.server;
    const token = (): string => accessOf(crib.config).token;
    const listeners = (): number => (api?.listeners ?? 0) + (runs?.running ?? 0);
    if (held !== null)
      local = await openLocal(input, behind, {
        ...{ held, address: http, idle: options.idle, token, listeners },
        end: asked.resolve,
      });
    running.onReloading = (next) => {
      http?.setAccess(accessOf(next.config));
      return {
        undo: () => http?.setAccess(accessOf(crib.config)),
        notYet: describeMoves(input, { ...place, ...own, http }, next),
      };
    };
    return {
      ...{ running, gateway, watch: behind.watch, isRemote: place.isRemote },
      ...{ remark: listening.remark, ended: asked.promise, close },
      token: token(),
      origin: http?.origin ?? null,
      endpoint: http === null ? null : toEndpoint(http),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What of a changed configuration does not count yet. */
function describeMoves(
  input: CommandInput,
  { http, ...now }: ReturnType<typeof toListenPlace> & OwnDoor & { readonly http: HttpServer | null },
  { config }: FoundConfig,
): readonly string[] {
  if (http === null) return [];
  return [...describeMove(input, { ...now, origin: http.origin }, config), ...describePeople(now, config)];
}

type OwnDoor = Required<Pick<HttpServerOptions, "publicUrl" | "people">>;

/** What runs behind the door, for all clients. */
interface Behind {
  readonly running: RunningCrib;
  readonly gateway: Gateway;
  /** For the hooks of this person's clients. */
  readonly judging: Judging;
  readonly feed: EventFeed;
  /** Listens to one more session, for the log, the page and metrics. */
  readonly watch: (view: CribView) => void;
  readonly metrics: Metrics;
  readonly traces: Traces | null;
  /** Null where it is not the one Toolcrib of its workspace. */
  readonly held: LockedWorkspace | null;
  /** The token of this workspace, for when none is configured. */
  readonly token: () => string;
  readonly onError: (text: string, error: unknown) => void;
}

async function startBehind(input: CommandInput, { isWatched, isUp }: FrontDoorOptions): Promise<Behind> {
  const { io, log } = input;
  const version = readVersion();
  const onError = log.failed;
  const feed = createEventFeed();
  const traces = createTraces({ env: io.env, version, onError });
  if (traces !== null) feed.listen(({ id }, event) => traces.record(id, event));
  let held: LockedWorkspace | null = null;
  const check = async (config: Config): Promise<void> => {
    toListenPlace(input, config);
    if (isUp) held = await lockWorkspace(input);
  };
  let kept = "";
  const share = async (config: Config, workspace: string) => {
    const places = settingPlaces(io);
    kept = await keptOrMadeUp(config, () => storedToken(places, keyOf(workspace, places)));
    return openSharedPlace(input, config, {
      workspace,
      token: config.gateway.token?.value ?? kept,
    });
  };
  const mayAnswer = (config: Config): boolean => isWatched(config) || hasApprovers(config);
  const running = await startCrib(input, { isWatched: mayAnswer, watch: feed.watch, check, share }).catch(
    async (error: unknown) => {
      await held?.release();
      throw error;
    },
  );
  const { crib, audit } = running;
  const judging = createJudging(input);
  const isOwn = (session: unknown): boolean =>
    crib.views.some((view) => view.session === session && view.isOwners === true);
  const gateway = createGateway(crib, {
    ...(running.shared === null ? {} : { shared: running.shared }),
    // Others have no clients whose calls are judged here.
    judge: async (args, session) =>
      isUp && isOwn(session) ? judgeByTool(args, { cwd: running.workspace, env: running.later.env() }, judging) : null,
    ...{ version, onError, onNotice: log.debug, onUnknownNames: log.notices },
    onIncident: ({ code, text, principal }) => audit.note({ type: code, text, principal }),
  });
  const metrics = createMetrics({
    servers: () => crib.sources,
    personConnections: () => crib.personConnections,
    clients: () => gateway.clients.filter(({ isHere }) => isHere).length,
    approvals: () => crib.approvals.pending.length,
    limits: crib.limits.figures,
    traces: () => traces,
  });
  feed.listen(metrics.record);
  const watch = (view: CribView): void => {
    audit.watch(view);
    feed.watch(view);
  };
  return { running, gateway, judging, feed, watch, metrics, traces, held, token: () => kept, onError };
}

function createApi(
  input: CommandInput,
  { running, gateway, feed, onError }: Behind,
  runs: PageRuns,
  { endpoint, people }: { readonly endpoint: () => string; readonly people: () => Promise<readonly PersonRow[]> },
) {
  const { crib, workspace } = running;
  const { requests } = crib.searchStores;
  return createInspectorApi({
    ...{ crib, feed, version: readVersion(), workspace, onError, front: gateway },
    redactor: createKnownRedactor(() => [crib.config]),
    note: running.audit.note,
    judged: followJudged(auditPath(settingPlaces(input.io), workspace), onError),
    own: {
      endpoint,
      people,
      log: createAuditDesk({
        ...{ audit: running.audit, config: () => crib.config, folder: stateFolder(settingPlaces(input.io)) },
        place: running.shared && { store: running.shared.store, scope: auditScope(crib.config, workspace) },
      }),
      connect: () => toConnectLines(crib.config, input.io.env.PATH ?? "", workspace),
      configWith: async (flags) => (await findConfig(input, flags)).config,
      definitions: createDefinitionChanges(crib, input.io.cwd, (tool) => trustFindings(toConfigInput(input), tool)),
      rehearse: createTrial(input, running),
      switches: createSwitches(input, workspace),
      waiting: createWaitingServers(input, workspace),
      sessions: async (work) => (await import("../stored/own-store.ts")).withOwnStore(input, work),
    },
    written: createRequestReader(requests, Date.now, onError),
    unwrite: (signatures) => requests.change(new Map(signatures.map((signature) => [signature, null]))),
    ...{ runs, questions: runs.questions },
  });
}

/** A policy that a person wrote on the page, as if it lay in the workspace. */
function createTrial(input: CommandInput, { workspace, audit }: Pick<RunningCrib, "workspace" | "audit">) {
  // One after the other: each has a core to do.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<TrialView>): Promise<TrialView> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  const tryOn = async ({ policy: text, since, reader }: LogTrial, signal: AbortSignal): Promise<TrialView> => {
    signal.throwIfAborted();
    await audit.flush();
    const opens = async (rows: readonly AuditRow[]): Promise<void> => {
      audit.note(toReadNote(rows, reader, "tried a policy on"));
      await audit.flush();
    };
    const { rehearseLog } = await import("../ask/rehearse-log.ts");
    const path = `${workspace}/your-policy.yaml`;
    const { report, supposed } = await rehearseLog(input, { path, text, since, signal, opens });
    return { replaces: supposed.replaces, ...report };
  };
  return (trial: LogTrial, signal: AbortSignal): Promise<TrialView> => inTurn(() => tryOn(trial, signal));
}

function listenOn(
  { gateway, metrics, onError }: Behind,
  own: Pick<HttpServerOptions, "host" | "publicUrl" | "people" | "access">,
  api: InspectorApi | null,
) {
  return (port: number): Promise<HttpServer> =>
    createHttpServer({
      ...{ ...own, port, api, metrics, onError },
      mcp: gateway.handleHttp,
      page: api === null ? null : PAGE_FOLDER,
    });
}

/** Where one is configured nothing needs to be kept; a made-up one that nobody knows stands behind it. */
function keptOrMadeUp({ gateway }: Config, keep: () => Promise<string>): Promise<string> {
  return gateway.token === null ? keep() : keep().catch(() => randomBytes(32).toString("hex"));
}

function toEndpoint(http: HttpServer | null): string {
  return `${http?.origin ?? ""}/mcp`;
}

interface LocalOptions extends Omit<LocalSetting, "crib" | "later" | "gateway" | "shared" | "keep" | "onError"> {
  /** Pages that somebody may be looking at. */
  readonly listeners: () => number;
}

interface LocalClients {
  stopIdling(): void;
  close(): Promise<void>;
}

/** Lets other processes of this person in, and ends everything when nobody has used it for long enough. */
async function openLocal(input: CommandInput, behind: Behind, options: LocalOptions): Promise<LocalClients> {
  const { running, gateway, onError } = behind;
  const { held, address, idle, end, listeners } = options;
  let farewell: string | null = null;
  const ports = createLocalPorts(input, {
    ...{ ...options, crib: running.crib, later: running.later, shared: running.shared, gateway, onError },
    keep: () => watch?.close(),
    end() {
      farewell = ENDED;
      end();
    },
  });
  const door = await held.open(address, ports);
  const judge = await openJudgeDoor(input, running.later.env, behind.judging).catch((error: unknown) => {
    onError("hooks of clients cannot be answered, and decide by themselves", error);
    return null;
  });
  const isUsed = (): boolean => (door?.size ?? 0) + gateway.clients.length + listeners() > 0;
  const watch = idle === null ? null : createIdleEnd(idle, isUsed, end);
  if (watch !== null) {
    door?.changes(watch.look);
    gateway.changes(watch.look);
  }
  return {
    stopIdling: () => watch?.close(),
    async close() {
      await judge?.close();
      await door?.close(farewell);
    },
  };
}

async function knownPorts(places: NotePlaces, key: string): Promise<KnownPorts> {
  const ports = await readPorts(places);
  return {
    own: ports.get(key) ?? null,
    others: new Set([...ports].filter(([other]) => other !== key).map(([, port]) => port)),
    keep: (port) => keepPort(places, key, port),
    owner: (port) => findPortOwner(places, port),
  };
}
