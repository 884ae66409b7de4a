import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isRecord } from "../../src/core/shape/is-record.ts";
import type { ModelRequest, PlainRecord, Reply } from "./behaviour.ts";

/** Replies by model; those of `*` are for any other. */
export type Replies = Readonly<Record<string, readonly Reply[]>>;

interface Talk {
  readonly left: Map<string, Reply[]>;
  readonly requests: ModelRequest[];
}

/** A provider on loopback that speaks Chat Completions and answers by script. Each app has an address of its own. */
export async function startModelServer() {
  const apps = new Map<string, Talk>();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const [, app = "", ...path] = (request.url ?? "").split("/");
    const talk = apps.get(app);
    if (talk === undefined || path.join("/") !== "v1/chat/completions") return void response.writeHead(404).end("{}");
    const asked: PlainRecord = JSON.parse(text);
    talk.requests.push(toRequest(asked));
    const own = talk.left.get(String(asked.model)) ?? talk.left.get("*") ?? [];
    answer(response, own.shift() ?? { status: 500, message: "the script has no further reply" }, asked);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    /** A new app: where its model is, and what the model is asked. */
    open(replies: Replies) {
      const id = String(apps.size);
      const talk: Talk = {
        left: new Map(Object.entries(replies).map(([name, all]) => [name, [...all]])),
        requests: [],
      };
      apps.set(id, talk);
      return { url: `http://127.0.0.1:${port}/${id}/v1`, requests: talk.requests };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toRequest({ model, messages, tools }: PlainRecord): ModelRequest {
  const all = (messages as ModelRequest["messages"] | undefined) ?? [];
  const isSystem = ({ role }: { readonly role: string }): boolean => role === "system" || role === "developer";
  const functions = ((tools as readonly PlainRecord[] | undefined) ?? []).map((tool) => tool.function ?? tool);
  return {
    model: String(model),
    system: all
      .filter(isSystem)
      .map(({ content }) => textOf(content))
      .join("\n"),
    messages: all.filter((message) => !isSystem(message)),
    tools: functions as unknown as ModelRequest["tools"],
  };
}

/** The text of a message, however it is given. */
export function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? "");
  return content.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("");
}

function answer(response: ServerResponse, reply: Reply, { model, stream }: PlainRecord): void {
  if ("status" in reply) {
    response.writeHead(reply.status, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ error: { message: reply.message } }));
  }
  const about = { id: "reply", created: 0, model };
  const message = { role: "assistant", ...bodyOf(reply) };
  const finish_reason = "calls" in reply ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (stream !== true) {
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [{ index: 0, message, finish_reason }];
    return void response.end(JSON.stringify({ ...about, object: "chat.completion", choices, usage }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunks = [
    { choices: [{ index: 0, delta: message, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage },
  ];
  for (const chunk of chunks)
    response.write(`data: ${JSON.stringify({ ...about, object: "chat.completion.chunk", ...chunk })}\n\n`);
  response.end("data: [DONE]\n\n");
}

let made = 0;

function bodyOf(reply: Exclude<Reply, { status: number }>): PlainRecord {
  if ("text" in reply) return { content: reply.text };
  const tool_calls = reply.calls.map((call, index) => {
    made += 1;
    const called = { name: call.name, arguments: JSON.stringify(call.arguments) };
    return { index, id: `call_${made}`, type: "function", function: called };
  });
  return { content: null, tool_calls };
}
