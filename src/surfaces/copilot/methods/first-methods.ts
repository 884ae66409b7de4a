import { textOf } from "../wire/wire-values.ts";
import { after, type Method } from "./method.ts";

/** The version of the wire that clients from 0.3 on speak. */
const protocolVersion = 3;

/** What a client asks before it has a session; nothing heavy is loaded for it. */
export const FIRST_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["connect", ({ server: { version } }) => ({ ok: true, protocolVersion, version })],
  ["status.get", ({ server: { version } }) => ({ version, protocolVersion })],
  [
    "ping",
    ({ params }) => ({
      message: `pong: ${textOf(params.message) ?? ""}`,
      timestamp: new Date().toISOString(),
      protocolVersion,
    }),
  ],
  // The process lasts until its clients are gone: one that went first would owe them answers.
  ["runtime.shutdown", ({ server }) => after(server.end(), {})],
]);
