// A stand-in for five providers on this machine: it speaks their wire formats, streaming and not, and plays a script.
import { createServer } from "node:http";

/**
 * @typedef {{ id: string, name: string, input: object | string, namespace?: string }} ScriptedCall
 * @typedef {{ path: string, body: any }} Seen
 * @typedef {{ results(body: any): string[], whole(calls: ScriptedCall[], text: string, body: any): any, events(whole: any): string[] }} Wire
 */

/**
 * Answers the first request with the first round of calls, the next with the second, and so on, then with a text.
 * A request that does not answer every call so far is refused, as the providers refuse it.
 * @param {ScriptedCall[][]} rounds
 */
export async function startLoopback(rounds) {
  /** @type {Seen[]} */
  const seen = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      const body = JSON.parse(text || "{}");
      seen.push({ path, body });
      const wire = findWire(path);
      if (wire === undefined) return refuse(response, `nothing is served at ${path}`);
      const answered = wire.results(body);
      let done = 0;
      let round = 0;
      while (round < rounds.length && done + (rounds[round]?.length ?? 0) <= answered.length) {
        done += rounds[round]?.length ?? 0;
        round += 1;
      }
      const expected = rounds
        .slice(0, round)
        .flat()
        .map(({ id }) => id);
      if (answered.join() !== expected.join()) return refuse(response, `results for ${answered}, expected ${expected}`);
      const whole = wire.whole(rounds[round] ?? [], `All ${done} calls are answered.`, body);
      const asked = body.stream === true || request.headers["ai-language-model-streaming"] === "true";
      if (!asked && !path.endsWith(":streamGenerateContent")) {
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(JSON.stringify(whole));
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of wire.events(whole)) response.write(event);
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** @param {import("node:http").ServerResponse} response @param {string} message */
function refuse(response, message) {
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", code: 400, message } }));
}

/** @param {any} data */
const named = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
/** @param {any} data */
const bare = (data) => `data: ${JSON.stringify(data)}\n\n`;
/** @param {string} text */
const halves = (text) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

/** @type {Wire} */
const anthropic = {
  results: ({ messages = [] }) =>
    messages
      .flatMap((/** @type {any} */ { content }) => (Array.isArray(content) ? content : []))
      .filter((/** @type {any} */ { type }) => type === "tool_result")
      .map((/** @type {any} */ block) => block.tool_use_id),
  whole: (calls, text) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "loopback",
    content: [
      { type: "text", text: calls.length > 0 ? "Let me see." : text },
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  events: (message) => [
    named({ type: "message_start", message: { ...message, content: [], stop_reason: null } }),
    ...message.content.flatMap((/** @type {any} */ block, /** @type {number} */ index) => [
      named({
        type: "content_block_start",
        index,
        content_block: block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} },
      }),
      ...halves(block.type === "text" ? block.text : JSON.stringify(block.input)).map((piece) =>
        named({
          type: "content_block_delta",
          index,
          delta:
            block.type === "text"
              ? { type: "text_delta", text: piece }
              : { type: "input_json_delta", partial_json: piece },
        }),
      ),
      named({ type: "content_block_stop", index }),
    ]),
    named({
      type: "message_delta",
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 1 },
    }),
    named({ type: "message_stop" }),
  ],
};

