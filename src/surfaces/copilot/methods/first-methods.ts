import { PROTOCOL_VERSION } from "../wire/protocol.ts";
import { textOf } from "../wire/wire-values.ts";
import type { Asked } from "./method.ts";

/** What a client asks before it has a session; nothing heavy is loaded for it. */
export const FIRST_METHODS: ReadonlyMap<string, (asked: Asked) => unknown> = new Map<string, (asked: Asked) => unknown>(
  [
    ["connect", ({ server }) => ({ ok: true, protocolVersion: PROTOCOL_VERSION, version: server.version })],
    [
      "ping",
      ({ params }) => ({
        message: `pong: ${textOf(params.message) ?? ""}`,
        timestamp: new Date().toISOString(),
        protocolVersion: PROTOCOL_VERSION,
      }),
    ],
    ["status.get", ({ server }) => ({ version: server.version, protocolVersion: PROTOCOL_VERSION })],
    [
      "runtime.shutdown",
      async ({ server }) => {
        // The process lasts until its clients are gone: one that went first would owe them answers.
        await server.end();
        return {};
      },
    ],
  ],
);
