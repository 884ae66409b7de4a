import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createFixture, createFixtureState } from "./fixture.ts";

export interface FixtureServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The fixture over HTTP: sessions for the older protocol, none for the newer one, on one address or each alone. */
export async function startFixture(only: "legacy" | "modern" | null = null): Promise<FixtureServer> {
  const state = createFixtureState();
  const modern = createMcpHandler(() => createFixture(state), { legacy: "reject", keepAliveMs: 0 });
  state.onChange = (what) => (what === "tools" ? modern.notify.toolsChanged() : modern.notify.promptsChanged());
  state.onUpdate = (uri) => modern.notify.resourceUpdated(uri);
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const answerLegacy = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known !== undefined) return known.handleRequest(request);
    if (id !== null) return Response.json({ error: "no such session" }, { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await createFixture(state).connect(transport);
    return transport.handleRequest(request);
  };
  const answer = async (request: Request): Promise<Response> => {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (refused !== undefined) return refused;
    if (only === "modern") return modern.fetch(request);
    return only === "legacy" || (await isLegacyRequest(request)) ? answerLegacy(request) : modern.fetch(request);
  };

  const server = createServer((request, response) => void bridge(answer, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      await modern.close();
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
      await stop(server);
    },
  };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Between Node's requests and those of the web. */
async function bridge(
  answer: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  response.on("error", () => {});
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  );
  const method = request.method ?? "GET";
  const body = parts.length === 0 ? {} : { body: Buffer.concat(parts) };
  const given = await answer(
    new Request(`http://${request.headers.host}${request.url}`, { method, headers, signal: gone.signal, ...body }),
  );
  response.writeHead(given.status, Object.fromEntries(given.headers));
  response.flushHeaders();
  if (given.body === null) response.end();
  else {
    const out = Readable.fromWeb(given.body);
    out.on("error", () => response.destroy());
    response.on("close", () => out.destroy());
    out.pipe(response);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , only] = process.argv;
  const { url } = await startFixture(only === "legacy" || only === "modern" ? only : null);
  process.stdout.write(`${url}\n`);
}
