// The MCP server behind Toolcrib: a tool to call, one that makes the list longer, one that asks the person, and a note.
const { createInterface } = require("node:readline");

/** @typedef {(params: any) => Promise<object>} Answer */

const tools = ["echo", "grow", "ask"];
/** @type {Map<string, (message: any) => void>} */
const waiting = new Map();
let asked = 0;

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
/** @param {string} value */
const text = (value) => ({ content: [{ type: "text", text: value }] });

/** @type {Record<string, Answer>} */
const CALLS = {
  echo: async ({ text: given }) => text(`the town says ${given}`),
  grow: async () => {
    tools.push("grown");
    send({ method: "notifications/tools/list_changed" });
    return text("the town has grown");
  },
  grown: async () => text("the new tool ran"),
  ask: async () => {
    asked += 1;
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const id = `ask-${asked}`;
    send({ id, method: "elicitation/create", params: { message: "Who are you?", requestedSchema } });
    const { result, error } = await new Promise((resolve) => waiting.set(id, resolve));
    return text(`the person said: ${result?.action ?? error?.message}`);
  },
};

/** @type {Record<string, Answer>} */
const ANSWERS = {
  initialize: async ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: {} },
    serverInfo: { name: "town", version: "1.0.0" },
  }),
  "tools/list": async () => ({
    tools: tools.map((name) => ({
      name,
      description: `The tool ${name} of the town`,
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
    })),
  }),
  "tools/call": async ({ name, arguments: given }) => CALLS[name]?.(given ?? {}) ?? text(`no ${name} here`),
  "resources/list": async () => ({ resources: [{ uri: "town://note", name: "note", mimeType: "text/plain" }] }),
  "resources/templates/list": async () => ({ resourceTemplates: [] }),
  "resources/read": async ({ uri }) => ({ contents: [{ uri, mimeType: "text/plain", text: "a note of the town" }] }),
  ping: async () => ({}),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (method === undefined) return void waiting.get(id)?.(message);
  if (id === undefined) return;
  const answer = ANSWERS[method];
  if (answer === undefined) send({ id, error: { code: -32601, message: `no ${method} here` } });
  else send({ id, result: await answer(params ?? {}) });
});
