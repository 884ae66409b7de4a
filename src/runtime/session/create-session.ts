import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { homeFolder } from "../../config/layers/home-folder.ts";
import { loadOptions } from "../../config/load-options.ts";
import { loadLock } from "../../config/lock/lock-file.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { PayloadOf } from "../../core/dialects/dialects.ts";
import type { DialectName } from "../../core/dialects/limits.ts";
import type { Mode } from "../../core/scene/scene.ts";
import type { Embedder } from "../../core/search/vector-store.ts";
import type { Answer } from "../../core/toolset/explain.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { createExternalSource, type ExternalTool, type Registration } from "../../sources/external/external-source.ts";
import type { Question } from "../../sources/host.ts";
import { readVersion } from "../../system/version.ts";
import type { ExecutorLimits } from "../executor/ports.ts";
import type { SessionHooks } from "../hooks/hook-types.ts";
import type { Classifier } from "../permissions/classifier.ts";
import { loadCommandReader } from "../permissions/command-reader.ts";
import type { PermissionHandler } from "../permissions/permission-request.ts";
import { checkCallOptions, checkChanges, checkHandlers, checkOptions } from "./check-options.ts";
import type { Emitter } from "./events.ts";
import {
  createExchange,
  type ReplyOptions,
  type ReplyResult,
  type Results,
  type ResultsOptions,
  type SessionPayloadOptions,
} from "./exchange.ts";
import { createHostSetting, type HostOptions } from "./host-setting.ts";
import type {
  AgentOption,
  ExtensionOption,
  McpServerOption,
  ModelOption,
  OverrideOption,
  PermissionsOption,
} from "./option-types.ts";
import { fromSaved, type SavedPromotions } from "./promotion-state.ts";
import type { Request } from "./request.ts";
import type { UsageStore } from "./search-usage.ts";
import { type Session as OpenSession, openSession } from "./session.ts";
import { NO_HOOKS } from "./setting.ts";

/** What a program decides about its session. Keys that a configuration file has too mean the same here. */
export interface SessionOptions {
  readonly tools?: readonly ExternalTool[];
  readonly mcpServers?: Readonly<Record<string, McpServerOption>>;
  readonly extensions?: readonly ExtensionOption[];
  readonly skillDirectories?: readonly string[];
  readonly disabledSkills?: readonly string[];
  readonly skillToolPolicy?: "restrict" | "preapprove" | "off";
  readonly customAgents?: readonly AgentOption[];
  readonly agent?: string | null;
  readonly defaultAgent?: { readonly excludedTools?: readonly string[] };
  readonly availableTools?: readonly string[] | null;
  readonly excludedTools?: readonly string[] | null;
  readonly includeTools?: readonly string[] | null;
  readonly excludeTools?: readonly string[] | null;
  /** A run without any tool is meant, and no mistake (F4). */
  readonly allowNoTools?: boolean;
  /** `include` makes the list of excluded tools idle where there is one of available tools (F1). */
  readonly filterPrecedence?: "exclude" | "include";
  readonly toolGroups?: readonly string[] | null;
  /** Names for several tools; with an `id`, lists can call a set by that too. */
  readonly toolsets?: Readonly<
    Record<string, readonly string[] | { readonly id?: string; readonly members: readonly string[] }>
  >;
  /** By any identifier of a tool. */
  readonly toolOverrides?: Readonly<Record<string, OverrideOption>>;
  readonly features?: Readonly<Record<string, boolean>>;
  readonly model?: string | { readonly provider?: string; readonly id: string } | null;
  /** By id, with `*` for any part of it. */
  readonly models?: Readonly<Record<string, ModelOption>>;
  readonly mode?: Mode;
  readonly permissions?: PermissionsOption;
  readonly sandbox?: {
    readonly shell?: "auto" | "on" | "off";
    readonly backend?: "auto" | "bubblewrap" | "sandbox-runtime";
    readonly allowHostShell?: boolean;
  };
  readonly toolSearch?: "auto" | "on" | "off" | { readonly threshold?: number; readonly percent?: number };
  readonly wireNames?: "server__tool" | "server-tool" | "mcp__server__tool";
  readonly checks?: readonly {
    readonly name: string;
    readonly command: readonly string[];
    readonly timeout?: number;
  }[];
  /** Asked about calls that no rule covers; without it they are denied. */
  readonly onPermissionRequest?: PermissionHandler | null;
  readonly hooks?: SessionHooks;
  /** Judges calls that no rule covers before anybody is asked; off when left out. */
  readonly classifier?: Classifier | null;
  /** Milliseconds for calls of tools that say nothing themselves, and bytes of a result that a model gets at once. */
  readonly limits?: Partial<ExecutorLimits>;
  readonly onUserInputRequest?: ((question: Question, signal: AbortSignal) => Promise<string>) | null;
  /** What searches of an earlier session had loaded: its `promotions`, as they were or through JSON (D8). */
  readonly promoted?: SavedPromotions | null;
  /** Whose searches these are; what they lead to ranks later searches of the same tenant and of nobody else. */
  readonly tenant?: string;
  /** Where that is kept; only this session knows it if absent. */
  readonly usage?: UsageStore | null;
  /** Turns texts into vectors, for searches that words alone do not answer; it gets the text of every searchable tool. */
  readonly embedder?: Embedder | null;
  /** A `toolcrib.lock` to hold servers and their tools against; none if absent. */
  readonly lock?: string | null;
  /** The folder that file tools work in and relative paths start from; the current one if absent, none if null. */
  readonly workspace?: string | null;
  readonly logger?: HostOptions["logger"];
  readonly signal?: AbortSignal;
}

