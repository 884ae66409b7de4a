import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { AtEnd } from "./share.ts";

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

export interface Loopback {
  readonly origin: string;
  readonly url: string;
  /** Every request that came, as `POST tools/call` or `GET`. */
  readonly requests: readonly { readonly what: string; readonly headers: IncomingMessage["headers"] }[];
  /** Ends every connection and stops listening. */
  stop(): Promise<void>;
}

/** An HTTP server on this machine that answers as told, and ends with the test. */
export async function listen(answer: Answer, port = 0, atEnd: AtEnd = onTestFinished): Promise<Loopback> {
  const requests: { what: string; headers: IncomingMessage["headers"] }[] = [];
  const server: Server = createServer(async (request, response) => {
    const body = await readBody(request);
    requests.push({ what: `${request.method} ${methodOf(body)}`.trim(), headers: request.headers });
    response.on("error", () => {});
    await answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  atEnd(stop);
  return { origin, url: `${origin}/mcp`, requests, stop };
}

/** Something that changes how the demo server answers, and that tells when a call has begun. */
export interface Demo {
  readonly extraTools: string[];
  begun: () => void;
}

/** A server of the official package with a few tools. */
function demoServer(demo: Demo = { extraTools: [], begun: () => {} }): McpServer {
  const server = new McpServer(
    { name: "demo", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } }, instructions: "A demo." },
  );
  const inputSchema = z.object({ text: z.string() });
  const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
  server.registerTool("echo", { description: "Says it again", inputSchema }, ({ text: value }) => text(value));
  server.registerTool("steps", { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1, total: 1 } });
    }
    return text("stepped");
  });
  server.registerTool("hang", { inputSchema: z.object({}) }, () => {
    demo.begun();
    return new Promise(() => {});
  });
  server.registerTool("big", { inputSchema: z.object({ bytes: z.number() }) }, ({ bytes }) => text("x".repeat(bytes)));
  const region = z.string().meta({ "x-mcp-header": "Region" });
  server.registerTool("mirrored", { inputSchema: z.object({ region }) }, (args) => text(args.region));
  for (const name of demo.extraTools) server.registerTool(name, { inputSchema }, () => text(name));
  return server;
}

/** Both protocols on one address, without sessions; `notify` announces changes to anyone who listens. */
export function statelessAnswer(
  demo?: Demo,
  build: () => McpServer = () => demoServer(demo),
  atEnd: AtEnd = onTestFinished,
): { readonly answer: Answer; readonly changed: () => void; readonly updated: (uri: string) => void } {
  const handler = createMcpHandler(build, { keepAliveMs: 0 });
  atEnd(() => handler.close());
  return {
    answer: (...exchange) => bridge(handler.fetch, ...exchange),
    changed: () => handler.notify.toolsChanged(),
    updated: (uri) => handler.notify.resourceUpdated(uri),
  };
}

/** The older protocol with a session for each client. */
export function sessionAnswer(demo?: Demo, build: () => McpServer = () => demoServer(demo)): Answer {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request, response, body) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known === undefined && methodOf(body) !== "initialize") {
      const status = request.headers["mcp-session-id"] === undefined ? 400 : 404;
      const error = { jsonrpc: "2.0", id: null, error: { code: -32000, message: "no session" } };
      return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(error));
    }
    const transport =
      known ??
      new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport),
        onsessionclosed: (id) => void sessions.delete(id),
      });
    if (known === undefined) await build().connect(transport);
    return bridge((web) => transport.handleRequest(web), request, response, body);
  };
}

async function bridge(
  handle: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  );
  const init = { method: request.method ?? "GET", headers, signal: gone.signal, ...(body === "" ? {} : { body }) };
  const answer = await handle(new Request(`http://${request.headers.host}${request.url}`, init));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.flushHeaders();
  if (answer.body === null) response.end();
  else {
    const out = Readable.fromWeb(answer.body);
    out.on("error", () => response.destroy());
    response.on("close", () => out.destroy());
    out.pipe(response);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

function methodOf(body: string): string {
  const message: unknown = body.startsWith("{") ? JSON.parse(body) : null;
  return typeof message === "object" && message !== null && "method" in message ? String(message.method) : "";
}
