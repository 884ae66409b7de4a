import { isRecord } from "../../core/shape/is-record.ts";
import { buildChildEnv } from "../../system/process/child-env.ts";
import type { SpawnProcess } from "../../system/process/spawn-process.ts";
import { cleanText } from "../../system/process/stderr-tail.ts";
import { createFramedProcess, type FramedProcess } from "../../system/rpc/framed-process.ts";
import { LINES } from "../../system/rpc/line-framing.ts";
import { createRpcPeer, RPC_ERROR, type RpcAnswer, type RpcPeer, RpcRefusal } from "../../system/rpc/peer.ts";
import type { Clock } from "../../system/time/clock.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import { type Chatter, createChatter } from "../parts/chatter.ts";
import type { ProgramLimits } from "../parts/limits.ts";
import { createStatusRedactor } from "../parts/redact.ts";
import { heldBack, StartFailure, toFault } from "../parts/start-failure.ts";
import type { Supervised } from "../parts/supervisor.ts";
import { createWire } from "../parts/wire-line.ts";
import type { Progress, RunContext, SourceFault } from "../source.ts";
import { EXTENSION_PROTOCOL, type ExtensionSpec } from "./extension-spec.ts";

const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;
interface ExtensionLog {
  readonly level: (typeof LOG_LEVELS)[number];
  readonly message: string;
}

/** The answer to one list that an extension sent. */
export interface Registered {
  readonly registered: number;
  /** Indexes of entries that are not tools. */
  readonly skipped: readonly number[];
}

export interface OpenExtensionOptions {
  readonly extension: ExtensionSpec;
  readonly sessionId: string;
  /** Folder in which it starts if its entry names none. */
  readonly cwd: string;
  /** Environment of which it gets the non-secret part. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Toolcrib's version, sent to the extension. */
  readonly version: string;
  readonly limits: ProgramLimits;
  readonly clock: Clock;
  readonly spawn: SpawnProcess;
  readonly onTools: (tools: readonly unknown[]) => Registered;
  readonly onLog: (log: ExtensionLog) => void;
  /** Receives every message, one line each, without secrets. */
  readonly wire?: ((text: string) => void) | undefined;
  /** Called before every start: why it must not be started now, as a clause that follows "because". */
  readonly refuses?: () => Promise<string | null>;
}

/** A running extension that has registered its tools. */
export interface ExtensionConnection extends Supervised {
  call(name: string, args: Readonly<Record<string, unknown>>, context: RunContext): Promise<RpcAnswer>;
}

const FAREWELL = { jsonrpc: "2.0", method: "shutdown" };
const LONGEST_LOG = 2_000;

/**
 * Starts the process, does the handshake and waits for the first tools. Rejects with a StartFailure, with the process
 * ended.
 */
export async function openExtension(
  options: OpenExtensionOptions,
  signal: AbortSignal,
  onFault: (fault: SourceFault) => void,
): Promise<ExtensionConnection> {
  const { extension: spec, sessionId } = options;
  const refusal = (await options.refuses?.()) ?? null;
  if (refusal !== null) throw heldBack(refusal);
  const redact = createStatusRedactor({ env: spec.env });
  const hide = (text: string | null) => (text === null ? null : redact(text));
  const registry = createRegistry(options);
  const progress = new Map<number, (progress: Progress) => void>();
  const chatter = createChatter(redact, onFault);
  const { child, peer } = createConversation(options, { registry, progress, redact, chatter });

  const connection: ExtensionConnection = {
    lost: child.lost.then((loss) => ({ ...loss, reason: hide(loss.reason) })),
    refusal: null,
    readStderr: () => hide(child.readStderr()),
    async call(name, args, { sessionId: session, toolCallId, signal: cancel, onProgress }) {
      let sent = 0;
      const params = { name, arguments: args, toolCallId, sessionId: session };
      const answer = await peer.request("tools/call", params, cancel, (id) => {
        sent = id;
        if (onProgress !== undefined) progress.set(id, onProgress);
      });
      progress.delete(sent);
      return answer;
    },
    close: () => child.close(FAREWELL),
  };

  const client = { name: "toolcrib", version: options.version };
  const greeting = { protocolVersion: EXTENSION_PROTOCOL, sessionId, name: spec.name, client };
  await child.start().catch(() => {});
  const unwilling = readGreeting(await peer.request("initialize", greeting, signal));
  if (unwilling === null) registry.open();
  const problem = unwilling ?? (await awaitTools(registry.first, child, signal));
  if (problem === null) return connection;
  await connection.close();
  const loss = await connection.lost;
  const stderr = connection.readStderr();
  const details = { stderr, fault: toFault(loss, { seen: chatter.fault, stderr }) };
  throw new StartFailure(loss.reason ?? redact(problem), details);
}

