import { isToolcribError, ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { buildServerEnv, secretsIn } from "../../system/process/server-env.ts";
import type { SpawnProcess } from "../../system/process/spawn-process.ts";
import { spawnProcess } from "../../system/process/spawn-process.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { onAbort } from "../../system/time/until-aborted.ts";
import { admitCall, type Breaker, CLOSED_BREAKER, settleCall } from "../parts/breaker.ts";
import { createChangeListeners } from "../parts/change-listeners.ts";
import type { KeptList } from "../parts/kept-list.ts";
import { createRedactor } from "../parts/redact.ts";
import { CANCELLED } from "../parts/results.ts";
import { StartFailure } from "../parts/start-failure.ts";
import { createSupervisor } from "../parts/supervisor.ts";
import { createWire } from "../parts/wire-line.ts";
import type { Era, McpPeer, PeerAnswer } from "../peer.ts";
import { type CallManner, IN_PROCESS, type RunContext, type Source } from "../source.ts";
import type { Connection } from "./connection.ts";
import { createPeer } from "./create-peer.ts";
import { DEFAULT_LIMITS, type McpLimits } from "./limits.ts";
import { RefusedList } from "./list-tools.ts";
import { createLoginStore } from "./oauth/login-store.ts";
import { createTokens, type Tokens } from "./oauth/tokens.ts";
import { createLoginWatch } from "./oauth/watch-login.ts";
import { createOpener } from "./open-server.ts";
import { runCall } from "./run-call.ts";
import { type Endpoint, type McpServerSpec, readEndpoint, saysWhoAsks } from "./server-spec.ts";
import { describeStatus, disabledStatus, toRefusal } from "./source-status.ts";
import { fetcherOf, startTimeoutOf } from "./start-time.ts";
import { createToolList } from "./tool-list.ts";
import { createWishes } from "./wishes.ts";

export interface McpSourceOptions {
  /** The key under `mcpServers`. */
  readonly name: string;
  readonly server: McpServerSpec;
  /** Folder in which a process starts when its entry does not say. */
  readonly cwd: string;
  /** Environment of which a process gets what its entry says, besides what that sets. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hears every message, one line each, without secrets. */
  readonly wire?: ((text: string) => void) | undefined;
  /** Toolcrib's version, as servers are told. */
  readonly version?: string;
  /** Folder in which logins are kept; without it none is used. */
  readonly logins?: string;
  /** What it listed when it last ran, shown until it is there. */
  readonly kept?: KeptList;
  readonly limits?: Partial<McpLimits>;
  readonly clock?: Clock;
  /** From 0 to below 1, for jitter. */
  readonly random?: () => number;
  readonly spawn?: SpawnProcess;
}

export interface McpSource extends Source {
  /** What the server tells about itself, for the prompt (P2); null while unknown or absent. Untrusted text. */
  readonly instructions: string | null;
  /** The protocol that the connected server speaks; null while it is not connected. */
  readonly era: Era | null;
  /** Variables that look like secrets, which its process did not get. */
  readonly heldBack: readonly string[];
  /** The server itself, for those who speak the protocol. */
  readonly peer: McpPeer;
  /** The last lines that the running server wrote to its error stream, cleaned; `status` has those of one that failed. */
  readStderr(): string | null;
  /** Ends the server and starts it anew at once, also after it was refused for want of a login. */
  restart(): Promise<void>;
}

/** A server times out by itself, and says more about it. */
const SERVER: CallManner = { ...IN_PROCESS, isElsewhere: true, slack: 1_000, queue: "session" };

/**
 * One MCP server as a source. It starts by itself, without anybody waiting for it, and is kept running until `close`.
 * Throws `mcp.invalid-server` when its entry cannot be used.
 */
export function createMcpSource(options: McpSourceOptions): McpSource {
  const { name, server: spec } = options;
  const endpoint = readEndpoint(name, spec);
  const given: McpLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const limits: McpLimits = { ...given, startTimeout: startTimeoutOf(spec, endpoint, given.startTimeout) };
  const fetcher = fetcherOf(endpoint);
  const { kept } = options;
  const clock = options.clock ?? SYSTEM_CLOCK;
  const tokens = openTokens(endpoint, options.logins);
  const { env, heldBack } = buildServerEnv(options.env, spec.env, spec.inheritEnv);
  const redactSpec = createRedactor(spec, secretsIn(env));
  const redact = (text: string): string => tokens?.hide(redactSpec(text)) ?? redactSpec(text);
  const listeners = createChangeListeners();
  const disabled = spec.enabled === false;
  let breaker: Breaker = CLOSED_BREAKER;
  let listed: readonly unknown[] | null = null;
  let instructions: string | null = kept?.earlier?.instructions ?? null;
  let closed = false;

  const wishes = createWishes();
  const owned = createPeer({
    timeout: spec.timeout ?? limits.callTimeout,
    clock,
    limits,
    wishes,
    current: () => supervisor.connection,
    definitionOf: (tool) => list.definitionOf(tool),
    admitted: (signal, work) => admitted(signal, work),
  });
  const list = createToolList({
    about: { server: name, group: spec.group ?? null, defer: spec.defer ?? "auto", timeout: spec.timeout ?? null },
    limits,
    clock,
    connection: () => supervisor.connection,
    onChange: listeners.tell,
    ...(kept?.earlier == null || disabled ? {} : { earlier: kept.earlier.tools }),
    onListed: (tools) => {
      listed = tools;
      // Before the first start is over nobody knows what else the server says.
      if (supervisor.connection !== null) kept?.save({ tools, instructions });
    },
  });
  const open = createOpener({
    server: name,
    endpoint,
    spec,
    cwd: options.cwd,
    env,
    limits,
    clock,
    spawn: options.spawn ?? spawnProcess,
    version: options.version ?? "0",
    redact,
    tokens,
    onWire: createWire(`mcp ${name}`, redact, options.wire),
    onNotification(method, params) {
      if (method === "notifications/tools/list_changed") list.announceChange();
      owned.tell(method, params);
    },
    subscribed: () => wishes.uris,
    attached: owned.attached,
  });
  const supervisor = createSupervisor({
    name,
    limits,
    clock,
    random: options.random ?? Math.random,
    async open(signal) {
      const connection = await open(signal);
      const letGo = onAbort(signal, () => void connection.close());
      try {
        await list.load(connection, signal);
        return connection;
      } catch (error) {
        await connection.close();
        const { reason } = await connection.lost;
        const trouble = isToolcribError(error) ? `could not be used: ${error.message}` : "did not list its tools";
        const isItsList = reason === null && error instanceof RefusedList;
        const next = isItsList ? "Update the server, or tell whoever makes it that its list cannot be used." : null;
        throw new StartFailure(reason ?? trouble, connection.readStderr(), connection.refusal !== null, false, next);
      } finally {
        letGo();
      }
    },
    hasList: () => list.known,
    meanwhile: fetcher === null ? null : `${fetcher} may be downloading`,
    firstWait: limits.startTimeout,
    onConnected: (connection) => {
      instructions = connection.instructions;
      if (listed !== null) kept?.save({ tools: listed, instructions });
      breaker = CLOSED_BREAKER;
      owned.remember(connection);
      wishes.renew(connection);
    },
    onChange: () => {
      watch?.look();
      listeners.tell();
    },
  });
  const watch =
    tokens === null
      ? null
      : createLoginWatch({
          tokens,
          isWaiting: () => supervisor.status.state === "needs-auth",
          every: limits.loginWatch,
          onLogin: () => void supervisor.restart(),
        });

  const setBreaker = (next: Breaker): void => {
    const changed = next.state !== breaker.state;
    breaker = next;
    if (changed) listeners.tell();
  };
  const admit = (): void => {
    if (disabled)
      throw new ToolcribError("mcp.unavailable", `The MCP server "${name}" is disabled.`, { names: [name] });
    const admission = admitCall(breaker, clock.now());
    if (!admission.admitted) throw toRefusal(name, admission.retryIn);
    setBreaker(admission.breaker);
  };
  /** One request that is no call, under the same breaker; it is never repeated. */
  const admitted = async (
    signal: AbortSignal,
    work: (connection: Connection) => Promise<{ readonly answer: PeerAnswer; readonly timedOut: boolean }>,
  ): Promise<PeerAnswer> => {
    admit();
    try {
      const { answer, timedOut } = await work(await supervisor.ready(signal));
      setBreaker(settleCall(breaker, timedOut ? "timeout" : "answered", clock.now(), limits));
      return answer;
    } catch (error) {
      setBreaker(settleCall(breaker, "neither", clock.now(), limits));
      throw error;
    }
  };

  /** A call may wait long for a first start, and what it was meant for may be another tool by then (E1). */
  const awaitServer = async (tool: Tool, context: RunContext): Promise<Connection> => {
    const wasLoaded = list.loaded;
    context.onWaiting?.(true);
    try {
      if (!wasLoaded) context.onProgress?.({ message: `Waiting for "${name}" to start`, progress: 0, total: null });
      const connection = await supervisor.ready(context.signal);
      if (!wasLoaded && !list.tools.includes(tool.original ?? tool)) throw changedMeanwhile(name, tool);
      return connection;
    } finally {
      context.onWaiting?.(false);
    }
  };

  if (!disabled) supervisor.start();

  return {
    kind: "mcp",
    manner: SERVER,
    asksBack: true,
    name,
    heldBack,
    peer: owned.peer,
    get instructions() {
      return instructions;
    },
    get era() {
      return supervisor.connection?.era ?? null;
    },
    readStderr() {
      const text = supervisor.connection?.readStderr() ?? supervisor.status.stderr;
      return text === null ? null : redact(text);
    },
    get status() {
      if (disabled && !closed) return disabledStatus(spec.disabledBy);
      const status = describeStatus(supervisor.status, breaker, list.trouble, list.skipped, name);
      const hide = (text: string | null) => (text === null ? null : redact(text));
      const standIn = list.known && !list.loaded;
      const meanwhile = standIn && status.state === "starting" ? "; its last list is shown meanwhile" : "";
      const reason = status.reason === null ? null : redact(`${status.reason}${meanwhile}`);
      return { ...status, reason, stderr: hide(status.stderr), ...(standIn ? { isStandIn: true } : {}) };
    },
    async list(signal) {
      if (!disabled && !list.known) await supervisor.settled(signal);
      return list.tools;
    },
    async run(tool: Tool, args: Readonly<Record<string, unknown>>, context: RunContext) {
      if (isCancelled(context)) return CANCELLED;
      admit();
      const timeout = tool.timeout ?? limits.callTimeout;
      const { readOnly, idempotent } = (tool.original ?? tool).traits;
      const definition = list.definitionOf(tool);
      const given = { server: name, tool, definition, args, context, timeout, clock, limits, wishes, redact };
      // A call that broke off is repeated once, if its server's word that this is harmless counts.
      for (let mayRepeat = spec.trustAnnotations === true && readOnly && idempotent; ; mayRepeat = false) {
        try {
          const connection = supervisor.connection ?? (await awaitServer(tool, context));
          const { result, outcome } = await runCall(connection, given);
          setBreaker(settleCall(breaker, outcome, clock.now(), limits));
          return result;
        } catch (error) {
          if (mayRepeat && !closed && isToolcribError(error) && error.code === "mcp.disconnected") continue;
          setBreaker(settleCall(breaker, "neither", clock.now(), limits));
          if (isCancelled(context)) return CANCELLED;
          throw error;
        }
      }
    },
    changes: listeners.add,
    restart: async () => {
      if (!disabled) await supervisor.restart();
    },
    async close() {
      closed = true;
      listeners.clear();
      watch?.close();
      owned.close();
      list.close();
      await supervisor.close();
      await tokens?.close();
      await kept?.close();
    },
  };
}

function isCancelled(context: RunContext): boolean {
  return context.cancelling === undefined ? context.signal.aborted : context.cancelling.isCancelled;
}

function changedMeanwhile(server: string, { name }: Tool): ToolcribError {
  const text = `The MCP server "${server}" lists the tool "${name}" no more, or otherwise than before it was started, so it was not called. Ask for the tools again.`;
  return new ToolcribError("mcp.unavailable", text, { names: [server] });
}

/** Those of a remote server whose entry leaves it open who asks. */
function openTokens(endpoint: Endpoint, folder: string | undefined): Tokens | null {
  if (endpoint.kind === "stdio" || folder === undefined || saysWhoAsks(endpoint.headers)) return null;
  return createTokens({ server: endpoint.url, store: createLoginStore(folder, endpoint.url) });
}
