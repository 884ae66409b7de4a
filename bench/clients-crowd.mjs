// Many clients of one gateway: each opens a session, where its protocol has sessions, and a stream, lists tools, calls one,
// and stays. Arguments: the port, how many, and the version of the protocol. Tells its parent when all are there; it is
// ended without getting to say goodbye.
import { Agent, request } from "node:http";
import { TOKEN } from "./gateway-token.mjs";

const [port, many] = process.argv.slice(2, 4).map(Number);
const version = process.argv[4] ?? "2025-11-25";
const HAS_SESSIONS = version < "2026";
const AT_ONCE = 25;
const agent = new Agent({ keepAlive: true });

/**
 * @param {"POST" | "GET"} method
 * @param {Record<string, string>} headers
 * @param {object | null} message
 * @param {boolean} [streams] whether the answer stays open: then its beginning is enough
 * @returns {Promise<{ text: string, session: string }>}
 */
const send = (method, headers, message, streams = false) =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: "127.0.0.1", port, path: "/mcp", method, agent: streams ? new Agent() : agent },
        headers: {
          "content-type": "application/json",
          accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
          authorization: `Bearer ${TOKEN}`,
          ...headers,
        },
      },
      (answer) => {
        const session = String(answer.headers["mcp-session-id"] ?? "");
        let text = "";
        answer.setEncoding("utf8").on("data", (part) => {
          text += part;
        });
        if (streams && answer.statusCode === 200) resolve({ text, session });
        else answer.once("end", () => resolve({ text, session }));
      },
    );
    sent.once("error", reject);
    sent.end(message === null ? undefined : JSON.stringify({ jsonrpc: "2.0", ...message }));
  });

/** @param {number} at */
async function open(at) {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: `c${at}`, version: "1" } };
  const { session } = await send("POST", {}, { id: 0, method: "initialize", params });
  const headers = { "mcp-session-id": session };
  await send("POST", headers, { method: "notifications/initialized" });
  await send("GET", headers, null, true);
  await send("POST", headers, { id: 1, method: "tools/list" });
  const call = { name: "everything__echo", arguments: { message: `m${at}` } };
  const { text } = await send("POST", headers, { id: 2, method: "tools/call", params: call });
  if (!text.includes(`m${at}`)) throw new Error(text.slice(0, 500));
}

/**
 * The newer protocol has no sessions: each request says who asks.
 * @param {number} at
 */
async function listen(at) {
  const ask = (/** @type {string} */ method, /** @type {object} */ params, streams = false) => {
    const name = "name" in params ? { "mcp-name": String(params.name) } : {};
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: `c${at}`, version: "1" },
    };
    const headers = { "mcp-protocol-version": version, "mcp-method": method, ...name };
    return send("POST", headers, { id: `${at}-${method}`, method, params: { ...params, _meta } }, streams);
  };
  await ask("subscriptions/listen", { notifications: { toolsListChanged: true } }, true);
  await ask("tools/list", {});
  const { text } = await ask("tools/call", { name: "everything__echo", arguments: { message: `m${at}` } });
  if (!text.includes(`m${at}`)) throw new Error(text.slice(0, 500));
}

const join = HAS_SESSIONS ? open : listen;

for (let from = 0; from < (many ?? 0); from += AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, (many ?? 0) - from) }, (_, at) => join(from + at)));
process.send?.("all there");
setInterval(() => {}, 60_000);