/** @type {Wire} */
const responses = {
  results: ({ input = [] }) =>
    (Array.isArray(input) ? input : [])
      .filter(({ type }) => type === "function_call_output" || type === "tool_search_output")
      .map(({ call_id }) => call_id),
  whole: (calls, text, { tools = [] }) => ({
    id: "resp_1",
    object: "response",
    status: "completed",
    model: "loopback",
    output:
      calls.length === 0
        ? [
            {
              type: "message",
              id: "m1",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]
        : calls.map(({ id, name, input, namespace }) =>
            name === "tool_search" && tools.some((/** @type {any} */ { type }) => type === "tool_search")
              ? {
                  type: "tool_search_call",
                  id: `ts_${id}`,
                  call_id: id,
                  execution: "client",
                  status: "completed",
                  arguments: input,
                }
              : tools.some((/** @type {any} */ tool) => tool.type === "custom" && tool.name === name)
                ? { type: "custom_tool_call", id: `ct_${id}`, call_id: id, name, input, status: "completed" }
                : {
                    type: "function_call",
                    id: `fc_${id}`,
                    call_id: id,
                    name,
                    arguments: JSON.stringify(input),
                    status: "completed",
                    ...(namespace === undefined ? {} : { namespace }),
                  },
          ),
  }),
  events: (response) => [
    named({
      type: "response.created",
      response: { ...response, output: [], status: "in_progress" },
      sequence_number: 0,
    }),
    ...response.output.flatMap((/** @type {any} */ item, /** @type {number} */ output_index) => [
      named({
        type: "response.output_item.added",
        output_index,
        item: item.type === "message" ? { ...item, content: [] } : { ...item, status: "in_progress", arguments: "" },
      }),
      ...(item.type === "message"
        ? [
            named({
              type: "response.content_part.added",
              output_index,
              content_index: 0,
              item_id: item.id,
              part: { ...item.content[0], text: "" },
            }),
            ...halves(item.content[0].text).map((delta) =>
              named({ type: "response.output_text.delta", output_index, content_index: 0, item_id: item.id, delta }),
            ),
          ]
        : []),
      ...(item.type === "function_call"
        ? halves(item.arguments).map((delta) =>
            named({ type: "response.function_call_arguments.delta", output_index, item_id: item.id, delta }),
          )
        : []),
      named({ type: "response.output_item.done", output_index, item }),
    ]),
    named({ type: "response.completed", response }),
  ],
};

/** @type {Wire} */
const chat = {
  results: ({ messages = [] }) =>
    messages
      .filter((/** @type {any} */ { role }) => role === "tool")
      .map((/** @type {any} */ message) => message.tool_call_id),
  whole: (calls, text, { tools = [] }) => ({
    id: "chatcmpl_1",
    object: "chat.completion",
    created: 0,
    model: "loopback",
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? "tool_calls" : "stop",
        logprobs: null,
        message: {
          role: "assistant",
          refusal: null,
          content: calls.length > 0 ? null : text,
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ id, name, input }) =>
                  tools.some((/** @type {any} */ { custom }) => custom?.name === name)
                    ? { id, type: "custom", custom: { name, input } }
                    : { id, type: "function", function: { name, arguments: JSON.stringify(input) } },
                ),
              }),
        },
      },
    ],
  }),
  events: ({ choices: [{ message, finish_reason }], ...rest }) => {
    /** @param {object} delta @param {string | null} reason */
    const chunk = (delta, reason) =>
      bare({ ...rest, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }] });
    return [
      chunk({ role: "assistant", content: message.content ?? "" }, null),
      ...(message.tool_calls ?? []).flatMap((/** @type {any} */ call, /** @type {number} */ index) => {
        const { id, type } = call;
        const [text, field] = type === "custom" ? [call.custom.input, "input"] : [call.function.arguments, "arguments"];
        const first = { index, id, type, [type]: { name: call[type].name, [field]: "" } };
        return [
          chunk({ tool_calls: [first] }, null),
          ...halves(text).map((piece) => chunk({ tool_calls: [{ index, [type]: { [field]: piece } }] }, null)),
        ];
      }),
      chunk({}, finish_reason),
      "data: [DONE]\n\n",
    ];
  },
};

/** @type {Wire} */
const gemini = {
  results: ({ contents = [] }) =>
    contents
      .flatMap((/** @type {any} */ { parts = [] }) => parts)
      .filter((/** @type {any} */ part) => part.functionResponse)
      .map((/** @type {any} */ { functionResponse }) => functionResponse.id),
  whole: (calls, text) => ({
    candidates: [
      {
        index: 0,
        finishReason: "STOP",
        content: {
          role: "model",
          parts:
            calls.length === 0
              ? [{ text }]
              : calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
        },
      },
    ],
  }),
  events: ({ candidates: [{ content, finishReason }] }) => [
    ...content.parts.map((/** @type {any} */ part) =>
      bare({ candidates: [{ index: 0, content: { role: "model", parts: [part] } }] }),
    ),
    bare({ candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason }] }),
  ],
};

/**
 * The AI Gateway, which is the provider that the `ai` package brings along.
 * @type {Wire}
 */
const aiGateway = {
  results: ({ prompt = [] }) =>
    prompt
      .filter((/** @type {any} */ { role }) => role === "tool")
      .flatMap((/** @type {any} */ { content }) => content)
      .map((/** @type {any} */ { toolCallId }) => toolCallId),
  whole: (calls, text) => ({
    content:
      calls.length === 0
        ? [{ type: "text", text }]
        : calls.map(({ id, name, input }) => ({
            type: "tool-call",
            toolCallId: id,
            toolName: name,
            input: JSON.stringify(input),
          })),
    finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: "loopback" },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  }),
  events: ({ content, finishReason, usage }) => [
    bare({ type: "stream-start", warnings: [] }),
    ...content.flatMap((/** @type {any} */ part) =>
      part.type === "text"
        ? [
            bare({ type: "text-start", id: "t" }),
            ...halves(part.text).map((delta) => bare({ type: "text-delta", id: "t", delta })),
            bare({ type: "text-end", id: "t" }),
          ]
        : [
            bare({ type: "tool-input-start", id: part.toolCallId, toolName: part.toolName }),
            ...halves(part.input).map((delta) => bare({ type: "tool-input-delta", id: part.toolCallId, delta })),
            bare({ type: "tool-input-end", id: part.toolCallId }),
            bare(part),
          ],
    ),
    bare({ type: "finish", finishReason, usage }),
    "data: [DONE]\n\n",
  ],
};

/** The wire that is spoken at a path. @param {string} path */
export function findWire(path) {
  return WIRES.find(([pattern]) => pattern.test(path))?.[1];
}

/** @type {[RegExp, Wire][]} */
const WIRES = [
  [/\/v1\/messages$/, anthropic],
  [/\/responses$/, responses],
  [/\/chat\/completions$/, chat],
  [/:(?:stream)?[gG]enerateContent$/, gemini],
  [/\/language-model$/, aiGateway],
];
