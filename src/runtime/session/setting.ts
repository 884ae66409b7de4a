import type { Config } from "../../config/config.ts";
import type { SceneFacts } from "../../config/to-scene.ts";
import type { Eventual } from "../../core/call/eventual.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { SessionGrant } from "../../core/events/state-events.ts";
import type { Confinement } from "../../core/rules/paths.ts";
import type { Mode, Promotions } from "../../core/scene/scene.ts";
import type { Embedder } from "../../core/search/vector-store.ts";
import type { LeftOut } from "../../core/toolset/toolset.ts";
import type { AgentsPort } from "../../sources/agents-port.ts";
import type { RunContext, Source } from "../../sources/source.ts";
import type { HiddenValues } from "../../system/text/hidden-values.ts";
import type { SessionAudit } from "../audit/session-audit.ts";
import type { Emitter } from "../events/emitter.ts";
import type { Keyring } from "../executor/keyring.ts";
import type { ExecutorLimits } from "../executor/ports.ts";
import type { SessionHooks } from "../hooks/hook-types.ts";
import type { ModelPlace } from "../models/find-model.ts";
import type { StoredQuestions } from "../permissions/asking.ts";
import type { Classifier, ClassifierStage } from "../permissions/classifier.ts";
import type { GrantStore } from "../permissions/grant-store.ts";
import type { PermissionHandler } from "../permissions/permission-request.ts";
import type { Recorder } from "../store/recorder.ts";
import type { SourcePlace, WantedSource } from "./configured-sources.ts";
import type { SearchStores } from "./search-stores.ts";
import type { UsageSetting } from "./search-usage.ts";
import type { Timing } from "./surroundings.ts";

export interface Logger {
  /** Something went wrong that no caller hears of. */
  error(text: string, error: unknown): void;
  /** What happens, for whoever looks for a fault. */
  debug(text: string): void;
  /** Each message to and from servers and extensions, one line each, without secrets; nobody hears them if absent. */
  readonly wire?: ((text: string) => void) | undefined;
}

/** The same object each time, so that nobody prepares it anew for every call. */
export const NO_HOOKS: SessionHooks = {};

export const SILENT: Logger = { error: () => {}, debug: () => {} };

/** What a session lends to whatever surrounds it. */
export interface SessionPorts {
  readonly emit: Emitter["emit"];
  /** Facts of the scene changed. */
  readonly changed: () => void;
  /** Changes the mode of the session from inside a call. */
  readonly setMode: (mode: Mode, origin: Origin) => void;
  /** Calls a tool from inside another call, through every stage. */
  readonly callTool: (
    identity: string,
    args: Readonly<Record<string, unknown>>,
    context: RunContext,
  ) => Promise<ToolResult>;
}

/** Who is asked about calls and what surrounds them. */
export interface CallSetting {
  readonly home: string;
  /** Null: relative paths start in the current folder, and nothing is kept for a project. */
  readonly workspace: string | null;
  /** Asked anew for each question, so that it can be replaced. */
  readonly onPermissionRequest: () => PermissionHandler | null;
  readonly hooks: () => SessionHooks;
  readonly classifier: () => Classifier | null;
  /** Answers what no rule and no classifier decides, in place of people; nobody does if absent. */
  readonly standsIn?: () => ClassifierStage | null;
  /** Further providers of models, for the classifier that a setting names. */
  readonly models?: () => Pick<ModelPlace, "providers" | "fetch">;
  /** Somebody is shown plans while `exit_plan_mode` runs; absent: nobody, and the permission request is about the plan. */
  readonly plansAreShown?: () => boolean;
  readonly limits: Partial<ExecutorLimits>;
  /** Approvals that are kept; read from this person's files if absent. */
  readonly grants?: () => Promise<GrantStore>;
  /** A subagent's session: its start and end are those of its run, and no session's. */
  readonly isSubagent?: boolean;
  /** The subagent's id, for hooks. */
  readonly agentId?: string;
  /** Files that calls of the whole tree of agents have in use; those of this session alone if absent. */
  readonly keyring?: Keyring;
  /** Questions wait for no other one; one after the other if absent. */
  readonly asksAtOnce?: boolean;
  /** Hooks see a call before its tool is looked up; afterwards if absent. */
  readonly hooksFirst?: boolean;
  /** Keeps a result that is too long for a model and says what that reads instead; our own way if absent. */
  readonly sayLong?: (text: string) => Promise<string>;
  /** Who decides about calls may make some meanwhile. To follow that makes every promise of the process dearer. */
  readonly mayCall?: boolean;
  /** Asked before each call runs, once everybody heard that it will; what it gives is the result in place of running it. */
  readonly beforeRun?: (() => Promise<ToolResult | null> | null) | undefined;
  /** The sandbox in which our own tools run commands, as it is now; null or absent without one. */
  readonly confinement?: () => Eventual<Confinement | null>;
}

/** What surrounds a session: everything that configuration does not say. */
export interface SessionSetting {
  readonly id: string;
  readonly timing: Timing;
  readonly place: SourcePlace;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Sources besides MCP servers: built-ins, modules, skills, extensions, what the host registers. */
  readonly sources: (config: Config) => Promise<readonly WantedSource[]>;
  /** Opens sources in place of the session, which closes what it got and never more. Absent: each is its own. */
  readonly open?: (wanted: WantedSource) => Promise<Source>;
  readonly facts: (config: Config, sources: readonly Source[]) => SceneFacts;
  /** What the sources found worth telling. */
  readonly notices: () => readonly Notice[];
  /** What of them was taken away before it could be a tool. */
  readonly leftOut?: (config: Config) => readonly LeftOut[];
  /** Absent: nobody is asked, and there are no hooks but configured ones. */
  readonly calls?: CallSetting;
  /** The log of its calls, closed with it; absent: somebody else keeps one, or nobody does. */
  readonly audit?: SessionAudit | undefined;
  /** Where its events are stored; absent: nowhere, and they are gone with the session. */
  readonly recorder?: Recorder | undefined;
  /** Values that no event may hold; none if absent. */
  readonly hidden?: HiddenValues | undefined;
  /** Where what waits for somebody is stored; absent: nowhere. */
  readonly questions?: StoredQuestions | undefined;
  /** Long results that it kept before it was resumed, and how to read them; absent: they go with the process. */
  readonly results?: { readonly earlier: ReadonlySet<string>; load(id: string): Promise<string | null> } | undefined;
  /** Approvals that counted for this session before it was resumed. */
  readonly grants?: Iterable<SessionGrant>;
  /** Hash of the tools that the model was last asked with, before the session was resumed. */
  readonly toldTools?: string | null;
  /** What an earlier session had loaded, to go on from there. */
  readonly promoted?: Promotions | undefined;
  /** Where it is kept what searches led to, and for whom; absent: nowhere, and only for this session. */
  readonly usage?: UsageSetting;
  /** Where it is kept what was made for definitions so that search finds them; nowhere if absent. */
  readonly searchStores?: SearchStores;
  /** Turns texts into vectors, where the host has something that can. */
  readonly embedder?: Embedder;
  /** That of an agent which works for this one, in a folder of its own or in the same: only what is its own. */
  readonly below: (child: {
    readonly id: string;
    readonly agents: AgentsPort;
    readonly folder: string | null;
  }) => SessionSetting;
  /** Called once, before any source is opened. */
  readonly attach: (ports: SessionPorts) => void;
}
