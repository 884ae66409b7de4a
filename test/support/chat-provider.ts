import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

type Json = Record<string, unknown>;

/** A request as the provider got it. */
export interface Asked {
  readonly url: string;
  readonly body: Json & {
    readonly model: string;
    readonly messages: readonly Json[];
    readonly tools?: readonly Json[];
  };
}

/** What it answers: text, calls of tools, or a status with an error. */
export type ChatReply = string | { readonly calls: Readonly<Record<string, Json>> } | { readonly status: number };

/** A provider of Chat Completions on loopback, which answers each request as the test says. */
export async function startChatProvider(reply: (asked: Asked, at: number) => ChatReply) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const one = { url: request.url ?? "", body: JSON.parse(text) as Asked["body"] };
    asked.push(one);
    const answer = reply(one, asked.length - 1);
    response.setHeader("content-type", "application/json");
    if (typeof answer === "object" && "status" in answer)
      response.writeHead(answer.status).end(JSON.stringify({ error: { message: "no such key" } }));
    else response.end(JSON.stringify({ choices: [toChoice(answer)] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return { asked, host: `127.0.0.1:${port}`, baseUrl: `http://127.0.0.1:${port}` };
}

let calls = 0;

function toChoice(answer: Exclude<ChatReply, { readonly status: number }>): Json {
  if (typeof answer === "string")
    return { index: 0, message: { role: "assistant", content: answer }, finish_reason: "stop" };
  const tool_calls = Object.entries(answer.calls).map(([name, args]) => {
    calls += 1;
    return { id: `call-${calls}`, type: "function", function: { name, arguments: JSON.stringify(args) } };
  });
  return { index: 0, message: { role: "assistant", content: null, tool_calls }, finish_reason: "tool_calls" };
}

/** The tools of a request, by name. */
export function toolsOf({ body }: Asked): ReadonlyMap<string, Json> {
  const tools = (body.tools ?? []).map(({ function: tool }) => tool as Json);
  return new Map(tools.map((tool) => [String(tool.name), tool]));
}

/** The system text of a request. */
export function systemOf({ body }: Asked): string {
  return body.messages.flatMap(({ role, content }) => (role === "system" ? [String(content)] : [])).join("\n");
}
