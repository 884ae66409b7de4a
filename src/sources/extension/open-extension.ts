import { isRecord } from "../../core/shape/is-record.ts";
import { buildChildEnv } from "../../system/process/child-env.ts";
import type { SpawnProcess } from "../../system/process/spawn-process.ts";
import { cleanText } from "../../system/process/stderr-tail.ts";
import type { LineEvent } from "../../system/rpc/line-splitter.ts";
import { isTooDeep } from "../../system/text/json-depth.ts";
import type { Clock } from "../../system/time/clock.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import type { ProgramLimits } from "../parts/limits.ts";
import { createRedactor } from "../parts/redact.ts";
import { StartFailure } from "../parts/start-failure.ts";
import type { Supervised } from "../parts/supervisor.ts";
import { createWire, type OnWire } from "../parts/wire-line.ts";
import type { Progress, RunContext } from "../source.ts";
import { type ExtensionSpec, PROTOCOL_VERSION } from "./extension-spec.ts";
import { type LineProcess, startLineProcess } from "./line-process.ts";
import {
  type Asked,
  createRpcPeer,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  type RpcAnswer,
  type RpcPeer,
} from "./rpc-peer.ts";

const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;
export interface ExtensionLog {
  readonly level: (typeof LOG_LEVELS)[number];
  readonly message: string;
}

/** What an extension is told about one list it sent. */
export interface Registered {
  readonly registered: number;
  /** Places of entries that are no tools, counted from 0. */
  readonly skipped: readonly number[];
}

export interface OpenExtensionOptions {
  readonly spec: ExtensionSpec;
  readonly sessionId: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly limits: ProgramLimits;
  readonly clock: Clock;
  readonly spawn: SpawnProcess;
  readonly onTools: (tools: readonly unknown[]) => Registered;
  readonly onLog: (log: ExtensionLog) => void;
  readonly wire?: ((text: string) => void) | undefined;
  readonly refuses?: (() => Promise<string | null>) | undefined;
}

/** A running extension that has registered its tools. */
export interface ExtensionConnection extends Supervised {
  call(name: string, args: Readonly<Record<string, unknown>>, context: RunContext): Promise<RpcAnswer>;
}

const FAREWELL = JSON.stringify({ jsonrpc: "2.0", method: "shutdown" });
const LONGEST_LOG = 2_000;

