import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime, type TestClient } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

type Json = Record<string, unknown>;

const MODELS = { data: [{ id: "m", name: "M", supported_endpoints: ["/responses", "ws:/responses"] }] };
const REPLY = [
  { type: "response.created", response: { id: "r", status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item: { id: "i", type: "message", role: "assistant" } },
  { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Over the socket." },
  {
    type: "response.completed",
    response: {
      id: "r",
      status: "completed",
      output: [
        { id: "i", type: "message", role: "assistant", content: [{ type: "output_text", text: "Over the socket." }] },
      ],
      usage: { input_tokens: 5, output_tokens: 7 },
    },
  },
];

/** A client that carries requests: it knows one model, which is asked over a socket. */
function carry(client: TestClient) {
  const heads = new Map<unknown, Json>();
  const sent: Json[] = [];
  const reply = (requestId: unknown, more: Json) =>
    client.request("llmInference.httpResponseChunk", { requestId, data: "", ...more });
  client.answers.set("llmInference.httpRequestStart", async (head) => {
    heads.set(head.requestId, head);
    const isSocket = head.transport === "websocket";
    const status = isSocket ? 101 : 200;
    void client.request("llmInference.httpResponseStart", {
      requestId: head.requestId,
      status,
      headers: isSocket ? {} : { "content-type": ["application/json"] },
    });
    return {};
  });
  client.answers.set("llmInference.httpRequestChunk", (chunk) => {
    sent.push({ ...chunk, transport: heads.get(chunk.requestId)?.transport });
    const { requestId, data, end } = chunk;
    if (heads.get(requestId)?.transport === "http") void reply(requestId, { data: JSON.stringify(MODELS), end: true });
    else if (end !== true && data !== "")
      void (async () => {
        for (const event of REPLY) await reply(requestId, { data: JSON.stringify(event) });
      })();
    return {};
  });
  return { heads, sent };
}

test("a client that carries requests carries those of a model behind a socket, one event in each message", async () => {
  const { project: folder } = tempWorkspace();
  const client = startRuntime(join(folder, "home"), folder).connect();
  const { heads, sent } = carry(client);
  await client.request("llmInference.setProvider", {});
  await client.request("session.create", { sessionId: "s", model: "m" });
  const { response } = await client.request("session.sendAndWait", { sessionId: "s", prompt: "Hello" });
  expect(response).toMatchObject({ data: { content: "Over the socket." } });
  const socket = [...heads.values()].find(({ transport }) => transport === "websocket");
  expect(socket).toMatchObject({ sessionId: "s", interactionType: "conversation-agent" });
  expect(String(socket?.url)).toMatch(/\/responses$/);
  const asked = sent.filter(({ transport, data }) => transport === "websocket" && data !== "");
  expect(asked).toHaveLength(1);
  expect(JSON.parse(String(asked[0]?.data))).toMatchObject({ type: "response.create", model: "m" });
  expect(sent.at(-1)).toMatchObject({ transport: "websocket", end: true });
});

test("where sockets are switched off, or the client cannot open one, the same model is asked over HTTP", async () => {
  for (const env of [{ COPILOT_EXP_COPILOT_CLI_WEBSOCKET_RESPONSES: "false" }, {}]) {
    const { project: folder } = tempWorkspace();
    const client = startRuntime(join(folder, "home"), folder, env).connect();
    const { heads } = carry(client);
    const start = client.answers.get("llmInference.httpRequestStart");
    client.answers.set("llmInference.httpRequestStart", (head) => {
      if (head.transport === "websocket") throw new Error("there are no sockets here");
      return start?.(head);
    });
    await client.request("llmInference.setProvider", {});
    await client.request("session.create", { sessionId: "s", model: "m" });
    await client.request("session.send", { sessionId: "s", prompt: "Hello" });
    await client.next("session.idle");
    const ways = new Set(
      [...heads.values()].map(({ transport, url }) => `${transport} ${String(url).split("/").at(-1)}`),
    );
    expect(ways).toEqual(new Set(["http models", "http responses"]));
  }
});
