import type { ServerResponse } from "node:http";
import { type Answer, listen } from "./loopback-mcp.ts";

const MB = 1024 * 1024;

/** What is written over and over; none of it ends an event or a document. */
const POURED = {
  "lines of one event": `data: ${"x".repeat(500_000)}\n`,
  "one line of an event": "x".repeat(64 * 1024),
  "short lines of one event": "data:\n".repeat(10_000),
  "ids of one event": "id: 12\n".repeat(10_000),
  "a document": " ".repeat(64 * 1024),
} as const;

export type Poured = keyof typeof POURED;

/**
 * A server of either HTTP transport whose tool `pour` writes `megabytes` of what it is told to write, or more than anybody
 * should read, and then says nothing more.
 */
export async function listenEndlessly(transport: "http" | "sse"): Promise<string> {
  let stream: ServerResponse | null = null;
  const answer: Answer = async (request, response, body) => {
    if (request.method === "GET" && transport === "sse") {
      stream = response.writeHead(200, EVENTS);
      response.write("event: endpoint\ndata: /\n\n");
      return;
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (transport === "sse" || id === undefined) response.writeHead(202).end();
    if (id === undefined) return;
    const result = resultOf(method, params);
    const told = result === null ? { error: { code: -32601, message: "no" } } : { result };
    if (method === "tools/call" && params.name === "pour") {
      const isDocument = params.arguments.what === "a document";
      const out = stream ?? response.writeHead(200, isDocument ? JSON_TYPE : EVENTS);
      if (!isDocument) out.write("data: ");
      return pour(out, POURED[params.arguments.what as Poured], params.arguments.megabytes ?? 400);
    }
    const text = JSON.stringify({ jsonrpc: "2.0", id, ...told });
    if (stream === null) response.writeHead(200, JSON_TYPE).end(text);
    else stream.write(`data: ${text}\n\n`);
  };
  return (await listen(answer)).url;
}

const EVENTS = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };

function resultOf(method: string, params: { readonly arguments?: { readonly text?: string } }): object | null {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "endless", version: "1" },
      };
    case "tools/list":
      return { tools: ["echo", "pour"].map((name) => ({ name, inputSchema: { type: "object" } })) };
    case "tools/call":
      return { content: [{ type: "text", text: params.arguments?.text ?? "" }] };
    default:
      return null;
  }
}

/** As fast as it is read, and no faster. */
async function pour(out: ServerResponse, text: string, megabytes: number): Promise<void> {
  const piece = Buffer.from(text);
  let onRoom = () => {};
  out.on("drain", () => onRoom()).on("close", () => onRoom());
  for (let left = megabytes * MB; left > 0 && !out.destroyed; left -= piece.length) {
    const room = new Promise<void>((resolve) => {
      onRoom = resolve;
    });
    if (!out.write(piece)) await room;
  }
}