interface ToolRegistry {
  /** Resolves when the first tools are registered. */
  readonly first: Promise<void>;
  register(tools: unknown): Registered | Promise<Registered> | RpcRefusal;
  /** The handshake succeeded. */
  open(): void;
}

/** Tools that arrive before the handshake was judged are delayed; only the last list of them counts. */
function createRegistry({ limits, onTools }: OpenExtensionOptions): ToolRegistry {
  const first = createDeferred<void>();
  let isOpen = false;
  let early = (): void => {};
  const accept = (tools: readonly unknown[]): Registered => {
    first.resolve();
    return onTools(tools);
  };
  return {
    first: first.promise,
    register(tools) {
      if (!Array.isArray(tools) || tools.length > limits.listTools)
        return new RpcRefusal(RPC_ERROR.invalidParams, `tools must be a list of at most ${limits.listTools}`);
      if (isOpen) return accept(tools);
      return new Promise((resolve) => {
        early = () => resolve(accept(tools));
      });
    },
    open() {
      isOpen = true;
      early();
    },
  };
}

interface ConversationParts {
  readonly registry: ToolRegistry;
  readonly progress: ReadonlyMap<number, (progress: Progress) => void>;
  readonly redact: (text: string) => string;
  readonly chatter: Chatter;
}

/** The process, not started yet, and its message channel. */
function createConversation(
  { extension: spec, limits, clock, spawn, onLog, wire, ...options }: OpenExtensionOptions,
  { registry, progress, redact, chatter }: ConversationParts,
): { readonly child: FramedProcess; readonly peer: RpcPeer } {
  const onWire = createWire(`extension ${spec.name}`, redact, wire);
  const peer = createRpcPeer({
    limits,
    now: () => clock.now(),
    cancelMethod: "$/cancel",
    send(message) {
      onWire?.("sent", message);
      void child.send(message).catch(() => {});
    },
    onRequest(method, params) {
      if (method === "tools/register") return registry.register(params.tools);
      return new RpcRefusal(RPC_ERROR.methodNotFound, `there is no method ${method.slice(0, 100)}`);
    },
    onNotification(method, params) {
      if (method === "tools/register") void registry.register(params.tools);
      if (method === "$/progress" && typeof params.id === "number") progress.get(params.id)?.(readProgress(params));
      if (method === "log") onLog(readLog(params, redact));
    },
    onFault: (reason) => child.cut(reason),
  });
  const child = createFramedProcess({
    argv: spec.argv,
    cwd: spec.cwd ?? options.cwd,
    env: buildChildEnv(options.env, spec.env),
    framing: LINES,
    limits,
    spawn,
    onMessage(read) {
      if (read.kind === "oversized" && peer.dropAnswer(read.id)) return;
      if (read.kind !== "oversized") onWire?.("received", read.kind === "message" ? read.message : undefined);
      if (read.kind === "message") return peer.receive(read.message);
      if (read.kind === "junk") chatter.note(read.text);
      peer.receiveJunk();
    },
    onOver: () => peer.end(),
  });
  return { child, peer };
}

/** Null if the handshake succeeded. */
function readGreeting(answer: RpcAnswer): string | null {
  switch (answer.kind) {
    case "result": {
      const version = isRecord(answer.value) ? answer.value.protocolVersion : undefined;
      if (version === EXTENSION_PROTOCOL) return null;
      const spoken = JSON.stringify(version)?.slice(0, 40) ?? "none";
      return `speaks version ${spoken} of the extension protocol; this is version ${EXTENSION_PROTOCOL}`;
    }
    case "error":
      return `refused to start: ${answer.message.slice(0, 300)}`;
    default:
      return "did not answer `initialize`";
  }
}

function awaitTools(first: Promise<void>, child: FramedProcess, signal: AbortSignal): Promise<string | null> {
  const lost = child.lost.then(({ reason }) => reason ?? "ended");
  const ready = first.then(() => null);
  return untilAborted(
    Promise.race([ready, lost]),
    signal,
    () => "did not register its tools; send `tools/register`, with [] for none",
  );
}

function readProgress({ message, progress, total }: Readonly<Record<string, unknown>>): Progress {
  return {
    message: typeof message === "string" ? message : null,
    progress: typeof progress === "number" ? progress : null,
    total: typeof total === "number" ? total : null,
  };
}

function readLog(params: Readonly<Record<string, unknown>>, redact: (text: string) => string): ExtensionLog {
  const level = LOG_LEVELS.find((known) => known === params.level) ?? "info";
  const message = typeof params.message === "string" ? params.message : JSON.stringify(params.message ?? "");
  return { level, message: redact(cleanText(message.slice(0, LONGEST_LOG))) };
}
