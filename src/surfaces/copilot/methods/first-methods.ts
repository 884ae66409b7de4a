import { textOf } from "../wire/wire-values.ts";
import { after, type Method } from "./method.ts";

/** The version of the wire that clients from 0.3 on speak. */
const protocolVersion = 3;

/** What a client asks before it has a session; nothing heavy is loaded for it. */
export const FIRST_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "connect",
    ({ connection, server: { version } }) => {
      connection.hasConnected = true;
      return { ok: true, protocolVersion, version };
    },
  ],
  ["status.get", ({ server: { version } }) => ({ version, protocolVersion })],
  [
    "ping",
    ({ params, connection }) => ({
      message: `pong: ${textOf(params.message) ?? ""}`,
      // Clients before 1.0 ping without a word before, and want milliseconds.
      timestamp: connection.hasConnected ? new Date().toISOString() : Date.now(),
      protocolVersion,
    }),
  ],
  // The process lasts until its clients are gone: one that went first would owe them answers.
  ["runtime.shutdown", ({ server }) => after(server.end(), {})],
]);
