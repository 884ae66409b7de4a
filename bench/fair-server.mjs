// An MCP server on stdio that costs next to nothing: `say` says it again at once, `wait` after that many milliseconds, and
// `much` answers with that many bytes.
import { createInterface } from "node:readline";

/** @type {Map<number, string>} */
const texts = new Map();
const TOOLS = [
  { name: "say", inputSchema: { type: "object", properties: { text: { type: "string" } } } },
  { name: "wait", inputSchema: { type: "object", properties: { time: { type: "integer" } } } },
  { name: "much", inputSchema: { type: "object", properties: { bytes: { type: "integer" } } } },
];

/** @param {object} message */
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** @param {number} bytes lines of text, made once */
function textOf(bytes) {
  const text = texts.get(bytes) ?? "A line of a long answer, as a page or a log has many.\n".repeat(bytes / 54);
  texts.set(bytes, text);
  return text;
}

/** @param {unknown} id @param {{ name: string, arguments: { text?: string, time?: number, bytes?: number } }} params */
function call(id, { name, arguments: { text = "", time = 0, bytes = 0 } }) {
  const say = (/** @type {string} */ said) => write({ id, result: { content: [{ type: "text", text: said }] } });
  if (name === "wait") setTimeout(() => say("waited"), time);
  else say(name === "much" ? textOf(bytes) : text);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const { protocolVersion } = params ?? {};
  const serverInfo = { name: "fair", version: "1" };
  if (method === "initialize") write({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  else if (method === "tools/list") write({ id, result: { tools: TOOLS } });
  else if (method === "tools/call") call(id, params);
  else write({ id, error: { code: -32601, message: "no such method" } });
});
