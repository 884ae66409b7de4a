import { isServer, type Source, type SourceState } from "../../../sources/source.ts";
import type { Live } from "../state/live.ts";
import { type Json, recordOf, stated, textOf, textsOf } from "../wire/wire-values.ts";
import { knownServers } from "./given-servers.ts";

const STATES: Readonly<Record<SourceState, string>> = {
  starting: "pending",
  connected: "connected",
  stale: "connected",
  failed: "failed",
  "needs-auth": "needs-auth",
  disabled: "disabled",
};

/** A server of the session, however it is reached. */
export function findServerSource({ session }: Live, name: string): Source | undefined {
  return session.sources.find((source) => isServer(source) && source.name === name);
}

/** How each server of a session is doing, in the clients' words. */
export function readDefinitionStatus(live: Live): readonly Json[] {
  const disabled = new Set(textsOf(live.wire.disabledMcpServers));
  return Object.entries(knownServers(live)).map(([name, given]) => {
    const source = findServerSource(live, name);
    const status = disabled.has(name)
      ? "disabled"
      : source === undefined
        ? live.serversStarted
          ? "pending"
          : "not_configured"
        : STATES[source.status.state];
    const transport = textOf(recordOf(given).url) === undefined ? "stdio" : "http";
    const error = status === "failed" ? (source?.status.reason ?? undefined) : undefined;
    return stated({ name, status, transport, error });
  });
}