/** The tools of one conversation, as a program holds them. */
export interface Session
  extends Pick<
    OpenSession,
    "id" | "sources" | "refresh" | "settled" | "close" | "call" | "executeCalls" | "calls" | "promotions" | "nextTurn"
  > {
  readonly toolset: Toolset;
  why(name: string): Answer;
  request(): Request;
  /** What one request sends to a provider: tools, prompt sections, names; of the toolset as of now (P1). */
  payload<Name extends DialectName>(dialect: Name, options?: SessionPayloadOptions): PayloadOf<Name>;
  /**
   * Runs the calls of a provider's reply: a stream, a response that is all there, or a promise of one. Calls start while
   * the model still writes where that is safe (X6); results come in request order.
   */
  execute(reply: unknown, options?: ReplyOptions): AsyncGenerator<ReplyResult, void, void>;
  /** What to send back for the last reply that was executed, or that of one payload; empty when nothing was called. */
  results<Name extends DialectName>(dialect: Name, options?: ResultsOptions): Results<Name>;
  /**
   * Changes the options given and keeps the others; refused whole when they leave no tool. What surrounds a session
   * (`workspace`, `signal`, `limits`, …) stays what it was.
   */
  updateOptions(changes: SessionOptions): Promise<void>;
  /** This owner's external tools, replaced whole; `[]` removes them. */
  setTools(owner: string, tools: readonly ExternalTool[]): Registration;
  /** Answers a call of an external tool that has no handler here. */
  answer(requestId: string, result: unknown): boolean;
  readonly on: Emitter["on"];
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a session on a program's own options. Values are literal, and no file is read but managed policy.
 * A signal that is aborted already is its reason thrown.
 */
export async function createSession(options: SessionOptions = {}): Promise<Session> {
  checkOptions(options, "createSession");
  options.signal?.throwIfAborted();
  const cwd = process.cwd();
  const workspace = options.workspace === null ? null : resolve(cwd, options.workspace ?? ".");
  const input = { cwd: workspace ?? cwd, home: homeFolder(process.env), env: process.env, loadCommandReader };
  let current = options;
  /** Whoever changes the model means the agent of now; whoever selects an agent means its model. */
  let modelIsForced = false;
  const load = async (given: SessionOptions, call: string): Promise<Config> => {
    const loaded = await loadOptions(toFileKeys(given), call, input, toOptionName);
    const lock = typeof given.lock === "string" ? await loadLock(resolve(input.cwd, given.lock), cwd) : loaded.lock;
    return { ...loaded, lock, notices: [...loaded.notices, ...(await findDeadRules(loaded))] };
  };

  const config = await load(options, "createSession");
  const external = createExternalSource({
    onRequested: (request) => tell("external_tool.requested", request),
    onCompleted: (completion) => tell("external_tool.completed", completion),
  });
  let hostTools: readonly ExternalTool[] = options.tools ?? [];
  /** How often `setTools` said what the host's tools are: what was said last counts, whoever waits longer. */
  let hostSaid = 0;
  external.setTools(HOST, hostTools);
  const setting = createHostSetting({
    ...input,
    version: readVersion(),
    workspace,
    askUser: options.onUserInputRequest ?? null,
    calls: {
      onPermissionRequest: () => current.onPermissionRequest ?? null,
      hooks: () => current.hooks ?? NO_HOOKS,
      classifier: () => current.classifier ?? null,
      limits: options.limits ?? {},
      mayCall: true,
    },
    sources: [{ key: "external", open: async () => external }],
    get allowNoTools() {
      return current.allowNoTools;
    },
    get modelIsForced() {
      return modelIsForced;
    },
    get filterPrecedence() {
      return current.filterPrecedence;
    },
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  let emit: Emitter["emit"] = () => {};
  const tell: Emitter["emit"] = (name, data) => emit(name, data);
  const attached = {
    ...setting,
    promoted: fromSaved(options.promoted ?? null),
    usage: { store: options.usage ?? null, tenant: options.tenant ?? "" },
    ...(options.embedder ? { embedder: options.embedder } : {}),
    attach: (ports: Parameters<typeof setting.attach>[0]) => {
      emit = ports.emit;
      const setMode: typeof ports.setMode = (mode, origin) => {
        // Later changes of other options keep the mode that the session has by then.
        current = { ...current, mode };
        ports.setMode(mode, origin);
      };
      setting.attach({ ...ports, setMode });
    },
  };
  const session = await openSession(config, attached);
  const exchange = createExchange(session, tell);

  /**
   * Tools and options change together: a list of options may name what only the new tools have. Nothing is awaited
   * between the change and taking it back, so that a refused one is never seen and undoes nobody else's.
   */
  const update = async (given: SessionOptions, saidAt: number): Promise<void> => {
    checkOptions(given, "updateOptions");
    const changes = withoutUndefined(given);
    checkChanges(changes, current);
    let next: SessionOptions;
    let loaded: Config;
    let base: SessionOptions;
    do {
      base = current;
      next = { ...withoutSynonyms(base, changes), ...changes };
      loaded = await load(next, "updateOptions");
      // An approved plan changes the mode whenever it likes.
    } while (current !== base);
    const before = { options: current, tools: hostTools, modelIsForced };
    current = next;
    if (changes.model !== undefined) modelIsForced = changes.model !== null;
    else if (changes.agent !== undefined) modelIsForced = false;
    if (changes.tools !== undefined && saidAt === hostSaid) hostTools = changes.tools ?? [];
    external.setTools(HOST, hostTools);
    const taken = session.reconfigure(loaded);
    if (session.config !== loaded) {
      current = before.options;
      modelIsForced = before.modelIsForced;
      hostTools = before.tools;
      external.setTools(HOST, hostTools);
    }
    await taken;
  };
  /** One change after the other, so that each keeps what the one before it changed. */
  let updating: Promise<unknown> = Promise.resolve();

  return {
    id: session.id,
    get toolset() {
      return session.toolset;
    },
    get sources() {
      return session.sources;
    },
    why: (name) => session.why(toName(name)),
    request: session.request,
    payload: exchange.payload,
    execute: exchange.execute,
    results: exchange.results,
    get promotions() {
      return session.promotions;
    },
    nextTurn: session.nextTurn,
    updateOptions(changes) {
      const saidAt = hostSaid;
      const done = updating.then(() => update(changes, saidAt));
      updating = done.catch(() => {});
      return done;
    },
    setTools(owner, tools) {
      toName(owner);
      if (!Array.isArray(tools))
        throw new ToolcribError("tool.invalid", "setTools needs a list of tools after the owner");
      checkHandlers(tools, "setTools:");
      if (owner === HOST) {
        hostTools = tools;
        hostSaid += 1;
      }
      return external.setTools(owner, tools);
    },
    answer: external.answer,
    refresh: session.refresh,
    settled: session.settled,
    call: async (name, args, callOptions) => session.call(toName(name), args, checkCallOptions(callOptions)),
    executeCalls: session.executeCalls,
    calls: session.calls,
    on: session.on,
    close: session.close,
    [Symbol.asyncDispose]: session.close,
  };
}

/** Rules that allow nothing are told here, because nobody runs `toolcrib doctor` on a program. */
async function findDeadRules(config: Config): Promise<readonly Notice[]> {
  if (config.permissions.allow.length === 0) return [];
  const { checkRules } = await import("../doctor/check-rules.ts");
  return checkRules(config).flatMap(({ code, text, names, origin }): readonly Notice[] =>
    code === "rule.dead" ? [{ level: "warning", code, text, names, origin }] : [],
  );
}

/** What programs without types get wrong first. */
function toName(name: unknown): string {
  if (typeof name === "string") return name;
  throw new TypeError(`a name must be text; found ${name === null ? "null" : typeof name}`);
}

/** Absent and undefined are the same: what somebody left undefined must not lift a guard. */
function withoutUndefined(options: SessionOptions): SessionOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

const SYNONYMS = [
  ["availableTools", "includeTools"],
  ["excludedTools", "excludeTools"],
] as const satisfies readonly (readonly [keyof SessionOptions, keyof SessionOptions])[];

/** What the changes say under another name is theirs to say: both names mean one list. */
function withoutSynonyms(options: SessionOptions, changes: SessionOptions): SessionOptions {
  const said = SYNONYMS.flatMap(([one, other]) => [
    ...(Object.hasOwn(changes, one) ? [other] : []),
    ...(Object.hasOwn(changes, other) ? [one] : []),
  ]);
  return Object.fromEntries(Object.entries(options).filter(([key]) => !said.some((name) => name === key)));
}

/** The owner of the tools that options bring. */
const HOST = "host";

/** What a program wrote where a file has another key for it. */
function toOptionName(path: string): string {
  return path === "permissions.mode" ? "mode" : path.replace(/^agents(?=\[|$)/, "customAgents");
}

/** The part of the options that a configuration file could hold, under the file's keys. */
function toFileKeys(options: SessionOptions): Readonly<Record<string, unknown>> {
  const {
    tools: _tools,
    customAgents,
    mode,
    permissions,
    onPermissionRequest: _decide,
    hooks: _hooks,
    classifier: _classifier,
    limits: _limits,
    onUserInputRequest: _ask,
    promoted: _promoted,
    tenant: _tenant,
    usage: _usage,
    embedder: _embedder,
    lock: _lock,
    workspace: _place,
    allowNoTools: _none,
    filterPrecedence: _precedence,
    logger: _log,
    signal: _signal,
    ...rest
  } = options;
  return {
    ...rest,
    ...(customAgents === undefined ? {} : { agents: customAgents }),
    ...(mode === undefined && permissions === undefined
      ? {}
      : { permissions: { ...permissions, ...(mode === undefined ? {} : { mode }) } }),
  };
}
