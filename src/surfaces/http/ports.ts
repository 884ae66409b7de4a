import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../../config/config.ts";
import type { Flags } from "../../config/read-layers.ts";
import type { Profile } from "../../runtime/crib/crib.ts";
import type { SessionEvent } from "../../runtime/session/events.ts";
import type { Session } from "../../runtime/session/session.ts";
import type { ChangeView, ClientView } from "./api.ts";

/**
 * Takes over one exchange at `/mcp` with its body unread, of somebody who proved to be `profile.principal`: Host, Origin,
 * token, rate and announced size are checked. Parameters of the URL are not in the profile yet and may only narrow it.
 */
export type McpPort = (
  request: IncomingMessage,
  response: ServerResponse,
  access: { readonly profile: Profile },
) => Promise<void>;

/** A session as far as the inspector looks into it. */
export type WatchedSession = Pick<Session, "toolset" | "sources" | "sourceOf" | "config">;

/** What the inspector shows and others own. */
export interface InspectorPorts {
  readonly version: string;
  readonly workspace: string | null;
  readonly clients: () => readonly ClientView[];
  /** The session that a client works in, by an id of `clients`; null when it has gone. */
  readonly sessionOf: (client: string) => WatchedSession | null;
  /** Calls back when clients come and go. Returns how to stop that. */
  readonly onClients: (listener: () => void) => () => void;
  /** What the sessions of all clients tell, each with the id of its client. Returns how to stop that. */
  readonly onEvent: (listener: (client: string, event: SessionEvent) => void) => () => void;
  /** The configuration as it would be with these flags on top (managed policy still counts), for that client if any. */
  readonly configWith: (flags: Flags, client: string | null) => Promise<Config>;
  readonly changes: DefinitionChanges;
}

/** Definitions that differ from what was approved. */
export interface DefinitionChanges {
  list(signal: AbortSignal): Promise<readonly ChangeView[]>;
  /** False when there is no such change (any more). */
  approve(id: string, signal: AbortSignal): Promise<boolean>;
  onChange(listener: () => void): () => void;
}
