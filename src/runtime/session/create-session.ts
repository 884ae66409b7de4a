import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { homeFolder } from "../../config/layers/home-folder.ts";
import { loadOptions } from "../../config/load-options.ts";
import { loadLock } from "../../config/lock/lock-file.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { PayloadOf } from "../../core/dialects/dialects.ts";
import type { DialectName } from "../../core/dialects/limits.ts";
import type { Answer } from "../../core/toolset/explain.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { createExternalSource, type ExternalTool, type Registration } from "../../sources/external/external-source.ts";
import { readVersion } from "../../system/version.ts";
import type { Emitter } from "../events/emitter.ts";
import { loadCommandReader } from "../permissions/command-reader.ts";
import type { Request } from "../requests/request.ts";
import { checkCallOptions, checkChanges, checkHandlers, checkOptions } from "./check-options.ts";
import type { WantedSource } from "./configured-sources.ts";
import { createElicitationClient } from "./elicitation.ts";
import {
  createExchange,
  type ReplyOptions,
  type ReplyResult,
  type Results,
  type ResultsOptions,
  type SessionPayloadOptions,
} from "./exchange.ts";
import { configuredBuiltins, createHostSetting } from "./host-setting.ts";
import { createOwnSources } from "./own-sources.ts";
import { fromSaved } from "./promotion-state.ts";
import { type Session as OpenSession, openSession } from "./session.ts";
import { type SessionOptions, toFileKeys, toOptionName, withoutSynonyms, withoutUndefined } from "./session-options.ts";
import { NO_HOOKS } from "./setting.ts";
import { ownSurroundings, type Surroundings } from "./surroundings.ts";
import { withClient } from "./with-client.ts";

/** The tools of one conversation, as a program holds them. */
export interface Session
  extends Pick<
    OpenSession,
    | "id"
    | "sources"
    | "refresh"
    | "settled"
    | "close"
    | "call"
    | "executeCalls"
    | "calls"
    | "interrupt"
    | "promotions"
    | "nextTurn"
  > {
  readonly toolset: Toolset;
  why(name: string): Answer;
  request(): Request;
  /** What one request sends to a provider: tools, prompt sections, names; of the toolset as of now. */
  payload<Name extends DialectName>(dialect: Name, options?: SessionPayloadOptions): PayloadOf<Name>;
  /**
   * Runs the calls of a provider's reply: a stream, a response that is all there, or a promise of one. Calls start while
   * the model still writes where that is safe; results come in request order.
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
export async function createSession(
  options: SessionOptions = {},
  { env, cwd, ...timing }: Surroundings = ownSurroundings(),
): Promise<Session> {
  checkOptions(options, "createSession");
  options.signal?.throwIfAborted();
  const workspace = options.workspace === null ? null : resolve(cwd, options.workspace ?? ".");
  const input = { cwd: workspace ?? cwd, home: homeFolder(env), env, loadCommandReader };
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
    newId: timing.newId,
    onRequested: (request) => tell("external_tool.requested", request),
    onCompleted: (completion) => tell("external_tool.completed", completion),
  });
  let hostTools: readonly ExternalTool[] = options.tools ?? [];
  /** How often `setTools` said what the host's tools are: what was said last counts, whoever waits longer. */
  let hostSaid = 0;
  external.setTools(HOST, hostTools);
  const own = createOwnSources();
  const setting = createHostSetting({
    ...input,
    timing,
    version: readVersion(),
    workspace,
    builtins: (config) => configuredBuiltins(config, "off"),
    askUser: options.onUserInputRequest ?? null,
    elicits: Boolean(options.onElicitationRequest),
    ...(options.approvePlan === undefined ? {} : { approvePlan: options.approvePlan }),
    ...(options.memory === undefined ? {} : { memory: options.memory }),
    calls: {
      onPermissionRequest: () => current.onPermissionRequest ?? null,
      hooks: () => current.hooks ?? NO_HOOKS,
      classifier: () => current.classifier ?? null,
      limits: options.limits ?? {},
      mayCall: true,
    },
    get sources() {
      return [{ key: "external", open: async () => external }, ...own.wanted(current.sources ?? [])];
    },
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
  const { onElicitationRequest } = options;
  const attached = {
    ...setting,
    open: async (wanted: WantedSource) => {
      const source = await wanted.open();
      if (!onElicitationRequest || source.kind !== "mcp") return source;
      const about = { server: source.name, sessionId: setting.id };
      return withClient(source, createElicitationClient(about, onElicitationRequest, setting.logger));
    },
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
    interrupt: session.interrupt,
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

/** The owner of the tools that options bring. */
const HOST = "host";