/** Starts the process, shakes hands and waits for its first tools. Rejects with a StartFailure, with the process ended. */
export async function openExtension(options: OpenExtensionOptions, signal: AbortSignal): Promise<ExtensionConnection> {
  const { spec, limits, clock } = options;
  const refusal = (await options.refuses?.()) ?? null;
  if (refusal !== null) throw new StartFailure(refusal, null, false, false, "Review and allow it with: toolcrib trust");
  const redact = createRedactor({ env: spec.env });
  const hide = (text: string | null) => (text === null ? null : redact(text));
  const onWire = createWire(`extension ${spec.name}`, redact, options.wire);
  const firstTools = createDeferred<void>();
  const progress = new Map<number, (progress: Progress) => void>();
  const stop = new AbortController();

  const peer = createRpcPeer({
    limits,
    now: () => clock.now(),
    send: (message) => {
      onWire?.("sent", message);
      void child.send(JSON.stringify(message)).catch(() => {});
    },
    onAsked: (asked) => answerAsked(asked),
    onFault: (reason) => child.cut(reason),
  });
  /** Tools that came before the handshake was judged; only the last ones count, and only if it went well. */
  let early: Asked | null = null;
  let greeted = false;
  const register = (asked: Asked): void => {
    const { id, params } = asked;
    const { tools } = params;
    if (!Array.isArray(tools) || tools.length > limits.listTools) {
      if (id !== null) peer.refuse(id, INVALID_PARAMS, `tools must be a list of at most ${limits.listTools}`);
    } else if (!greeted) {
      early = asked;
    } else {
      const registered = options.onTools(tools);
      if (id !== null) peer.reply(id, registered);
      firstTools.resolve();
    }
  };
  const answerAsked = (asked: Asked): void => {
    const { id, method, params } = asked;
    switch (method) {
      case "tools/register":
        register(asked);
        return;
      case "$/progress":
        if (typeof params.id === "number") progress.get(params.id)?.(readProgress(params));
        return;
      case "log":
        options.onLog(readLog(params, redact));
        return;
      default:
        if (id !== null) peer.refuse(id, METHOD_NOT_FOUND, `there is no method ${method.slice(0, 100)}`);
    }
  };
  const child: LineProcess = await startLineProcess({
    argv: spec.argv,
    cwd: spec.cwd ?? options.cwd,
    env: buildChildEnv(options.env, spec.env),
    limits,
    spawn: options.spawn,
    signal: stop.signal,
    onLine: (line) => takeLine(line, peer, child, limits, onWire),
  });
  void child.lost.then(() => peer.end());

  const connection: ExtensionConnection = {
    lost: child.lost.then(({ reason }) => ({ reason: hide(reason) })),
    refusal: null,
    readStderr: () => hide(child.readStderr()),
    async call(name, args, { sessionId, toolCallId, signal: cancel, onProgress }) {
      let sent = 0;
      const answer = await peer.request(
        "tools/call",
        { name, arguments: args, toolCallId, sessionId },
        cancel,
        (id) => {
          sent = id;
          if (onProgress !== undefined) progress.set(id, onProgress);
        },
      );
      progress.delete(sent);
      return answer;
    },
    close: () => child.close(FAREWELL),
  };

  const client = { name: "toolcrib", version: options.version };
  const start = { protocolVersion: PROTOCOL_VERSION, sessionId: options.sessionId, name: spec.name, client };
  const unwilling = readGreeting(await peer.request("initialize", start, signal));
  greeted = unwilling === null;
  if (greeted && early !== null) register(early);
  const problem = unwilling ?? (await awaitTools(firstTools.promise, child, signal));
  if (problem === null) return connection;
  await connection.close();
  const { reason } = await connection.lost;
  stop.abort();
  throw new StartFailure(hide(reason ?? problem) ?? problem, connection.readStderr(), false);
}

/** Null when the handshake went well. */
function readGreeting(answer: RpcAnswer): string | null {
  switch (answer.kind) {
    case "result": {
      const version = isRecord(answer.value) ? answer.value.protocolVersion : undefined;
      if (version === PROTOCOL_VERSION) return null;
      const spoken = JSON.stringify(version)?.slice(0, 40) ?? "none";
      return `speaks version ${spoken} of the extension protocol; this is version ${PROTOCOL_VERSION}`;
    }
    case "error":
      return `refused to start: ${answer.message.slice(0, 300)}`;
    default:
      return "did not answer `initialize`";
  }
}

async function awaitTools(first: Promise<void>, child: LineProcess, signal: AbortSignal): Promise<string | null> {
  let onAbort = () => {};
  const aborted = new Promise<string>((resolve) => {
    onAbort = () => resolve("did not register its tools; send `tools/register`, with [] for none");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  const lost = child.lost.then(({ reason }) => reason ?? "ended");
  const problem = await Promise.race([first.then(() => null), lost, aborted]);
  signal.removeEventListener("abort", onAbort);
  return problem;
}

function takeLine(
  line: LineEvent,
  peer: RpcPeer,
  child: LineProcess,
  limits: ProgramLimits,
  onWire: OnWire | undefined,
): void {
  switch (line.kind) {
    case "endless":
      child.cut(`a line did not end within ${limits.messageBytes + limits.skippedBytes} bytes`);
      break;
    case "oversized":
      if (!peer.dropAnswer(line.id)) peer.receiveJunk();
      break;
    case "line":
      if (line.bytes.length > 0) receiveLine(line.bytes, peer, onWire);
  }
}

function receiveLine(bytes: Buffer, peer: RpcPeer, onWire: OnWire | undefined): void {
  const message = parse(bytes);
  onWire?.("received", message);
  if (message === undefined) peer.receiveJunk();
  else peer.receive(message);
}

function parse(bytes: Buffer): unknown {
  try {
    const text = bytes.toString("utf8");
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
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
