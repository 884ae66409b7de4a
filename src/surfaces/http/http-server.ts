import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type Answering, HttpRefusal, hasBody, sendError, sendJson, sendText } from "./answers.ts";
import { type AddressProblem, checkAddress, onlyHost } from "./check-address.ts";
import { openLeanLane } from "./lean/lean-lane.ts";
import { readHead } from "./lean/read-head.ts";
import { DEFAULT_LIMITS, type HttpLimits } from "./limits.ts";
import { loadPageFiles, sendPageFile } from "./page-files.ts";
import type { McpMessagePort, McpPort } from "./ports.ts";
import { createPrincipals, type HttpAccess, type Principal } from "./principals.ts";
import { createRateLimit } from "./rate-limit.ts";
import { tooLarge } from "./read-json.ts";

/** What answers below `/api`. */
export interface ApiPort {
  /** `path` is what stands behind `/api/`, as it was sent. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
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
  /** 0: any that is free. */
  readonly port: number;
  readonly access: HttpAccess;
  readonly mcp: McpPort;
  /** Opens a short way for plain messages to `/mcp`; without it they all go the long one. */
  readonly mcpMessage?: McpMessagePort;
  /** Null: the gateway alone. */
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
  /** Takes over other tokens. Throws, and changes nothing, when two entries share one. */
  setAccess(access: HttpAccess): void;
  /** Stops listening, lets running requests end for a while, then cuts them off. Twice is fine. */
  close(): Promise<void>;
}

