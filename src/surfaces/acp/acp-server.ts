import { isAbsolute } from "node:path";
import { MODES } from "../../core/scene/scene.ts";
import type { PermissionHandler } from "../../runtime/permissions/permission-request.ts";
import { LINES } from "../../system/rpc/line-framing.ts";
import { createMessageReader } from "../../system/rpc/message-reader.ts";
import { createRpcPeer, RPC_ERROR, type RpcPeer, RpcRefusal } from "../../system/rpc/peer.ts";
import { type AcpSession, type OpenedSession, openAcpSession } from "./acp-session.ts";
import { readPrompt } from "./read-prompt.ts";
import { readEditorServers } from "./read-servers.ts";

/** A session that an editor asks for. */
export interface WantedSession {
  /** Null: a new one. */
  readonly id: string | null;
  readonly cwd: string;
  readonly folders: readonly string[];
  /** In the shape of `mcpServers`. */
  readonly servers: Readonly<Record<string, object>>;
}

export interface AcpPorts {
  readonly version: string;
  /** Milliseconds, for measuring. */
  readonly now: () => number;
  /** Sessions are stored, so that they can be loaded again. */
  readonly keeps: boolean;
  open(wanted: WantedSession, asking: () => PermissionHandler | null): Promise<OpenedSession>;
  list(cwd: string | null): Promise<readonly object[]>;
}

interface AcpStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export interface AcpServer {
  /** Resolves when the editor has disconnected. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

const PROTOCOL_VERSION = 1;
const NOT_FOUND = -32_002;
const MIB = 1024 * 1024;
const LIMITS = {
  ...{ messageBytes: 64 * MIB, skippedBytes: 256 * MIB, badLines: 100, badLineWindow: 10_000 },
  ...{ floodBurst: 10_000, floodRate: 1_000 },
};

/** Serves agents to one editor, one JSON-RPC message per line (Agent Client Protocol, version 1). */
export function serveAcp({ input, output }: AcpStreams, ports: AcpPorts): AcpServer {
  const sessions = new Map<string, AcpSession>();
  let isClosed = false;
  let leave: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const peer: RpcPeer = createRpcPeer({
    limits: LIMITS,
    now: ports.now,
    cancelMethod: "$/cancel_request",
    cancelKey: "requestId",
    send: (message) => void output.write(LINES.wrap(JSON.stringify(message))),
    onRequest: (method, params, { signal }) =>
      METHODS.get(method)?.({ params, signal, peer, sessions, ports }) ?? unknown(method),
    onNotification(method, { sessionId }) {
      if (method === "session/cancel") void sessions.get(String(sessionId))?.cancel();
    },
    onFault: leave,
  });
  const reader = createMessageReader({
    framing: LINES,
    limits: LIMITS,
    onMessage(read) {
      if (read.kind === "message") peer.receive(read.message);
      else if (read.kind !== "oversized" || !peer.dropAnswer(read.id)) peer.receiveJunk();
    },
    onBroken: leave,
    onBusy: () => input.pause(),
    onIdle: () => input.resume(),
  });
  input.on("data", (chunk: Buffer | string) => reader.push(Buffer.from(chunk)));
  for (const event of ["end", "close"]) input.once(event, leave);
  output.once("error", leave);
  return {
    ended,
    async close() {
      if (isClosed) return;
      isClosed = true;
      reader.stop();
      peer.end();
      await Promise.all([...sessions.values()].map((session) => session.close()));
    },
  };
}

interface AcpRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly peer: RpcPeer;
  readonly sessions: Map<string, AcpSession>;
  readonly ports: AcpPorts;
}

const METHODS: ReadonlyMap<string, (request: AcpRequest) => unknown> = new Map([
  ["initialize", initialize],
  ["session/new", (request) => open(request, null)],
  ["session/load", load],
  ["session/list", list],
  ["session/close", close],
  ["session/prompt", prompt],
  ["session/set_mode", setMode],
]);

function initialize({ ports: { version, keeps } }: AcpRequest): object {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "toolcrib", title: "Toolcrib", version },
    agentCapabilities: {
      loadSession: keeps,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { additionalDirectories: {}, close: {}, ...(keeps ? { list: {} } : {}) },
    },
    authMethods: [],
  };
}

async function open({ params, peer, sessions, ports }: AcpRequest, id: string | null): Promise<unknown> {
  const { cwd, mcpServers, additionalDirectories = [] } = params;
  if (typeof cwd !== "string" || !isAbsolute(cwd)) return wrong("cwd must be an absolute path");
  const servers = readEditorServers(mcpServers);
  if (servers === null) return wrong("mcpServers must be a list of servers with a name, and a command or an address");
  if (!Array.isArray(additionalDirectories) || !additionalDirectories.every(isFolder))
    return wrong("additionalDirectories must be a list of absolute paths");
  const wanted = { id, cwd, servers, folders: additionalDirectories };
  const session = await openAcpSession(peer, cwd, (asking) => ports.open(wanted, asking));
  sessions.set(session.id, session);
  if (id !== null) session.replay();
  // After the answer, which has the id they belong to.
  setImmediate(() => session.offer());
  return { ...(id === null ? { sessionId: session.id } : {}), modes: session.modes };
}

async function load(request: AcpRequest): Promise<unknown> {
  const { params, sessions, ports } = request;
  const { sessionId } = params;
  if (!ports.keeps) return new RpcRefusal(RPC_ERROR.methodNotFound, "sessions are not stored here");
  if (typeof sessionId !== "string" || sessionId === "") return wrong("sessionId must be text");
  // An editor that loads a session it already has open starts it again.
  await sessions.get(sessionId)?.close();
  sessions.delete(sessionId);
  return open(request, sessionId);
}

async function list({ params: { cwd }, ports }: AcpRequest): Promise<unknown> {
  if (!ports.keeps) return new RpcRefusal(RPC_ERROR.methodNotFound, "sessions are not stored here");
  return { sessions: await ports.list(typeof cwd === "string" ? cwd : null) };
}

async function prompt(request: AcpRequest): Promise<unknown> {
  const session = find(request);
  if (session instanceof RpcRefusal) return session;
  const said = readPrompt(request.params.prompt);
  if (said === null) return wrong("prompt must be a list of text, images, resources and links");
  const onAbort = (): void => void session.cancel();
  request.signal.addEventListener("abort", onAbort, { once: true });
  return { stopReason: await session.prompt(said) };
}

async function setMode(request: AcpRequest): Promise<unknown> {
  const session = find(request);
  if (session instanceof RpcRefusal) return session;
  const mode = MODES.find((known) => known === request.params.modeId);
  if (mode === undefined) return wrong(`modeId must be one of ${MODES.join(", ")}`);
  await session.setMode(mode);
  return {};
}

async function close(request: AcpRequest): Promise<unknown> {
  const session = find(request);
  if (session instanceof RpcRefusal) return session;
  request.sessions.delete(session.id);
  await session.close();
  return {};
}

function find({ params: { sessionId }, sessions }: AcpRequest): AcpSession | RpcRefusal {
  const session = sessions.get(String(sessionId));
  return session ?? new RpcRefusal(NOT_FOUND, `there is no session ${JSON.stringify(String(sessionId).slice(0, 100))}`);
}

function wrong(text: string): RpcRefusal {
  return new RpcRefusal(RPC_ERROR.invalidParams, text);
}

function unknown(method: string): RpcRefusal {
  return new RpcRefusal(RPC_ERROR.methodNotFound, `there is no method ${method.slice(0, 100)}`);
}

function isFolder(path: unknown): path is string {
  return typeof path === "string" && isAbsolute(path);
}
