import { once } from "node:events";
import type { Socket } from "node:net";
import type { HttpServerOptions } from "../../src/surfaces/http/door/http-server.ts";
import { type Door, openDoor, TOKEN } from "./door.ts";

export type Message = NonNullable<HttpServerOptions["mcpMessage"]>;

/** Both ways say what came, and the short one says that it was the short one. */
export const LONG: HttpServerOptions["mcp"] = async (request, response, { profile }) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const text = describeRequest(request.url, profile.principal, Buffer.concat(parts).toString());
  response.writeHead(200, { "content-length": Buffer.byteLength(text) }).end(text);
};
export const SHORT: Message = async ({ url }, body, wire, { profile }) => {
  const text = describeRequest(url, profile.principal, body);
  wire.writeHead(200, { "x-way": "short", "content-length": Buffer.byteLength(text) }).end(text);
};

function describeRequest(url: string | undefined, principal: string, body: string): string {
  return JSON.stringify({ url, principal, body });
}

export const openBoth = (given: Partial<HttpServerOptions> = {}): Promise<Door> =>
  openDoor({ mcp: LONG, mcpMessage: SHORT, ...given });

export const post = (body: string, ...more: string[]): string =>
  [
    "POST /mcp HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${TOKEN}`,
    ...more,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");

export const head = (lines: readonly string[]): string => `${lines.join("\r\n")}\r\n\r\n`;

export const isShort = (text: string): boolean => text.includes("x-way: short");

/** The answers that come on one connection, as many as there are. */
export async function readAnswers(socket: Socket, count: number): Promise<readonly string[]> {
  let text = "";
  const answers: string[] = [];
  socket.setEncoding("latin1");
  while (answers.length < count) {
    const [part] = await once(socket, "data");
    text += part;
    for (;;) {
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) break;
      answers.push(Buffer.from(text.slice(0, end + 4 + length), "latin1").toString());
      text = text.slice(end + 4 + length);
    }
  }
  return answers;
}
