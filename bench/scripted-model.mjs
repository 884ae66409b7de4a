import { createServer } from "node:http";

/**
 * A model over HTTP that calls a tool as often as the prompt says: `STEPS CALLS`, so many replies of so many calls each.
 * @returns {Promise<{ url: string, bodies: object[], close(): void }>}
 */
export async function startModel() {
  /** What it was asked, until somebody empties the list. @type {object[]} */
  const bodies = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part;
    const body = JSON.parse(text);
    bodies.push(body);
    response.setHeader("content-type", "text/event-stream");
    const { delta, stop } = replyTo(body.messages, bodies.length);
    const usage = { prompt_tokens: 10, completion_tokens: 10 };
    for (const event of [{ choices: [{ index: 0, delta, finish_reason: stop }] }, { choices: [], usage }])
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, "127.0.0.1", resolve)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    bodies,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * @param {readonly { role: string, content: unknown }[]} messages
 * @param {number} asked how often it was asked before, for ids that no other call has
 */
function replyTo(messages, asked) {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const [, steps = 0, calls = 1] = (/(\d+) (\d+)/.exec(JSON.stringify(messages[last]?.content)) ?? []).map(Number);
  const answered = messages.slice(last).filter(({ role }) => role === "tool").length;
  if (answered >= steps * calls) return { delta: { content: "Done." }, stop: "stop" };
  const tool_calls = Array.from({ length: calls }, (_, index) => ({
    ...{ index, id: `call-${asked}-${index}`, type: "function" },
    function: { name: "echo", arguments: '{"text":"hi"}' },
  }));
  return { delta: { tool_calls }, stop: "tool_calls" };
}
