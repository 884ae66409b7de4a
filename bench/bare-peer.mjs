// The least that a program can do with the JSON-RPC of the published client: every request gets its parameters back.
import { createRequire } from "node:module";

const [, , beside = ""] = process.argv;
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } =
  createRequire(beside)("vscode-jsonrpc/node");
const peer = createMessageConnection(new StreamMessageReader(process.stdin), new StreamMessageWriter(process.stdout));
peer.onRequest("echo", (/** @type {unknown} */ params) => params);
// A request to a model and nothing else: what is sent and what comes back are only put into JSON and taken out of it.
peer.onRequest("ask", async (/** @type {{ url: string, body: object }} */ { url, body }) => {
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const events = (await response.text()).split("\n\n").filter((event) => event.startsWith("data: {"));
  return events.map((event) => JSON.parse(event.slice("data: ".length))).length;
});
peer.listen();
