// Many clients of one gateway, written with as little work as can be: each opens a session and a stream, lists tools, calls
// one, and stays. Arguments: the port, how many, the tool and its one argument. Tells its parent when all are there, and
// whenever all were told that the list of tools is another. On `{ calls, among }` the first clients make so many calls in
// turns, one after the other; on `"leave"` all end their sessions.
import { connect } from "node:net";
import { TOKEN } from "../gateway-token.mjs";
import { openConnections } from "../raw-connections.mjs";
import { retry } from "../raw-session.mjs";

const [port = 0, many = 0] = process.argv.slice(2, 4).map(Number);
const [tool = "", argument = ""] = process.argv.slice(4);
const AT_ONCE = 25;
const AUTHORIZED = `authorization: Bearer ${TOKEN}\r\n`;
const connections = openConnections(port);
/** The headers of each client. @type {string[]} */
const own = [];
let told = 0;

/** @param {string} headers @param {object} message */
const post = (headers, message) => connections.post("/mcp", headers, JSON.stringify({ jsonrpc: "2.0", ...message }));

/** @param {number} at */
async function join(at) {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: `c${at}`, version: "1" } };
  const { head } = await post(AUTHORIZED, { id: 0, method: "initialize", params });
  const headers = `${AUTHORIZED}mcp-session-id: ${/^mcp-session-id: *(\S+)/im.exec(head)?.[1]}\r\n`;
  own[at] = headers;
  await post(headers, { method: "notifications/initialized" });
  await retry(() => listen(headers));
  await post(headers, { id: 1, method: "tools/list" });
  await call(at, 2);
}

/** Until the answer begins. @param {string} headers @returns {Promise<void>} */
const listen = (headers) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").setEncoding("latin1").once("error", reject);
    socket.once("data", (part) =>
      String(part).startsWith("HTTP/1.1 200") ? resolve() : reject(new Error(String(part).slice(0, 200))),
    );
    // A message this short comes in one piece.
    socket.on("data", (part) => {
      if (!String(part).includes("notifications/tools/list_changed")) return;
      told += 1;
      if (told % many === 0) process.send?.("all told");
    });
    socket.write(`GET /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\n${headers}\r\n`);
  });

/** @param {number} at @param {number} id */
async function call(at, id) {
  const params = { name: tool, arguments: { [argument]: `m${at}` } };
  const { text } = await post(own[at] ?? "", { id, method: "tools/call", params });
  if (!text.includes(`m${at}`)) throw new Error(text.slice(0, 500));
}

/** @param {(at: number) => Promise<unknown>} work */
async function forAll(work) {
  for (let from = 0; from < many; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, many - from) }, (_, at) => work(from + at)));
}

process.on("message", async (/** @type {"leave" | { calls: number, among: number }} */ wanted) => {
  if (wanted === "leave") await forAll((at) => connections.delete("/mcp", own[at] ?? ""));
  else for (let at = 0; at < wanted.calls; at++) await call(at % wanted.among, 3 + at);
  process.send?.("done");
});
process.on("disconnect", () => process.exit());
await forAll(join);
process.send?.("all there");
