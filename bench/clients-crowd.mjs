// Many clients of one gateway: each opens a session and a stream, lists tools, calls one, and stays. Arguments: the port
// and how many. Tells its parent when all are there; it is ended without getting to say goodbye.
import { Agent, request } from "node:http";
import { TOKEN } from "./gateway-token.mjs";

const [port, many] = process.argv.slice(2).map(Number);
const AT_ONCE = 25;
const agent = new Agent({ keepAlive: true });

/**
 * @param {"POST" | "GET"} method
 * @param {Record<string, string>} headers
 * @param {object | null} message null for a stream, which is answered with its beginning
 * @returns {Promise<{ text: string, session: string }>}
 */
const send = (method, headers, message) =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: "127.0.0.1", port, path: "/mcp", method, agent: message === null ? new Agent() : agent },
        headers: {
          "content-type": "application/json",
          accept: message === null ? "text/event-stream" : "application/json, text/event-stream",
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
        if (message === null) resolve({ text, session });
        else answer.once("end", () => resolve({ text, session }));
      },
    );
    sent.once("error", reject);
    sent.end(message === null ? undefined : JSON.stringify({ jsonrpc: "2.0", ...message }));
  });

/** @param {number} at */
async function join(at) {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: `c${at}`, version: "1" } };
  const { session } = await send("POST", {}, { id: 0, method: "initialize", params });
  const headers = { "mcp-session-id": session };
  await send("POST", headers, { method: "notifications/initialized" });
  await send("GET", headers, null);
  await send("POST", headers, { id: 1, method: "tools/list" });
  const call = { name: "everything__echo", arguments: { message: `m${at}` } };
  const { text } = await send("POST", headers, { id: 2, method: "tools/call", params: call });
  if (!text.includes(`m${at}`)) throw new Error(text.slice(0, 500));
}

for (let from = 0; from < (many ?? 0); from += AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, (many ?? 0) - from) }, (_, at) => join(from + at)));
process.send?.("all there");
setInterval(() => {}, 60_000);
