import type { Config } from "../../../config/config.ts";
import { isManaged } from "../../../config/managed.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { errnoOf } from "../../../system/paths/path-refusal.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";

export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** Somebody asked for this port: another one would be of no use to them. */
  readonly isFixed: boolean;
  readonly isRemote: boolean;
}

/** Throws what flags alone cannot mean, so that nothing is started for them. */
export function checkListenFlags({ args }: CommandInput): void {
  portOf(args);
  const host = args.value("host");
  if (host !== null) isRemoteHost(host, args);
}

/** Where to listen, as flags and configuration say. */
export function toListenPlace({ args }: CommandInput, config: Config): ListenPlace {
  const { gateway } = config;
  const port = portOf(args);
  refuseOverPolicy(config, "host", args.value("host"));
  refuseOverPolicy(config, "port", port);
  const flag = args.value("host");
  const { value, origin } = gateway.host;
  const host = flag ?? value;
  return {
    host,
    port: port ?? gateway.port.value,
    isFixed: port !== null || gateway.port.origin.kind !== "default",
    isRemote: isRemoteHost(host, args, flag === null ? `gateway.host (${formatOrigin(origin)}) ` : ""),
  };
}

function refuseOverPolicy(config: Config, key: "host" | "port", flag: string | number | null): void {
  const { value, origin } = config.gateway[key];
  if (flag === null || flag === value || !isManaged(config, origin)) return;
  const text = `managed policy sets gateway.${key} to ${value} (${formatOrigin(origin)}); leave out --${key}`;
  throw new ToolcribError("up.refused", text);
}

function portOf(args: CommandInput["args"]): number | null {
  const flag = args.value("port");
  if (flag === null) return null;
  const port = /^\d{1,5}$/.test(flag) ? Number(flag) : Number.NaN;
  if (port <= 65_535) return port;
  throw usage(`--port takes a number up to 65535, not ${JSON.stringify(flag)}`);
}

function isRemoteHost(host: string, args: CommandInput["args"], where = ""): boolean {
  if (isLoopback(host)) return false;
  if (args.has("allow-remote")) return true;
  throw usage(
    `${where}${JSON.stringify(host)} can be reached from other machines; add --allow-remote if that is meant`,
  );
}

/** What of a changed configuration is about another address: nobody's connection is cut for that. */
export function describeMove(
  { args }: CommandInput,
  now: Pick<ListenPlace, "host" | "port"> & { readonly origin: string },
  { gateway: { host, port } }: Config,
): readonly string[] {
  const moves = [
    // What a flag says counts after a restart too.
    ...(args.has("host") || host.value === now.host ? [] : [`gateway.host ${JSON.stringify(host.value)}`]),
    ...(args.has("port") || port.value === now.port ? [] : [`gateway.port ${port.value}`]),
  ];
  if (moves.length === 0) return [];
  const needed =
    args.has("host") || isLoopback(host.value) || args.has("allow-remote") ? "" : ", which needs --allow-remote";
  return [
    `${moves.join(" and ")} ${moves.length === 1 ? "counts" : "count"} after a restart${needed}, and until then it listens on ${now.origin}`,
  ];
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

const MOST_TRIES = 50;

/** What is known about ports of workspaces. */
export interface KnownPorts {
  /** That of this workspace; null where it never had one. */
  readonly own: number | null;
  /** Those that belong to other workspaces, running or not. */
  readonly others: ReadonlySet<number>;
  /** Makes a port that of this workspace. */
  keep(port: number): Promise<void>;
  /** Who of this person's Toolcribs listens there. */
  owner(port: number): Promise<{ readonly workspace: string; readonly pid: number } | null>;
}

/**
 * Listens where it is asked to. Where nobody asked for a port, on the one that this workspace always has; a new one gets
 * the next that no other has. Says what stands in the way of that.
 */
export async function listenNear<T>(
  { host, port, isFixed }: ListenPlace,
  ports: KnownPorts,
  listen: (port: number) => Promise<T>,
): Promise<{ readonly server: T; readonly remark: string | null }> {
  if (isFixed || port === 0)
    return {
      server: await listen(port).catch(async (error: unknown) => {
        const owner = isTaken(error) ? await ports.owner(port) : null;
        throw owner === null ? error : takenBy(`${host}:${port}`, owner);
      }),
      remark: null,
    };
  let remark: string | null = null;
  if (ports.own !== null) {
    try {
      return { server: await listen(ports.own), remark };
    } catch (error) {
      if (!isTaken(error)) throw error;
      const owner = await ports.owner(ports.own);
      const who = owner === null ? "another program" : `Toolcrib for ${owner.workspace} (process ${owner.pid})`;
      const end = owner === null ? "end that program" : `run "toolcrib down --workspace ${owner.workspace}"`;
      remark = `port ${ports.own}, which clients of this workspace know, is taken by ${who}, so this time it is another one; ${end}, then start again`;
    }
  }
  for (let at = port; ; at += 1) {
    if (ports.others.has(at) || at === ports.own) continue;
    try {
      const server = await listen(at);
      if (remark === null) await ports.keep(at);
      return { server, remark };
    } catch (error) {
      if (!isTaken(error) || at >= Math.min(port + MOST_TRIES + ports.others.size, 65_535)) throw error;
    }
  }
}

function takenBy(address: string, { workspace, pid }: { readonly workspace: string; readonly pid: number }) {
  return new ToolcribError(
    "http.cannot-listen",
    `${address} is taken by Toolcrib for ${workspace} (process ${pid}); run "toolcrib down --workspace ${workspace}", or choose another port with --port or gateway.port`,
    { names: [workspace] },
  );
}

/** Somebody listens there already. */
function isTaken(error: unknown): boolean {
  return isToolcribError(error) && error.code === "http.cannot-listen" && errnoOf(error.cause) === "EADDRINUSE";
}
