import type { IncomingMessage, ServerResponse } from "node:http";
import type { Crib, Profile } from "../../runtime/crib/crib.ts";
import type { Clock } from "../../sources/mcp/clock.ts";
import type { GatewayLimits } from "./limits.ts";

/** A client as people see it. */
export interface FrontView {
  readonly id: string;
  readonly label: string;
  readonly principal: string;
  readonly era: "legacy" | "modern";
  readonly agent: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly calls: number;
  /** The id of its session of tools. */
  readonly sessionId: string;
}

/** Something about a client that whoever keeps watch should know. */
export interface Incident {
  readonly code: "session.principal_mismatch";
  readonly text: string;
  readonly principal: string;
}

export interface GatewayOptions {
  readonly version: string;
  readonly clock?: Clock;
  readonly limits?: Partial<GatewayLimits>;
  readonly onIncident?: (incident: Incident) => void;
  readonly onError?: (text: string, error: unknown) => void;
}

/** MCP in front of everything: translates only, decides nothing. */
export interface Gateway {
  /** One request to `/mcp`, of somebody who has proved to be `profile.principal`. Host, Origin and token are checked already. */
  handleHttp(request: IncomingMessage, response: ServerResponse, access: { readonly profile: Profile }): Promise<void>;
  /** One client on a pair of streams, until its input ends. */
  serveStdio(streams: StdioStreams, profile: Profile): Promise<void>;
  readonly clients: readonly FrontView[];
  /** Calls back when clients come, go or call. */
  changes(listener: () => void): () => void;
  /** Ends every client's session and leaves no timer or handle behind. Twice is fine. */
  close(): Promise<void>;
}

export interface StdioStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export type CreateGateway = (crib: Crib, options: GatewayOptions) => Gateway;