/**
 * The one door for programs and people. Nothing of a body is read before Host, Origin and token are checked, and
 * `/mcp` costs no more than that. Throws `http.cannot-listen`.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, mcp, api, metrics, onError = () => {} } = options;
  const limits: HttpLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const principals = createPrincipals(options.access);
  const now = (): number => performance.now();
  const rate = createRateLimit(limits.requestsPerSecond, limits.burst, now);
  const refusals = createRateLimit(limits.refusalsPerSecond, limits.refusalBurst, now);
  const pages = options.page === null ? new Map() : await loadPageFiles(options.page);
  let closed: Promise<void> | null = null;
  /** Changes with the tokens. */
  let era = {};

  const admit = (request: IncomingMessage): Principal => {
    const principal = principals.find(request.headers.authorization);
    const wait = principal === null ? refusals.take("") : rate.take(principal.profile.principal);
    if (wait > 0) throw new HttpRefusal(429, "http.too-many", "too many requests", { "retry-after": String(wait) });
    if (principal === null) throw toUnauthorized(request);
    return principal;
  };
  const admitMain = (request: IncomingMessage): void => {
    if (admit(request).isMain) return;
    throw new HttpRefusal(403, "http.forbidden", "this token opens /mcp and nothing else");
  };

  const refuse = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    if (error instanceof HttpRefusal) metrics?.countRefusal(error.code);
    sendError(response, error);
    lingerIfUnread(request);
  };
  const lingerIfUnread = (request: IncomingMessage): void => {
    if (!request.complete && hasBody(request)) linger(request, limits);
  };
  const fail = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    if (!(error instanceof ToolcribError)) onError(`a request to ${routeOf(request)} failed`, error);
    refuse(request, response, error);
  };

  const route = (request: IncomingMessage, response: ServerResponse, path: string): void | Promise<void> => {
    if (path === "/mcp") {
      metrics?.countRequest("mcp");
      const { profile } = admit(request);
      if (Number(request.headers["content-length"] ?? 0) > limits.messageBytes) throw tooLarge(limits.messageBytes);
      if (request.headers.expect !== undefined) response.writeContinue();
      // The gateway answers before the end of a body that it does not want.
      return mcp(request, response, { profile }).then(() => lingerIfUnread(request));
    }
    if (path.startsWith("/api/")) {
      metrics?.countRequest("api");
      admitMain(request);
      if (api !== null) return api.answer(request, response, path.slice("/api/".length));
      throw notFound();
    }
    metrics?.countRequest(path === "/healthz" || path === "/metrics" ? path.slice(1) : "page");
    const page = pages.get(path);
    if (path !== "/healthz" && path !== "/metrics" && page === undefined) throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new HttpRefusal(405, "http.method", "only GET and HEAD are answered here", { allow: "GET, HEAD" });
    if (page !== undefined) return sendPageFile(request, response, page);
    if (path === "/healthz") return sendJson(response, closed === null ? 200 : 503, { ok: closed === null });
    admitMain(request);
    if (metrics === null) throw notFound();
    sendText(response, metrics.render(), "text/plain; version=0.0.4; charset=utf-8");
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    try {
      if (closed !== null) response.setHeader("connection", "close");
      const { origin } = request.headers;
      const problem = checkAddress({ host: onlyHost(request), origin }, request.socket, host);
      if (problem !== null) throw toForeign(problem);
      const { url = "" } = request;
      const end = url.indexOf("?");
      const answering = route(request, response, end === -1 ? url : url.slice(0, end));
      answering?.catch((error: unknown) => fail(request, response, error));
    } catch (error) {
      fail(request, response, error);
    }
  };

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
  server.maxConnections = limits.connections;
  const { mcpMessage } = options;
  const failOn = (wire: Answering, error: unknown): void => {
    onError("a request to /mcp failed", error);
    sendError(wire, error);
  };
  /** Every decision of the long way, by the same functions; what it would refuse is sent there to be refused. */
  const lane =
    mcpMessage === undefined
      ? null
      : openLeanLane<Principal & { readonly era: object }>(server, limits, {
          isClosing: () => closed !== null,
          isStillGood: ({ principal }) => principal.era === era,
          admit(text, socket) {
            const head = readHead(text);
            if (head === null || head.length > limits.messageBytes) return null;
            const { host: given, origin, authorization } = head.headers;
            if (checkAddress({ host: given, origin }, socket, host) !== null) return null;
            const principal = principals.find(authorization);
            return principal === null ? null : { head, principal: { ...principal, era } };
          },
          count({ profile }) {
            if (rate.take(profile.principal) > 0) return false;
            metrics?.countRequest("mcp");
            return true;
          },
          answer(head, body, wire, { profile }) {
            try {
              const answering = mcpMessage(head, body, wire, { profile });
              if (answering instanceof Promise) answering.catch((error: unknown) => failOn(wire, error));
            } catch (error) {
              failOn(wire, error);
            }
          },
        });
  const port = await listen(server, host, options.port);

  return {
    origin: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    setAccess(access) {
      principals.replace(access);
      era = {};
    },
    close() {
      closed ??= new Promise((resolve) => {
        // A connection that falls idle meanwhile would be kept for its next request otherwise.
        const closeIdle = (): void => {
          server.closeIdleConnections();
          lane?.closeIdle();
        };
        const sweep = setInterval(closeIdle, 20);
        const cut = setTimeout(() => {
          server.closeAllConnections();
          lane?.closeAll();
        }, limits.grace);
        server.close(() => {
          clearInterval(sweep);
          clearTimeout(cut);
          resolve();
        });
        closeIdle();
        api?.close();
      });
      return closed;
    },
  };
}

function listen(server: ReturnType<typeof createServer>, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${error.code ?? error.message})`;
      reject(
        new ToolcribError(
          "http.cannot-listen",
          `${host}:${port} ${why}; choose another gateway.port or .host (--port, --host)`,
        ),
      );
    };
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      // Only a pipe has a text here, and only a server that does not listen has null.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function notFound(): HttpRefusal {
  return new HttpRefusal(404, "http.not-found", "there is nothing here; MCP clients connect to /mcp");
}

function toForeign(problem: AddressProblem): HttpRefusal {
  const text =
    problem === "http.foreign-host"
      ? "this server does not answer to that Host; ask for it by its address"
      : "pages of other origins are not answered";
  return new HttpRefusal(403, problem, text);
}

function toUnauthorized({ headers }: IncomingMessage): HttpRefusal {
  const isMissing = headers.authorization === undefined;
  return new HttpRefusal(
    401,
    "http.unauthorized",
    isMissing
      ? "send the token as Authorization: Bearer TOKEN"
      : "the token is not known; it is the one that toolcrib printed when it started, or one of gateway.clients",
    { "www-authenticate": isMissing ? 'Bearer realm="toolcrib"' : 'Bearer realm="toolcrib", error="invalid_token"' },
  );
}

/** Addresses may hold what people would not want in a log. */
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
