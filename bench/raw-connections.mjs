import { connect } from "node:net";

/** @typedef {{ head: string, text: string }} RawAnswer */

/**
 * HTTP written by hand on connections that are kept, as many as are needed at once: so little work that the server is
 * what is measured.
 * @param {number} port
 */
export function openConnections(port) {
  /** @type {Set<Awaited<ReturnType<typeof dial>>>} */
  const open = new Set();
  /** @type {Awaited<ReturnType<typeof dial>>[]} */
  const idle = [];
  /** @param {string} method @param {string} path @param {string} headers @param {string} body @returns {Promise<RawAnswer>} */
  const ask = async (method, path, headers, body) => {
    let kept = idle.pop();
    while (kept?.isClosed()) kept = idle.pop();
    const connection = kept ?? (await dial(port));
    open.add(connection);
    const request = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${COMMON}${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    try {
      const answer = await connection.ask(request);
      if (answer.head.startsWith("HTTP/1.1 408")) throw new Error("the request came too late");
      idle.push(connection);
      return answer;
    } catch (error) {
      open.delete(connection);
      // One that was kept may be given up by the other side at the very moment in which it is used again.
      if (kept === undefined) throw error;
      return ask(method, path, headers, body);
    }
  };
  return {
    /**
     * @param {string} path
     * @param {string} headers lines with their ends
     * @param {string} body
     */
    post: (path, headers, body) => ask("POST", path, headers, body),
    /** @param {string} path @param {string} headers lines with their ends */
    delete: (path, headers) => ask("DELETE", path, headers, ""),
    close() {
      for (const connection of open) connection.close();
    },
  };
}

/** What the official clients send as well. */
const COMMON = [
  "connection: keep-alive",
  "content-type: application/json",
  "accept: application/json, text/event-stream",
  "accept-language: *",
  "sec-fetch-mode: cors",
  "user-agent: node",
  "accept-encoding: gzip, deflate",
  "",
].join("\r\n");

/** @param {number} port */
async function dial(port) {
  const socket = connect(port, "127.0.0.1").setNoDelay().setEncoding("latin1");
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  let text = "";
  /** @type {{ resolve(answer: RawAnswer): void, reject(error: Error): void } | null} */
  let waiting = null;
  socket.on("data", (part) => {
    text += part;
    const answer = readAnswer(text);
    if (answer === null) return;
    text = "";
    waiting?.resolve(answer);
  });
  socket.on("error", () => {});
  socket.once("close", () => waiting?.reject(new Error("the connection was closed")));
  return {
    /**
     * @param {string} request
     * @returns {Promise<RawAnswer>}
     */
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    isClosed: () => socket.closed,
    close: () => socket.destroy(),
  };
}

const LAST_CHUNK = "0\r\n\r\n";

/**
 * Null as long as some of it is missing.
 * @param {string} text one character a byte
 * @returns {RawAnswer | null}
 */
function readAnswer(text) {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = text.slice(0, end);
  const body = text.slice(end + 4);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (!/^transfer-encoding: *chunked/im.test(head)) return body.length < length ? null : { head, text: decode(body) };
  if (body !== LAST_CHUNK && !body.endsWith(`\r\n${LAST_CHUNK}`)) return null;
  return { head, text: decode(joinChunks(body)) };
}

/** @param {string} body */
function joinChunks(body) {
  let joined = "";
  for (let at = 0; ; ) {
    const start = body.indexOf("\r\n", at) + 2;
    const length = Number.parseInt(body.slice(at, start), 16);
    if (!(length > 0)) return joined;
    joined += body.slice(start, start + length);
    at = start + length + 2;
  }
}

/** @param {string} bytes */
function decode(bytes) {
  return Buffer.from(bytes, "latin1").toString();
}
