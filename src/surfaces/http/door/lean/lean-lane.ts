import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import { type ConnectionPorts, LeanConnection } from "./lean-connection.ts";

export type LanePorts<P> = Pick<ConnectionPorts<P>, "admit" | "isStillGood" | "count" | "answer" | "isClosing">;

export interface LeanLane {
  /** Lets go of connections that wait for their next request. */
  closeIdle(): void;
  closeAll(): void;
}

/**
 * A short way for the one request that comes all the time: a plain POST to `/mcp` with all of its body. Connections come
 * here first; at the first request of any other kind, or one that must be refused, node:http gets the connection as if
 * nothing had been before. Reading such a request here costs a fraction of what it costs there.
 */
export function openLeanLane<P>(server: Server, limits: HttpLimits, ports: LanePorts<P>): LeanLane {
  const open = new Set<LeanConnection<P>>();
  const listeners = server.listeners("connection");
  server.removeAllListeners("connection");
  const now = (): number => performance.now();
  const own: ConnectionPorts<P> = {
    ...ports,
    now,
    keepLine: `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(limits.idleTimeout / 1000)}\r\n`,
    patience: limits.idleTimeout,
    onOver: (connection) => void open.delete(connection),
    passOn(socket, bytes) {
      socket.pause();
      socket.unshift(bytes);
      for (const listener of listeners) listener.call(server, socket);
      socket.resume();
    },
  };
  server.on("connection", (socket: Socket) => void open.add(new LeanConnection(socket, own)));

  const patience = { new: limits.headTimeout, idle: limits.idleTimeout, reading: limits.requestTimeout };
  /** Those whose time was up at the last look. */
  let late = new Set<LeanConnection<P>>();
  const lookAfter = (): void => {
    const time = now();
    const before = late;
    late = new Set();
    for (const connection of open) {
      const { state, since, socket } = connection;
      if (state === "answering" || state === "over" || time - since <= patience[state]) continue;
      // After a time in which this process did not get to run, what was sent is only read after this look.
      if (before.has(connection)) socket.destroy();
      else late.add(connection);
    }
  };
  server.once("listening", () => {
    const sweep = setInterval(lookAfter, Math.min(5_000, Math.max(20, limits.headTimeout / 2))).unref();
    server.once("close", () => clearInterval(sweep));
  });

  return {
    closeIdle() {
      for (const { state, socket } of open) if (state === "new" || state === "idle") socket.destroy();
    },
    closeAll() {
      for (const { socket } of open) socket.destroy();
    },
  };
}
