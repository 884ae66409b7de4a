import { once } from "node:events";
import type { Socket } from "node:net";
import type { HttpServerOptions } from "../../src/surfaces/http/door/http-server.ts";
import { type Door, openDoor, TOKEN } from "./door.ts";

/** Answers with what came, as far as it was read. */
export const ECHO: HttpServerOptions["mcp"] = async (request, response, { profile }) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { url } = request;
  const text = JSON.stringify({ url, principal: profile.principal, body: Buffer.concat(parts).toString() });
  response.writeHead(200, { "content-length": Buffer.byteLength(text) }).end(text);
};

export const openEcho = (given: Partial<HttpServerOptions> = {}): Promise<Door> => openDoor({ mcp: ECHO, ...given });

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
