import { once } from "node:events";
import { get } from "node:http";
import { openConnections } from "./raw-connections.mjs";

/** @typedef {{ post(method: string, params?: object): Promise<string>, until(wanted: string): Promise<void>, close(): void }} RawSession */

/** @typedef {RawSession & { listen(): Promise<void>, end(): Promise<void> }} RawHttpSession one with a stream, if it likes, and an end */

const GREETING = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
const INITIALIZED = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });

/**
 * Over Streamable HTTP, as soon as somebody answers there.
 * @param {number} port
 * @param {string} token
 * @param {string} [path]
 * @returns {Promise<RawHttpSession>}
 */
export async function openRawSession(port, token, path = "/mcp") {
  const connections = openConnections(port);
  let headers = `authorization: Bearer ${token}\r\n`;
  let last = 0;
  const send = (/** @type {string} */ method, /** @type {object} */ params) =>
    connections.post(path, headers, JSON.stringify({ jsonrpc: "2.0", id: ++last, method, params }));
  const { head } = await retry(() => send("initialize", GREETING));
  const [, id] = /^mcp-session-id: *(\S+)/im.exec(head) ?? [];
  if (id !== undefined) headers += `mcp-session-id: ${id}\r\nmcp-protocol-version: ${GREETING.protocolVersion}\r\n`;
  await connections.post(path, headers, INITIALIZED);
  const post = async (/** @type {string} */ method, /** @type {object} */ params = {}) =>
    (await send(method, params)).text;
  /** @type {import("node:http").ClientRequest | null} */
  let stream = null;
  const close = () => {
    stream?.destroy();
    connections.close();
  };
  return {
    ...{ post, until: untilListed(post), close },
    async listen() {
      const accepted = { accept: "text/event-stream", authorization: `Bearer ${token}`, "mcp-session-id": id };
      stream = get({ port, host: "127.0.0.1", path, headers: accepted, agent: false });
      stream.on("error", () => {});
      const [answer] = await once(stream, "response");
      answer.resume().on("error", () => {});
    },
    async end() {
      await connections.delete(path, headers);
      close();
    },
  };
}

/**
 * Over the older HTTP with server-sent events, where requests are only taken and all answers come in one stream.
 * @param {number} port
 * @returns {Promise<RawSession>}
 */
export function openEventSession(port) {
  // A server that is still starting may take a request and never answer it.
  return retry(() => within(5_000, startEventSession(port)));
}

/**
 * @param {number} port
 * @returns {Promise<RawSession>}
 */
async function startEventSession(port) {
  const connections = openConnections(port);
  /** @type {Map<number, (text: string) => void>} */
  const waiting = new Map();
  let last = 0;
  const stream = await openEvents(port, "/mcp");
  const path = await stream.endpoint;
  stream.onMessage((text) => {
    const { id } = JSON.parse(text);
    waiting.get(id)?.(text);
    waiting.delete(id);
  });
  const send = async (/** @type {string} */ body) => {
    const { head } = await connections.post(path, "", body);
    if (!head.startsWith("HTTP/1.1 2")) throw new Error(`refused: ${head.split("\r\n", 1)[0]}`);
  };
  const post = async (/** @type {string} */ method, /** @type {object} */ params = {}) => {
    const id = ++last;
    /** @type {Promise<string>} */
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    await send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return answered;
  };
  await post("initialize", GREETING);
  await send(INITIALIZED);
  const close = () => {
    stream.close();
    connections.close();
  };
  return { post, until: untilListed(post), close };
}

/**
 * @template T
 * @param {number} time milliseconds
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
export function within(time, work) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${time} ms`)), time);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * @param {number} port
 * @param {string} path
 * @returns {Promise<{ endpoint: Promise<string>, onMessage(listener: (text: string) => void): void, close(): void }>}
 */
function openEvents(port, path) {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: "127.0.0.1", path, headers: { accept: "text/event-stream" } }, (answer) => {
      let text = "";
      let listener = (/** @type {string} */ _text) => {};
      /** @type {(path: string) => void} */
      let onEndpoint = () => {};
      /** @type {Promise<string>} */
      const endpoint = new Promise((known) => {
        onEndpoint = known;
      });
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
        for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
          const event = text.slice(0, end);
          text = text.slice(end + 2);
          const start = event.indexOf("data: ");
          if (start < 0) continue;
          const content = event.slice(start + "data: ".length);
          if (event.startsWith("event: endpoint")) onEndpoint(content);
          else listener(content);
        }
      });
      answer.on("error", () => {});
      const onMessage = (/** @type {(text: string) => void} */ given) => {
        listener = given;
      };
      resolve({ endpoint, onMessage, close: () => request.destroy() });
    });
    request.on("error", reject);
  });
}

/**
 * Lists until the answer holds a text.
 * @param {RawSession["post"]} post
 * @returns {RawSession["until"]}
 */
function untilListed(post) {
  return (wanted) =>
    retry(async () => {
      if (!(await post("tools/list")).includes(wanted)) throw new Error(`there is no ${wanted}`);
    });
}

/**
 * @template T
 * @param {() => Promise<T>} attempt
 * @returns {Promise<T>}
 */
export async function retry(attempt) {
  for (let left = 200; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  }
}
