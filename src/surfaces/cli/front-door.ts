import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Config } from "../../config/config.ts";
import { homeFolder } from "../../config/home-folder.ts";
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
import { type RunningCrib, type RunningOptions, startCrib } from "./running-crib.ts";
import { findConfig } from "./up-config.ts";
import { checkListenFlags, describeMove, listenNear, toListenPlace } from "./up-listen.ts";
import { createProof, noteRunning } from "./up-running.ts";

/** A running gateway behind HTTP, with the inspector or without. */
export interface FrontDoor {
  readonly running: RunningCrib;
  readonly http: HttpServer;
  readonly gateway: Gateway;
  readonly token: string;
  /** Where MCP clients connect. */
  readonly endpoint: string;
  readonly isRemote: boolean;
  /** Lets running calls end for a while, then leaves nothing behind. Twice is fine. */
  close(): Promise<void>;
}

const PAGE = fileURLToPath(new URL("../../inspector", import.meta.url));

export async function openFrontDoor(
  input: CommandInput,
  { isWatched, hasInspector }: Pick<RunningOptions, "isWatched"> & { readonly hasInspector: boolean },
): Promise<FrontDoor> {
  const { io, log } = input;
  checkListenFlags(input);
  const version = readVersion();
  const onError = (text: string, error: unknown): void =>
    log.debug(`${text}: ${error instanceof Error ? error.message : String(error)}`);
  const feed = createEventFeed();
  const traces = createTraces({ env: io.env, version, onError });
  if (traces !== null) feed.listen(({ id }, event) => traces.record(id, event));
  const check = (config: Config): void => void toListenPlace(input, config);
  const running = await startCrib(input, { isWatched, watch: feed.watch, check });
  const { crib, audit, workspace } = running;
  const gateway = createGateway(crib, {
    version,
    onError,
    onNotice: log.debug,
    onUnknownNames: log.notices,
    onIncident: ({ code, text, principal }) => audit.note({ type: code, text, principal }),
  });
  let http: HttpServer | null = null;
  let closed: Promise<void> | null = null;
  let forget: () => Promise<void> = async () => {};
  const endpoint = (): string => `${http?.origin ?? ""}/mcp`;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      await forget();
      // It stops listening at once; what runs is answered while the calls end.
      const closing = http?.close();
      await running.close();
      await gateway.close();
      await closing;
      await traces?.close();
    })();
    return closed;
  };
  try {
    const metrics = createMetrics({
      servers: () => crib.sources,
      clients: () => gateway.clients.length,
      approvals: () => crib.approvals.pending.length,
      traces: () => traces,
    });
    feed.listen(metrics.record);
    const api = hasInspector
      ? createInspectorApi({
          ...{ crib, feed, version, workspace, endpoint, onError },
          front: gateway,
          configWith: async (flags) => (await findConfig(input, flags)).config,
          definitions: createDefinitionChanges(crib, io.cwd),
        })
      : null;
    const place = toListenPlace(input, crib.config);
    const places = { home: homeFolder(io.env), env: io.env };
    const { token: own } = crib.config.gateway;
    // Where one is configured nothing needs to be kept; a made-up one that nobody knows stands behind it.
    const kept = await (own === null
      ? keptToken(places)
      : keptToken(places).catch(() => randomBytes(32).toString("hex")));
    const accessOf = ({ gateway: { token, clients } }: Config) => ({ token: token?.value ?? kept, clients });
    const access = accessOf(crib.config);
    const secret = randomBytes(32).toString("hex");
    const server = await listenNear(place, (port) =>
      createHttpServer({
        ...{ host: place.host, port, access, api, metrics, onError },
        mcp: gateway.handleHttp,
        mcpMessage: gateway.handleMessage,
        prove: createProof(secret),
        page: hasInspector ? PAGE : null,
      }),
    );
    http = server;
    // Without the API nobody could tell it anything.
    if (hasInspector) forget = await noteRunning(places, { workspace, origin: server.origin, secret });
    running.onReloading = (next) => {
      server.setAccess(accessOf(next.config));
      return {
        undo: () => server.setAccess(accessOf(crib.config)),
        notYet: describeMove(input, { ...place, origin: server.origin }, next.config),
      };
    };
    return {
      ...{ running, gateway, http: server, isRemote: place.isRemote, close },
      token: access.token,
      endpoint: endpoint(),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
