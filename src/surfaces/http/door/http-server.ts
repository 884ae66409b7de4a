import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Eventual } from "../../../core/call/eventual.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Profile } from "../../../runtime/crib/crib.ts";
import type { Actor } from "../api/actor.ts";
import { HttpRefusal, hasBody, sendError, sendJson, sendText } from "../api/answers.ts";
import { bodyTooLarge } from "../api/read-json.ts";
import { type ChallengeHeaders, toChallenge } from "./challenge.ts";
import { originOf } from "./check-address.ts";
import { createDoorkeeper, type Doorkeeper } from "./doorkeeper.ts";
import { HTTP_LIMITS, type HttpLimits } from "./limits.ts";
import { loadPageFiles, type PageFiles, sendPageFile } from "./page-files.ts";
import type { Bearer, PeoplePort } from "./people-port.ts";
import type { HttpAccess } from "./principals.ts";

/**
 * Handles one exchange at `/mcp` with its body unread, authenticated as `profile.principal`: Host, Origin, token, rate
 * and announced size are checked. Parameters of the URL are not in the profile yet and may only narrow it.
 */
export type McpPort = (
  request: IncomingMessage,
  response: ServerResponse,
  access: {
    readonly profile: Profile;
    /** How a call is refused, with status 403, if the token does not reach that far; absent if it does. */
    readonly noCalls?: ChallengeHeaders;
    /** How a request is refused, with status 401, if its token has ended while the body came; null if it has not. */
    readonly noLonger?: () => ChallengeHeaders | null;
  },
) => Promise<void>;

/** What answers under `/api`. */
export interface ApiPort {
  /** `path` is the part after `/api/`, as sent. */
  answer(request: IncomingMessage, response: ServerResponse, path: string, actor: Actor): Promise<void>;
  /** Ends streams that would never end by themselves. */
  close(): void;
}

/** What is counted here, and what `/metrics` says. */
export interface MetricsPort {
  countRequest(route: string): void;
  countRefusal(code: string): void;
  render(): string;
}

export interface HttpServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly access: HttpAccess;
  /** The address under which others reach it; none if absent. */
  readonly publicUrl?: string | null;
  /** Who comes with a login of their own; nobody if absent. */
  readonly people?: PeoplePort | null;
  readonly mcp: McpPort;
  /** Null: only the gateway. */
  readonly api: ApiPort | null;
  readonly metrics: MetricsPort | null;
  /** The folder with the inspector's built page. */
  readonly page: string | null;
  readonly limits?: Partial<HttpLimits>;
  readonly onError?: (text: string, error: unknown) => void;
}

export interface HttpServer {
  /** `http://127.0.0.1:8787`, without a slash at its end. */
  readonly origin: string;
  readonly port: number;
  /** Switches to other tokens. Throws, and changes nothing, if two entries share one. */
  setAccess(access: HttpAccess): void;
  /** Stops listening, lets running requests finish for a while, then cuts them off. Twice is fine. */
  close(): Promise<void>;
}

/**
 * The one door for programs and people. No part of a body is read before Host, Origin and token are checked, and `/mcp`
 * costs no more than that. Throws `http.cannot-listen`.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, mcp, api, metrics, people = null, publicUrl = null, onError = () => {} } = options;
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  const doorkeeper = createDoorkeeper({ own: { host, publicUrl }, access: options.access, people, limits });
  const pages: PageFiles = options.page === null ? new Map() : await loadPageFiles(options.page);
  let closed: Promise<void> | null = null;

  const lingerIfUnread = (request: IncomingMessage): void => {
    if (!request.complete && hasBody(request)) linger(request, limits);
  };
  const fail = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    if (!(error instanceof ToolcribError)) onError(`a request to ${routeOf(request)} failed`, error);
    if (error instanceof HttpRefusal) metrics?.countRefusal(error.code);
    sendError(response, error);
    lingerIfUnread(request);
  };

  const route = createRouter({
    ...{ doorkeeper, mcp, api, metrics, people, pages, limits, lingerIfUnread, isClosing: () => closed !== null },
  });

  /** Connections without a request yet, as browsers open them ahead: Node does not count these as idle. */
  const silent = new Set<Socket>();
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    silent.delete(request.socket);
    try {
      if (closed !== null) response.setHeader("connection", "close");
      const { url = "" } = request;
      const end = url.indexOf("?");
      const path = end === -1 ? url : url.slice(0, end);
      const own = people?.route(path) ?? null;
      doorkeeper.checkAddress(request, own?.anyOrigin === true);
      if (own !== null) metrics?.countRequest("people");
      const answering =
        own === null ? route(request, response, path) : own.answer(request, response, doorkeeper.placeOf(request));
      answering?.catch((error: unknown) => fail(request, response, error));
    } catch (error) {
      fail(request, response, error);
    }
  };

  const server = createLimitedServer(limits, onRequest, silent);
  server.maxConnections = connectionsOf(options.access, limits);
  const port = await listen(server, host, options.port);

  return {
    origin: originOf(host, port),
    port,
    setAccess(access) {
      doorkeeper.setAccess(access);
      server.maxConnections = connectionsOf(access, limits);
    },
    close() {
      closed ??= stop(server, silent, limits.grace);
      api?.close();
      return closed;
    },
  };
}

interface RouterParts extends Required<Pick<HttpServerOptions, "mcp" | "api" | "metrics" | "people">> {
  readonly doorkeeper: Doorkeeper;
  readonly pages: PageFiles;
  readonly limits: HttpLimits;
  readonly lingerIfUnread: (request: IncomingMessage) => void;
  readonly isClosing: () => boolean;
}

