import { createServer as createTcpServer, type Server as TcpServer } from "node:net";
import type { Readable, Writable } from "node:stream";
import { carrierOf } from "../../runtime/models/node-carrier.ts";
import { withUsualOptions } from "../../system/late-compiling.ts";
import { type Abandonable, RPC_ERROR, RpcRefusal } from "../../system/rpc/peer.ts";
import { ownSurroundings, type Surroundings } from "../../system/surroundings.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import { compileLate, noteRequest } from "./late-compiler.ts";
import { FIRST_METHODS } from "./methods/first-methods.ts";
import { ClientRequest } from "./methods/method.ts";
import type { Runtime } from "./sessions/client-session.ts";
import { createRuntime, type RuntimeFlags, SHUT_DOWN } from "./sessions/create-runtime.ts";
import type { Onlooker } from "./state/onlooker.ts";
import type { ClientConnection } from "./wire/client-connection.ts";
import { openConnection } from "./wire/connection.ts";
import { createConnectionGuard, isOwnUser, whyNotListen } from "./wire/connection-guard.ts";
import { isSaid, readFlags } from "./wire/flags.ts";
import { createHalfRead } from "./wire/half-read.ts";
import { createWireLog } from "./wire/wire-log.ts";
import type { Json } from "./wire/wire-values.ts";

export interface CopilotServer {
  /** Serves one client on these streams. */
  serve(input: Readable, output: Writable): ClientConnection;
  /** Listens for clients; resolves to the port. */
  listen(port: number, host: string): Promise<number>;
  /** A client had the runtime shut down, and all clients are gone. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export function createCopilotServer(
  flags: RuntimeFlags,
  note: (text: string) => void,
  around: Surroundings = ownSurroundings(),
  onlooker: Onlooker | null = null,
): CopilotServer {
  const server = createRuntime(flags, note, around, onlooker);
  const ended = createDeferred<void>();
  const halfRead = createHalfRead(MOST_HALF_READ);
  const openLog = isSaid("debug", flags.logLevel ?? "info")
    ? (id: string) => createWireLog(id, (line) => server.note(line, "debug"))
    : null;
  /** Those too that have not shown the token yet. */
  const all = new Set<ClientConnection>();
  const serve = (input: Readable, output: Writable, isTrusted: boolean): ClientConnection => {
    let isKnown = false;
    const welcome = (): void => {
      isKnown = true;
      server.connections.add(connection);
    };
    const refusalOf = createConnectionGuard(server.token, () => isKnown, welcome);
    const connection = openConnection({
      input,
      output,
      onNote: server.note,
      hide: server.secrets.data,
      halfRead,
      openLog,
      onRequest(client, method, params, asked) {
        const refusal = refusalOf(client, method, params);
        if (refusal !== null) return refusal;
        return answer(server, client, method, params, asked);
      },
    });
    boundEarly(input, () => isKnown, connection.cut);
    all.add(connection);
    if (isTrusted) welcome();
    void connection.closed.then(async () => {
      all.delete(connection);
      await leave(server, connection);
      if (server.isOver && server.connections.size === 0) ended.resolve();
    });
    return connection;
  };
  const tcp = createTcpServer((socket) => {
    socket.setNoDelay(true);
    serve(socket, socket, server.token === null && isOwnUser(socket));
  });
  return {
    serve: (input, output) => serve(input, output, true),
    async listen(port, host) {
      const problem = whyNotListen(host, server.token);
      if (problem !== null) throw new Error(problem);
      return listenOn(tcp, port, host);
    },
    ended: ended.promise,
    async close() {
      tcp.close();
      await server.end();
      for (const connection of all) connection.cut(null);
    },
  };
}

/** Bytes of messages that are not whole, of all clients together; four of the largest. */
const MOST_HALF_READ = 256 * 1024 * 1024;

/** Bytes that a client may send before it has shown its token: nobody fills the memory from outside. */
const MOST_EARLY = 64 * 1024;

