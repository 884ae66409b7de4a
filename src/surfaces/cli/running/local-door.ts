import { timingSafeEqual } from "node:crypto";
import { chmod, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { LOCAL_PROTOCOL, type LocalRequest, readLine } from "./local-call.ts";

/** What stands behind the socket of a running Toolcrib. */
export interface LocalPorts {
  /** What only this process and those who may read its note know. */
  readonly secret: string;
  readonly version: string;
  /** Says who runs here. */
  readonly status: () => unknown;
  /** Stays without clients too, from now on. */
  readonly keep: () => void;
  /** Takes over an MCP client. Throws, before anything is sent, what the client cannot have. */
  readonly mcp: (request: Extract<LocalRequest, { ask: "mcp" }>) => McpClient;
  /** Answers a command line of another process. */
  readonly run: (request: Extract<LocalRequest, { ask: "run" }>, socket: Socket) => Promise<void>;
  /** Ends this process, once that has been answered. */
  readonly end: () => void;
  readonly onError: (text: string, error: unknown) => void;
}

interface McpClient {
  /** What the other side should tell its person. */
  readonly remarks: readonly string[];
  serve(socket: Socket): Promise<void>;
}

export interface LocalDoor {
  /** Connections that are open now. */
  readonly size: number;
  /** Calls back when connections come and go. */
  changes(listener: () => void): void;
  /** Says to every MCP client why it ends, if that is known, and ends them all. */
  close(farewell: string | null): Promise<void>;
}

const PATIENCE = 10_000;

/** Listens for this person's own processes. One that can open the socket still has to know what the note says. */
export async function openLocalDoor(path: string, ports: LocalPorts): Promise<LocalDoor> {
  const clients = new Set<Socket>();
  const open = new Set<Socket>();
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const server = createServer((socket) => {
    open.add(socket);
    tell();
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      clients.delete(socket);
      open.delete(socket);
      tell();
    });
    take(socket, ports, clients).catch((error: unknown) => {
      ports.onError("a connection on the socket failed", error);
      socket.destroy();
    });
  });
  await listen(server, path);
  return {
    get size() {
      return open.size;
    },
    changes(listener) {
      listeners.add(listener);
    },
    async close(farewell) {
      listeners.clear();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of clients) if (farewell !== null) socket.write(`${JSON.stringify({ farewell })}\n`);
      for (const socket of open) {
        socket.end();
        socket.unref();
      }
      const cut = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, GRACE);
      await closed;
      clearTimeout(cut);
    },
  };
}

const GRACE = 500;

/** Answers the one request of a connection; an MCP client stays among `clients` until it goes. */
async function take(socket: Socket, ports: LocalPorts, clients: Set<Socket>): Promise<void> {
  const line = await readLine(socket, PATIENCE);
  if (line === null) return void socket.destroy();
  try {
    const request = readRequest(line, ports);
    if (request === null) return endWith(socket, { isUnknown: true });
    switch (request.ask) {
      case "status":
        return endWith(socket, await ports.status());
      case "keep":
        ports.keep();
        return endWith(socket, await ports.status());
      case "end":
        return endWith(socket, { pid: process.pid }, () => ports.end());
      case "run":
        socket.write(`${JSON.stringify({ version: ports.version })}\n`);
        await ports.run(request, socket);
        return void socket.end();
      case "mcp": {
        const { remarks, serve } = ports.mcp(request);
        socket.write(`${JSON.stringify({ version: ports.version, remarks })}\n`);
        clients.add(socket);
        const served = serve(socket);
        // It was paused behind its first line.
        socket.resume();
        await served;
        return void socket.end();
      }
    }
  } catch (error) {
    if (!isToolcribError(error)) ports.onError("a request on the socket failed", error);
    const text = error instanceof Error ? error.message : String(error);
    endWith(socket, { error: { code: isToolcribError(error) ? error.code : "internal.bug", text } });
  }
}

function endWith(socket: Socket, answer: unknown, onSent?: () => void): void {
  socket.end(`${JSON.stringify(answer)}\n`, onSent);
}

/** A socket that a killed process left behind is in the way: the owner of the lock may remove it. */
async function listen(server: Server, path: string): Promise<void> {
  if (process.platform !== "win32") await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new ToolcribError("up.no-socket", `the socket ${path} cannot be listened on (${error.code})`)),
    );
    server.listen(path, resolve);
  });
  if (process.platform !== "win32") await chmod(path, 0o600);
}

/** Null where the secret is wrong. Throws what cannot be asked. */
function readRequest(line: string, { secret, version }: LocalPorts): LocalRequest | null {
  const value = JSON.parse(line) as LocalRequest & { readonly toolcrib?: unknown; readonly secret?: unknown }; // Only its owner knows the secret.
  const given = Buffer.from(typeof value.secret === "string" ? value.secret : "");
  const own = Buffer.from(secret);
  if (given.length !== own.length || !timingSafeEqual(given, own)) return null;
  if (value.toolcrib === LOCAL_PROTOCOL) return value;
  throw new ToolcribError(
    "up.refused",
    `it is version ${version}, which cannot be asked this; "toolcrib down" ends it`,
  );
}