type Router = (request: IncomingMessage, response: ServerResponse, path: string) => Eventual<void>;

/** What answers at a path, once its token is known. */
function createRouter(parts: RouterParts): Router {
  const { doorkeeper, mcp, api, metrics, people, pages, limits, lingerIfUnread, isClosing } = parts;
  const answerPage = (request: IncomingMessage, response: ServerResponse, path: string): void => {
    metrics?.countRequest(path === "/healthz" || path === "/metrics" ? path.slice(1) : "page");
    const page = pages.get(path);
    if (path !== "/healthz" && path !== "/metrics" && page === undefined) throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new HttpRefusal(405, "http.method", "only GET and HEAD are answered here", { allow: "GET, HEAD" });
    if (page !== undefined) return void sendPageFile(request, response, page);
    const isOpen = !isClosing();
    if (path === "/healthz") return void sendJson(response, isOpen ? 200 : 503, { ok: isOpen });
    doorkeeper.admitMain(request);
    if (metrics === null) throw notFound();
    sendText(response, metrics.render(), "text/plain; version=0.0.4; charset=utf-8");
  };

  const toMcp = (request: IncomingMessage, response: ServerResponse, bearer: Bearer): Promise<void> => {
    if (Number(request.headers["content-length"] ?? 0) > limits.messageBytes) throw bodyTooLarge(limits.messageBytes);
    if (request.headers.expect !== undefined) response.writeContinue();
    // The gateway may answer before the end of a body that it refuses.
    return mcp(request, response, toMcpAccess(bearer, people)).then(() => lingerIfUnread(request));
  };

  return (request, response, path) => {
    if (path === "/mcp") {
      metrics?.countRequest("mcp");
      const bearer = doorkeeper.admit(request);
      return bearer instanceof Promise
        ? bearer.then((found) => toMcp(request, response, found))
        : toMcp(request, response, bearer);
    }
    if (path.startsWith("/api/")) {
      metrics?.countRequest("api");
      const actor = doorkeeper.admitActor(request);
      if (api === null) throw notFound();
      const rest = path.slice("/api/".length);
      return actor instanceof Promise
        ? actor.then((found) => api.answer(request, response, rest, found))
        : api.answer(request, response, rest, actor);
    }
    return answerPage(request, response, path);
  };
}

/** What a token's scopes leave out is said before the body is read, or once it is known to be a call. */
function toMcpAccess({ profile, scopes, isOver }: Bearer, people: PeoplePort | null): Parameters<McpPort>[2] {
  const metadata = people?.metadata ?? null;
  const noLonger = () => (isOver?.() === true ? toChallenge({ kind: "unknown" }, metadata) : null);
  const access = isOver === undefined ? { profile } : { profile, noLonger };
  if (scopes === null || scopes.includes("tools:call")) return access;
  const noCalls = toChallenge({ kind: "too-little" }, metadata);
  if (scopes.includes("tools:read")) return { ...access, noCalls };
  throw new HttpRefusal(403, "http.scope", "the token's scopes do not reach this far", noCalls);
}

function createLimitedServer(limits: HttpLimits, onRequest: RequestListener, silent: Set<Socket>): Server {
  const server = createServer(
    {
      headersTimeout: limits.headTimeout,
      requestTimeout: limits.requestTimeout,
      keepAliveTimeout: limits.idleTimeout,
      connectionsCheckingInterval: Math.min(5_000, Math.max(20, limits.headTimeout / 2)),
    },
    onRequest,
  );
  server.on("checkContinue", onRequest);
  server.on("connection", (socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  return server;
}

function connectionsOf({ capacity }: HttpAccess, limits: HttpLimits): number {
  return capacity?.connections.value ?? limits.connections;
}

/** Stops listening, and lets running requests finish for a while. */
function stop(server: Server, silent: ReadonlySet<Socket>, grace: number): Promise<void> {
  return new Promise((resolve) => {
    // Otherwise a connection that becomes idle would be kept for its next request.
    const closeIdle = (): void => {
      server.closeIdleConnections();
      for (const socket of silent) socket.destroy();
    };
    const sweep = setInterval(closeIdle, 20);
    const cut = setTimeout(() => server.closeAllConnections(), grace);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
    closeIdle();
  });
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${error.code ?? error.message})`;
      reject(
        new ToolcribError(
          "http.cannot-listen",
          `${host}:${port} ${why}; choose another gateway.port or .host (--port, --host)`,
          { cause: error },
        ),
      );
    };
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      // Only a pipe has a text here, and only a closed server has null.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function notFound(): HttpRefusal {
  return new HttpRefusal(404, "http.not-found", "there is nothing here; MCP clients connect to /mcp");
}

/** Addresses may contain what people would not want in a log. */
function routeOf({ url = "" }: IncomingMessage): string {
  return url.startsWith("/mcp") ? "/mcp" : url.startsWith("/api/") ? "/api" : "another path";
}

/** Closing at once would reset the connection, and the sender might never read why it was refused. */
function linger(request: IncomingMessage, { lingerBytes, lingerTime }: HttpLimits): void {
  const { socket } = request;
  let bytes = 0;
  const cut = setTimeout(() => socket.destroy(), lingerTime);
  request.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes > lingerBytes) socket.destroy();
  });
  request.once("error", () => {});
  request.once("close", () => clearTimeout(cut));
  request.once("end", () => clearTimeout(cut));
}
