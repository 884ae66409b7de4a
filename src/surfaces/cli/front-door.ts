import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Config } from "../../config/config.ts";
import { homeFolder } from "../../config/layers/home-folder.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { createDefinitionChanges } from "../../runtime/pins/definition-changes.ts";
import { createTraces } from "../../runtime/traces/traces.ts";
import { readVersion } from "../../system/version.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { createEventFeed } from "../http/event-feed.ts";
import { createHttpServer, type HttpServer } from "../http/http-server.ts";
import { createInspectorApi } from "../http/inspector-api.ts";
import { createMetrics } from "../http/metrics.ts";
import type { CommandInput } from "./command.ts";
import { keptToken } from "./gateway-token.ts";
import { type HeldWorkspace, holdWorkspace } from "./running/held-workspace.ts";
import { createIdleEnd } from "./running/idle-end.ts";
import { findPortOwner, keepPort, readPorts } from "./running/kept-port.ts";
import type { LocalDoor } from "./running/local-door.ts";
import { createLocalPorts } from "./running/local-ports.ts";
import type { NotePlaces } from "./running/running-note.ts";
import { keyOf } from "./running/work-place.ts";
import { type RunningCrib, type RunningOptions, startCrib } from "./running-crib.ts";
import { createSwitches } from "./switches.ts";
import { findConfig } from "./up-config.ts";
import { checkListenFlags, describeMove, type KnownPorts, listenNear, toListenPlace } from "./up-listen.ts";

/** A running gateway behind HTTP, with the inspector or without. */
export interface FrontDoor {
  readonly running: RunningCrib;
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

const PAGE = fileURLToPath(new URL("../../inspector", import.meta.url));
const ENDED = "Toolcrib was ended";

export async function openFrontDoor(input: CommandInput, options: FrontDoorOptions): Promise<FrontDoor> {
  const { io, log } = input;
  const { isWatched, isUp, idle } = options;
  checkListenFlags(input);
  const version = readVersion();
  const onError = (text: string, error: unknown): void =>
    log.debug(`${text}: ${error instanceof Error ? error.message : String(error)}`);
  const feed = createEventFeed();
  const traces = createTraces({ env: io.env, version, onError });
  if (traces !== null) feed.listen(({ id }, event) => traces.record(id, event));
  let held: HeldWorkspace | null = null;
  const check = async (config: Config): Promise<void> => {
    toListenPlace(input, config);
    if (isUp) held = await holdWorkspace(input);
  };
  const release = async (): Promise<void> => held?.release();
  const running = await startCrib(input, { isWatched, watch: feed.watch, check }).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const { crib, audit, workspace } = running;
  const gateway = createGateway(crib, {
    version,
    onError,
    onNotice: log.debug,
    onUnknownNames: log.notices,
    onIncident: ({ code, text, principal }) => audit.note({ type: code, text, principal }),
  });
  let http: HttpServer | null = null;
  let local: LocalDoor | null = null;
  let farewell: string | null = null;
  let closed: Promise<void> | null = null;
  let stopIdling = (): void => {};
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const close = (): Promise<void> => {
    closed ??= (async () => {
      stopIdling();
      // It stops listening at once; what runs is answered while the calls end.
      const closing = http?.close();
      await running.close();
      await local?.close(farewell);
      await gateway.close();
      await closing;
      await traces?.close();
      await release();
    })();
    return closed;
  };
  try {
    const metrics = createMetrics({
      servers: () => crib.sources,
      clients: () => gateway.clients.filter(({ isHere }) => isHere).length,
      approvals: () => crib.approvals.pending.length,
      traces: () => traces,
    });
    feed.listen(metrics.record);
    const endpoint = (): string => `${http?.origin ?? ""}/mcp`;
    const api = isUp
      ? createInspectorApi({
          ...{ crib, feed, version, workspace, endpoint, onError },
          front: gateway,
          configWith: async (flags) => (await findConfig(input, flags)).config,
          definitions: createDefinitionChanges(crib, io.cwd),
          switches: createSwitches(input, workspace),
        })
      : null;
    const place = toListenPlace(input, crib.config);
    const places = { home: homeFolder(io.env), env: io.env };
    const key = keyOf(workspace, places);
    const { token: own } = crib.config.gateway;
    // Where one is configured nothing needs to be kept; a made-up one that nobody knows stands behind it.
    const kept = await (own === null
      ? keptToken(places, key)
      : keptToken(places, key).catch(() => randomBytes(32).toString("hex")));
    const accessOf = ({ gateway: { token, clients } }: Config) => ({ token: token?.value ?? kept, clients });
    const access = accessOf(crib.config);
    const listening = await listenNear(place, await knownPorts(places, key), (port) =>
      createHttpServer({
        ...{ host: place.host, port, access, api, metrics, onError },
        mcp: gateway.handleHttp,
        mcpMessage: gateway.handleMessage,
        page: isUp ? PAGE : null,
      }),
    ).catch((error: unknown) => {
      // Clients of this machine do not need an address.
      if (idle === null || !isToolcribError(error)) throw error;
      return { server: null, remark: error.message };
    });
    http = listening.server;
    if (held !== null) {
      const setting = {
        held: held as HeldWorkspace,
        crib,
        gateway,
        address: http,
        idle,
        onError,
        token: () => accessOf(crib.config).token,
      };
      const ports = createLocalPorts(input, {
        ...setting,
        end() {
          farewell = ENDED;
          end();
        },
      });
      local = await setting.held.open(http, ports);
      const isUsed = (): boolean => (local?.size ?? 0) + gateway.clients.length + (api?.listeners ?? 0) > 0;
      if (idle !== null) {
        const watch = createIdleEnd(idle, isUsed, end);
        stopIdling = watch.close;
        local?.changes(watch.look);
        gateway.changes(watch.look);
      }
    }
    running.onReloading = (next) => {
      http?.setAccess(accessOf(next.config));
      return {
        undo: () => http?.setAccess(accessOf(crib.config)),
        notYet: http === null ? [] : describeMove(input, { ...place, origin: http.origin }, next.config),
      };
    };
    return {
      ...{ running, gateway, isRemote: place.isRemote, remark: listening.remark, ended, close },
      token: access.token,
      origin: http?.origin ?? null,
      endpoint: http === null ? null : endpoint(),
    };
  } catch (error) {
    await close();
    throw error;
  }
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
