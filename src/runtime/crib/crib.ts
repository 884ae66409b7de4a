import type { Config } from "../../config/config.ts";
import type { Sourced } from "../../core/codes/origin.ts";
import type { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { UsageLimit } from "../../core/limits/usage-limit.ts";
import type { Because } from "../../core/people/map-person.ts";
import type { Answerer } from "../../core/people/may-answer.ts";
import type { Caller } from "../../core/people/person.ts";
import type { Limit } from "../../core/scene/scene.ts";
import type { CodeUse } from "../../core/scene/scene-settings.ts";
import type { PeerClient } from "../../sources/peer.ts";
import type { Source } from "../../sources/source.ts";
import type { Logger } from "../../system/logger.ts";
import type { LimitFigures } from "../limits/limit-desk.ts";
import type { UsedBudget } from "../limits/read-usage.ts";
import type { ModelClient } from "../models/model.ts";
import type { PermissionAnswer, PermissionRequest } from "../permissions/permission-request.ts";
import type { SearchStores } from "../session/search/search-stores.ts";
import type { WantedSource } from "../session/sources/configured-sources.ts";
import type { OpenSession } from "../session/tools/session.ts";
import type { SessionSetting } from "../session/tools/setting.ts";

/** How one client narrows the whole. Nothing here ever widens what the configuration allows. */
export interface Profile {
  /** The label of its token, never the token itself. */
  readonly principal: string;
  /** The entry of the configuration that this comes from, whatever its label: a digest, never the token. */
  readonly key: string;
  /** Its agent; null for the configured one. */
  readonly agent: string | null;
  /** Whether it calls tools from code; null for the general setting. */
  readonly code: Sourced<CodeUse> | null;
  /** Rules beside those of the configuration. */
  readonly rules: ProfileRules | null;
  /** The person, and the client that they use; null where a token of the configuration is all that is known. */
  readonly caller: Caller | null;
  /** What the person gave the client, behind the token that it came with; null or absent where there is no such row. */
  readonly authorization?: string | null;
  /** The entries of `gateway.profiles` that it is made of, each with what gave it; absent where that is not known. */
  readonly given?: ReadonlyMap<string, Because>;
  /** A tool must pass every one of them. */
  readonly limits: readonly Limit[];
  /** How much may be used, besides what `gateway.limits` says. */
  readonly usageLimits: readonly UsageLimit[];
  /** What the client asked for in addition to its token's limits. */
  readonly asked: Narrowing;
}

/** Permission rules and filters of the profiles that somebody is given. */
type ProfileRules = Pick<Config["permissions"], "allow" | "ask" | "deny"> & Pick<Config, "filters">;

/** What a client may ask for with `?agent=`, `?include=`, `?exclude=` and `?code=`. */
export interface Narrowing {
  readonly agent: string | null;
  /** Null: all tools. */
  readonly include: readonly string[] | null;
  readonly exclude: readonly string[];
  /** Whether it calls tools from code, if that is not off; null: as configured. */
  readonly code: boolean | null;
}

/** The client of a new view. */
export interface ViewOptions {
  readonly profile: Profile;
  /** The client's name for people. */
  readonly label: string;
  /** AskedAs by servers in the middle of calls, unless the call brings its own client; null if nobody can be asked. */
  readonly client: PeerClient | null;
  /** AskedAs first about calls that need an answer, if `gateway.approvals` is `client`; null if it cannot be asked. */
  readonly approve: ((request: PermissionRequest, signal: AbortSignal) => Promise<PermissionAnswer | null>) | null;
  /**
   * Calls back when the maker of the call has gone, so that nobody would get its result; returns how to unsubscribe. If
   * absent, nobody is known to go.
   */
  readonly onLeft?: (request: PermissionRequest, listener: () => void) => () => void;
  /** Waits until the maker of the call is back, if it was disconnected and may come back. */
  readonly whenHere?: (request: PermissionRequest) => Promise<void>;
  /** Stores that somebody is about to be asked, if the call outlives this machine; null if it does not. */
  readonly keeps?: (request: PermissionRequest) => Promise<StoredAsking | null>;
  /** Nobody can be asked about a call, because the store is unusable. */
  readonly onUnstored?: (request: PermissionRequest, error: ToolcribError) => void;
  /** The program's own name, by which it may be recognised; unknown if absent. */
  readonly clientName?: string | null;
  /** Its id for other machines that serve the same clients; unknown to them if absent. */
  readonly storedAs?: string | null;
  /** The id of a session that goes on; a new one if absent. */
  readonly sessionId?: string | null;
  /** Whether tools arrived after it was shown some, and it will not ask again; checked whenever its scene is made. */
  readonly isLate?: () => boolean;
  /** Several programs use it, so a question that one of them leaves open must not block another. */
  readonly isShared?: boolean;
}

/** How a question is identified to other machines. */
export interface AskedAs {
  readonly id: string;
  /** The same question, as asked by a machine that has ended. */
  readonly earlier?: string | null;
  /** Milliseconds for which it can be answered after this machine has ended; none if absent. */
  readonly window?: number;
  /** The id under which it was asked first, and when, if another machine did; else this id and now. */
  readonly root?: string;
  readonly since?: number;
}

/** A question about a call that another machine can make if this one ends before the call has started. */
export interface StoredAsking extends AskedAs {
  /** Before the call runs: false if another machine has taken it over. */
  start(): Promise<boolean>;
  /** Leaves the call and its question to another machine, because this one ends. */
  leave(): Promise<void>;
}

/** A session for a question. */
interface BesideOptions {
  readonly calls: Partial<SessionSetting>;
  readonly logger: Logger;
  /** The name under which its calls are logged and counted like those of clients; null if it makes none. */
  readonly label: string | null;
}

/** Whose call it is that somebody is asked about, and how it may be answered. */
export interface AskedFor {
  /** The client's name for people. */
  readonly client: string;
  /** The person who makes the call; null or absent where none is known. */
  readonly caller?: Caller | null;
  /** Whether another person than the caller has to answer. */
  readonly fourEyes?: boolean;
  /** Milliseconds after which it is a no; null or absent: as long as the call waits. */
  readonly expires?: number | null;
}

/** A call that waits for a person. */
export interface PendingApproval {
  readonly id: string;
  /** The id under which it was asked first: it stays when another machine takes the same question over. */
  readonly root: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** When it becomes a no, in milliseconds since 1970; null: never by itself. */
  readonly until: number | null;
  readonly client: string;
  readonly caller: AskedCaller | null;
  readonly fourEyes: boolean;
  /** The machine that it waits on; null for this one. */
  readonly machine: string | null;
  readonly request: PermissionRequest;
}

/** The person whose call waits, as far as those who answer need to know. */
export type AskedCaller = Pick<Caller, "issuer" | "subject" | "name">;

/** Calls that wait for a person, and how to answer them from anywhere. */
export interface ApprovalQueue {
  /** Oldest first. */
  readonly pending: readonly PendingApproval[];
  /** Rejects when the signal is aborted; later answers are too late. */
  ask(request: PermissionRequest, from: AskedFor, signal: AbortSignal, asked?: AskedAs): Promise<PermissionAnswer>;
  /** By its id or the one it was asked under first, on any machine; null if nobody waits. */
  find(id: string): Promise<PendingApproval | null>;
  /**
   * The first answer counts. False if nobody waits under that id any longer; rejects with `approval.lost` if the
   * machine that asked has ended in the meantime, and nobody got the answer.
   */
  answer(id: string, answer: PermissionAnswer): Promise<boolean>;
  changes(listener: () => void): () => void;
}

/** The same, in which only those answer who may. */
export interface Approvals extends Omit<ApprovalQueue, "answer"> {
  /**
   * As `ApprovalQueue.answer`; rejects with `approval.not-theirs` for somebody who may not. Without an answerer it is the
   * owner of this Toolcrib. What a person allows counts once, for these very arguments.
   */
  answer(id: string, answer: PermissionAnswer, who?: Answerer): Promise<boolean>;
  /** Calls back on the machine that asked, when a question of it ends. */
  settled(listener: (question: SettledApproval) => void): () => void;
}

/** A question that has ended on this machine. */
export interface SettledApproval {
  readonly root: string;
  /** Null: nobody waits for an answer any longer. */
  readonly answer: PermissionAnswer | null;
}

/** A client's session, and its owner. */
export interface CribView {
  readonly session: OpenSession;
  readonly label: string;
  readonly principal: string;
  /** What its client is given now; absent for what no client uses. */
  readonly profile?: Profile;
  /** It is for the person who runs this Toolcrib, by the gateway's own token or on their machine. */
  readonly isOwners?: boolean;
}

/** What callers may use, and have used. */
interface LimitUse {
  /** Of all limits about somebody, on all machines. */
  usage(profile: Pick<Profile, "caller" | "key" | "principal" | "usageLimits">): Promise<readonly UsedBudget[]>;
  /** A model for somebody, which is not asked beyond the money that limits allow. */
  limitModel(
    model: ModelClient,
    profile: Pick<Profile, "caller" | "key" | "principal" | "usageLimits">,
  ): Promise<ModelClient>;
  /** Every limit of the configuration, with what came of it on this machine since the start. */
  figures(): readonly LimitFigures[];
}

/**
 * One running Toolcrib: sources shared by all clients, a session for each client, one queue of approvals, one audit
 * log. Surfaces build on this and hold no state of tools themselves.
 */
export interface Crib {
  readonly config: Config;
  /** Sees everything that the configuration allows, narrowed by no client; for people. */
  readonly main: OpenSession;
  /** Those that are everybody's, and so of no person. */
  readonly sources: readonly Source[];
  /** How many connections run that belong to one person each. */
  readonly personConnections: number;
  /** Open sessions of clients, oldest first. */
  readonly views: readonly CribView[];
  /** Where search stores what was computed for definitions. */
  readonly searchStores: SearchStores;
  readonly approvals: Approvals;
  readonly limits: LimitUse;
  /** Called before each call of every session here; for sessions that are opened elsewhere. */
  readonly beforeRun: SessionSetting["beforeRun"];
  /** A session on the shared sources; closing it does not end what others use. */
  openView(options: ViewOptions): Promise<OpenSession>;
  /** A session with another configuration on the shared sources, for a question; no client notices it. */
  openBeside(config: Config, beside: BesideOptions): Promise<OpenSession>;
  /**
   * Opens a source for a session that belongs to no client; a server that is already running here is not started again.
   */
  openSource(wanted: WantedSource): Promise<Source>;
  /** Whether something would end with that session: a source that nobody else uses, what its built-in tools run. */
  holdsAlone(session: Pick<OpenSession, "sources" | "config">): boolean;
  /** Switches to another configuration without dropping any client. Refused as a whole if it cannot be used. */
  reconfigure(config: Config): Promise<void>;
  /** What is wrong with the files as they are now, so that an earlier configuration stays; null while they are in use. */
  readonly refused: string | null;
  noteRefused(text: string | null): void;
  /** Calls back when views open or close, the configuration changes, or a change of it is refused. */
  changes(listener: () => void): () => void;
  /** Calls back with the key of a person who logged in at a server, or whose login there ended. */
  loginChanges(listener: (person: string) => void): () => void;
  /** Lets running calls finish for a while, then leaves no process, timer or handle behind. Twice is fine. */
  close(): Promise<void>;
}
