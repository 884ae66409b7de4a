import type { Config } from "../../config/config.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";

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
export function toListenPlace({ args }: CommandInput, { gateway }: Config): ListenPlace {
  const port = portOf(args);
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

/** Listens where it is asked to, or on the next free port where nobody asked for one. */
export async function listenNear<T>({ port, isFixed }: ListenPlace, listen: (port: number) => Promise<T>): Promise<T> {
  for (let at = port; ; at += 1) {
    try {
      return await listen(at);
    } catch (error) {
      const isTaken = isToolcribError(error) && error.code === "http.cannot-listen" && / is in use/.test(error.message);
      if (!isTaken || isFixed || port === 0 || at >= Math.min(port + MOST_TRIES, 65_535)) throw error;
    }
  }
}
