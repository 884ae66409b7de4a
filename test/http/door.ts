import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { nameList, sourced } from "../../src/core/codes/origin.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "../../src/surfaces/http/door/http-server.ts";

export const TOKEN = "canary-main-token-0123456789";
export const CLIENT_TOKEN = "canary-client-token-9876543210";

const DEFAULT = { kind: "default" } as const;

/** The gateway's tokens: everything for one, a reviewer's part for the other. */
export const ACCESS: HttpServerOptions["access"] = {
  token: TOKEN,
  clients: [
    {
      origin: DEFAULT,
      name: null,
      token: CLIENT_TOKEN,
      agent: sourced("reviewer"),
      include: null,
      code: null,
      profile: null,
      exclude: nameList(["execute"]),
    },
  ],
};

export interface Door extends HttpServer {
  /** Asks as somebody with the main token would, unless told otherwise. */
  ask(path: string, init?: RequestInit & { readonly token?: string | null }): Promise<Response>;
  /** One exchange as written. */
  raw(text: string): Promise<RawAnswer>;
  /** A connection to write to and read from. */
  dial(): Socket;
}

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** A door that closes with the test; `/mcp` tells who came, unless told otherwise. */
export async function openDoor(given: Partial<HttpServerOptions> = {}): Promise<Door> {
  const server = await createHttpServer({
    host: "127.0.0.1",
    port: 0,
    access: ACCESS,
    mcp: async (_request, response, { profile }) => void response.end(JSON.stringify(profile)),
    api: null,
    metrics: null,
    page: null,
    ...given,
  });
  onTestFinished(() => server.close());
  const dial = (): Socket => {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  return {
    ...server,
    dial,
    ask(path, { token = TOKEN, headers, ...init } = {}) {
      const own = new Headers(headers);
      if (token !== null) own.set("authorization", `Bearer ${token}`);
      return fetch(`${server.origin}${path}`, { redirect: "manual", ...init, headers: own });
    },
    raw(text) {
      const socket = dial();
      socket.write(text);
      return readAnswer(socket);
    },
  };
}

/** The first answer on a connection, as soon as its head and announced body are there. */
export function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = "";
    const look = (): void => {
      const end = text.indexOf("\r\n\r\n");
      const [, length = "0"] = /content-length: (\d+)/i.exec(text.slice(0, end)) ?? [];
      if (end === -1 || text.length < end + 4 + Number(length)) return;
      resolve({ status: Number(text.split(" ")[1]), text });
    };
    socket.setEncoding("latin1");
    socket.on("data", (part) => {
      text += part;
      look();
    });
    socket.once("close", () => {
      if (text === "") reject(new Error("closed without an answer"));
      else resolve({ status: Number(text.split(" ")[1]), text });
    });
  });
}

/** Resolves when a connection is over, however it ended. */
export function isClosed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => void socket.once("close", () => resolve()));
}
