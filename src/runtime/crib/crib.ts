import type { Config } from "../../config/config.ts";
import type { Sourced } from "../../core/codes/origin.ts";
import type { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Limit } from "../../core/scene/scene.ts";
import type { CodeUse } from "../../core/scene/scene-settings.ts";
import type { PeerClient } from "../../sources/peer.ts";
import type { Source } from "../../sources/source.ts";
import type { Logger } from "../../system/logger.ts";
import type { PermissionAnswer, PermissionRequest } from "../permissions/permission-request.ts";
import type { CallSetting } from "../session/calls/call-setting.ts";
import type { SearchStores } from "../session/search/search-stores.ts";
import type { WantedSource } from "../session/sources/configured-sources.ts";
import type { HostOptions } from "../session/tools/host-setting.ts";
import type { OpenSession } from "../session/tools/session.ts";

/** What one client may narrow of the whole. Nothing here ever widens what configuration allows. */
export interface Profile {
  /** Who it is: the label of a token, never the token itself. */
  readonly principal: string;
  /** Which entry of the configuration this is from, whatever its label: a digest, never the token. */
  readonly key: string;
  /** The agent it works as; null for the configured one. */
  readonly agent: string | null;
  /** Whether it calls tools from code; null for what is configured for all. */
  readonly code: Sourced<CodeUse> | null;
  /** A tool has to pass every one of them. */
  readonly limits: readonly Limit[];
  /** What the client asked for on top of what its token says. */
  readonly asked: Narrowing;
}

/** What a client may ask for, as `?agent=`, `?include=`, `?exclude=` and `?code=` do. */
export interface Narrowing {
  readonly agent: string | null;
  /** Null: all tools. */
  readonly include: readonly string[] | null;
  readonly exclude: readonly string[];
  /** Whether it calls tools from code, where that is not off; null: as configured. */
  readonly code: boolean | null;
}

/** A client that a view is opened for. */
export interface ViewOptions {
  readonly profile: Profile;
  /** How this client is called where people look. */
  readonly label: string;
  /** Asked by servers in the middle of calls, unless the call brings its own; null where nobody can be. */
  readonly client: PeerClient | null;
  /** Asked first about calls that need an answer, where `gateway.approvals` is `client`; null when it cannot be asked. */
  readonly approve: ((request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer | null>) | null;
  /**
   * Calls back when whoever made the call has gone, so that nobody would get its result; returns how to stop that. Where
   * it is absent nobody is known to go.
   */
  readonly onLeft?: (request: PermissionRequest, listener: () => void) => () => void;
  /** Waits until whoever made the call is there, if it has broken off and may come back. */
  readonly whenHere?: (request: PermissionRequest) => Promise<void>;
  /** Stores that somebody is about to be asked, where the call outlives this machine; null where it does not. */
  readonly keeps?: (request: PermissionRequest) => Promise<KeptAsking | null>;
  /** Nobody can be asked about a call, because the store cannot be used. */
  readonly onUnstored?: (request: PermissionRequest, error: ToolcribError) => void;
  /** What the program calls itself, by which it may be known; nobody knows it if absent. */
  readonly clientName?: string | null;
  /** What it is known by to other machines in front of the same clients; unknown to them if absent. */
  readonly keptAs?: string | null;
  /** Whether tools came after it was shown some, and it will not ask again; looked at whenever its scene is made. */
  readonly isLate?: () => boolean;
  /** Several programs use it, so a question that one of them leaves open must not keep another waiting. */
  readonly isShared?: boolean;
}

/** How a question is known to other machines. */
interface Asked {
  readonly id: string;
  /** The same question, as a machine that has ended asked it. */
  readonly earlier?: string | null;
  /** Milliseconds for which it can be answered once this machine has ended; none if absent. */
  readonly window?: number;
}

/** A question about a call that another machine can make, should this one end before the call has started. */
export interface KeptAsking extends Asked {
  /** Before the call runs: false where another machine has taken it over. */
  start(): Promise<boolean>;
  /** Leaves the call and its question to another machine, because this one ends. */
  leave(): Promise<void>;
}

/** A session for a question. */
interface BesideOptions {
  readonly calls: NonNullable<HostOptions["calls"]>;
  readonly logger: Logger;
  /** Under which name its calls are kept and counted like those of clients; null where it makes none. */
  readonly label: string | null;
}

/** A call that waits for a person. */
export interface PendingApproval {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly client: string;
  /** The machine that it waits on; null for this one. */
  readonly machine: string | null;
  readonly request: PermissionRequest;
}

/** Calls that wait for a person, and how they are answered from anywhere. */
export interface Approvals {
  /** Oldest first. */
  readonly pending: readonly PendingApproval[];
  /** Rejects when the signal is aborted; whoever answers then comes too late. */
  ask(request: PermissionRequest, client: string, signal: AbortSignal, asked?: Asked): Promise<PermissionAnswer>;
  /**
   * The first answer counts. False when nobody waits under that id any more; rejects with `approval.lost` where the machine
   * that asked has ended meanwhile, and nobody got it.
   */
  answer(id: string, answer: PermissionAnswer): Promise<boolean>;
  changes(listener: () => void): () => void;
}

/** A client's session, and who it belongs to. */
export interface CribView {
  readonly session: OpenSession;
  readonly label: string;
  readonly principal: string;
}

/**
 * One running Toolcrib: sources shared by all clients, a session of its own for each of them, one queue of approvals,
 * one audit. Surfaces stand on this and hold no state of tools themselves.
 */
export interface Crib {
  readonly config: Config;
  /** Sees what configuration allows, narrowed by no client; for people who look. */
  readonly main: OpenSession;
  readonly sources: readonly Source[];
  /** Clients' sessions that are open now, oldest first. */
  readonly views: readonly CribView[];
  /** Where search keeps what was made for definitions. */
  readonly searchStores: SearchStores;
  readonly approvals: Approvals;
  /** Asked before each call of every session here; for those that are opened elsewhere. */
  readonly beforeRun: CallSetting["beforeRun"];
  /** A session on the shared sources; closing it ends nothing that others use. */
  openView(options: ViewOptions): Promise<OpenSession>;
  /** A session with another configuration on the shared sources, for a question; no client notices anything of it. */
  openBeside(config: Config, beside: BesideOptions): Promise<OpenSession>;
  /** Opens a source for a session that is no client's; a server that runs here already is not started again. */
  openSource(wanted: WantedSource): Promise<Source>;
  /** Takes over another configuration, without dropping any client. Refused whole when it cannot be used. */
  reconfigure(config: Config): Promise<void>;
  /** Calls back when views come or go, or the configuration changes. */
  changes(listener: () => void): () => void;
  /** Lets running calls end for a while, then leaves no process, timer or handle behind. Twice is fine. */
  close(): Promise<void>;
}