function boundEarly(input: Readable, isKnown: () => boolean, cut: (reason: string) => void): void {
  let early = 0;
  const count = (chunk: Buffer): void => {
    early += chunk.length;
    if (isKnown()) input.off("data", count);
    else if (early > MOST_EARLY) cut("it sent too much before it showed its token");
  };
  input.on("data", count);
}

/** Resolves to the port. */
function listenOn(tcp: TcpServer, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    tcp.once("error", reject);
    tcp.listen(port, host, () => {
      const address = tcp.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Heavy, so it is not loaded where there is only a server to make; the build puts it into the same file. */
let methods: typeof import("./methods.ts") | null = null;

async function loadMethods(): Promise<typeof import("./methods.ts")> {
  methods ??= await import("./methods.ts");
  return methods;
}

let hasTurn = false;

/** A session was sent a message: most of what later ones run has run. */
export function hasHadTurn(): boolean {
  return hasTurn;
}

async function answer(
  server: Runtime,
  connection: ClientConnection,
  method: string,
  params: Json,
  given: Abandonable,
): Promise<unknown> {
  noteRequest();
  if (server.isOver && method !== "runtime.shutdown") throw new Error(SHUT_DOWN);
  const first = FIRST_METHODS.get(method);
  const asked = new ClientRequest(server, connection, params, given);
  if (first !== undefined) return first(asked);
  hasTurn ||= method.startsWith("session.send");
  const run = (methods ?? (await loadMethods())).findMethod(method);
  if (run === undefined) return new RpcRefusal(RPC_ERROR.methodNotFound, `Unhandled method ${method}`);
  const answered = run(asked);
  return answered instanceof Promise ? untilAborted(answered, server.over) : answered;
}

async function leave(server: Runtime, connection: ClientConnection): Promise<void> {
  server.connections.delete(connection);
  if (server.inference === connection) server.inference = null;
  if (server.files?.connection === connection) server.files = null;
  const attached = [...server.live.values()].filter(({ core }) => core.clients.has(connection));
  // Begun at once, before any other client is answered; what opened a session is loaded.
  const leaving = attached.map((live) => methods?.detach(server, live, connection));
  for (const left of await Promise.allSettled(leaving))
    if (left.status === "rejected") server.note(`detaching: ${String(left.reason)}`);
}

/** A page that shows the sessions of this process. */
export interface AppInspector {
  /** With its token. */
  readonly address: string;
  readonly onlooker: Onlooker;
  close(): Promise<void>;
}

/** Serves Copilot SDK clients until they are gone; resolves to the exit status. */
export async function serveCopilot(
  argv: readonly string[],
  inspect: (note: (text: string) => void) => Promise<AppInspector>,
): Promise<number> {
  const flags = readFlags(argv);
  // Standard output belongs to the protocol.
  const note = (text: string): void => void process.stderr.write(`toolcrib: ${text}\n`);
  if ("problem" in flags) {
    note(flags.problem);
    return 2;
  }
  const inspector = flags.inspects
    ? await inspect(note).catch((error: unknown) => note(`no inspector: ${error}`))
    : null;
  if (inspector) note(`inspector at ${inspector.address}`);
  compileLate();
  const carrier = carrierOf(process, (name) => withUsualOptions(() => process.getBuiltinModule(name)));
  const server = createCopilotServer({ ...flags, carrier }, note, undefined, inspector?.onlooker);
  const over: Promise<unknown>[] = [server.ended];
  if (flags.port === null) over.push(server.serve(process.stdin, process.stdout).closed);
  else {
    const port = await server.listen(flags.port, flags.host).catch((error: Error) => note(error.message));
    if (port === undefined) return 2;
    process.stdout.write(`listening on port ${port}\n`);
  }
  // What the client has asked by now is read after this.
  (await import("./begin-early.ts")).beginEarly(process.cwd());
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    over.push(new Promise((resolve) => process.once(signal, resolve)));
  await Promise.race(over);
  await Promise.all([server.close(), inspector?.close()]);
  return 0;
}
