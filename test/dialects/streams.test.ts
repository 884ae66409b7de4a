import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../src/core/dialects/dialects.ts";
import type { DialectName } from "../../src/core/dialects/limits/limits.ts";
import type { StreamPart } from "../../src/core/dialects/stream/stream-part.ts";

async function read(dialect: DialectName, events: Iterable<unknown>): Promise<readonly StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of DIALECTS[dialect].readStream(events)) parts.push(part);
  return parts;
}

const callsIn = (parts: readonly StreamPart[]) => parts.flatMap((part) => (part.type === "call" ? [part.call] : []));
const stopOf = (parts: readonly StreamPart[]) => parts.at(-1);
const typesOf = (parts: readonly StreamPart[]) => parts.map(({ type }) => type);

describe("anthropic", () => {
  const start = (index: number, id: string, name = "view") => ({
    type: "content_block_start",
    index,
    content_block: { type: "tool_use", id, name, input: {} },
  });
  const delta = (index: number, partial_json: string) => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json },
  });
  const end = (index: number) => ({ type: "content_block_stop", index });
  const stop = (stop_reason: string) => [{ type: "message_delta", delta: { stop_reason } }, { type: "message_stop" }];

  test("a call is told at the end of its block, before the message stops; interleaved ones in their order", async () => {
    const events = [start(0, "a"), start(1, "b"), delta(0, '{"p":'), delta(1, "{}"), delta(0, "1}"), end(1), end(0)];
    const parts = await read("anthropic", [
      { type: "message_start" },
      ...events,
      { type: "ping" },
      ...stop("tool_use"),
    ]);
    expect(parts).toEqual([
      { type: "call-start", index: 0, id: "a", toolName: "view" },
      { type: "call-start", index: 1, id: "b", toolName: "view" },
      { type: "call", index: 0, call: { id: "a", toolName: "view", arguments: { p: 1 } } },
      { type: "call", index: 1, call: { id: "b", toolName: "view", arguments: {} } },
      { type: "stop", reason: "calls", confirmed: true, raw: "tool_use" },
    ]);
  });

  test("what the provider runs itself is not ours", async () => {
    const block = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const parts = await read("anthropic", [
      { type: "content_block_start", index: 0, content_block: block },
      end(0),
      ...stop("end_turn"),
    ]);
    expect(parts).toEqual([{ type: "stop", reason: "end", confirmed: true, raw: "end_turn" }]);
  });

  test("a fallback drops the calls before it and keeps those behind it", async () => {
    const fallback = { type: "content_block_start", index: 1, content_block: { type: "fallback" } };
    const parts = await read("anthropic", [
      start(0, "a"),
      end(0),
      fallback,
      end(1),
      start(2, "b"),
      end(2),
      ...stop("tool_use"),
    ]);
    expect(parts).toContainEqual({ type: "dropped", ids: ["a"], reason: "fallback" });
    expect(stopOf(parts)).toMatchObject({ confirmed: true });
  });

  test("an index that starts twice replaces the block that never ended", async () => {
    const parts = await read("anthropic", [start(0, "a"), delta(0, "{"), start(0, "b"), end(0), ...stop("tool_use")]);
    expect(callsIn(parts)).toEqual([{ id: "b", toolName: "view", arguments: {} }]);
    expect(parts).toContainEqual({ type: "dropped", ids: ["a"], reason: "replaced" });
  });

  test.each([
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    ["pause_turn", "pause"],
    ["something_new", "error"],
  ])("%s confirms nothing", async (raw, reason) => {
    const parts = await read("anthropic", [start(0, "a"), end(0), ...stop(raw)]);
    expect(stopOf(parts)).toEqual({ type: "stop", reason, confirmed: false, raw });
  });

  test("a stream that ends without a stop is cut, and its open call dropped", async () => {
    const parts = await read("anthropic", [start(0, "a"), delta(0, '{"p"')]);
    expect(typesOf(parts)).toEqual(["call-start", "dropped", "stop"]);
    expect(stopOf(parts)).toEqual({ type: "stop", reason: "cut", confirmed: false, raw: null });
  });

  test("an error event stops it once", async () => {
    const parts = await read("anthropic", [
      start(0, "a"),
      end(0),
      { type: "error", error: { type: "overloaded_error" } },
    ]);
    expect(parts.filter(({ type }) => type === "stop")).toEqual([
      { type: "stop", reason: "error", confirmed: false, raw: "overloaded_error" },
    ]);
  });
});

describe("openai-responses", () => {
  const item = (id: string, more: object = {}) => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name: "view",
    arguments: '{"p":1}',
    status: "completed",
    ...more,
  });
  const done = (id: string, more: object = {}) => ({ type: "response.output_item.done", item: item(id, more) });
  const completed = { type: "response.completed", response: { output: [item("a")] } };

  test("a call is told when its item is done, and not again with the whole response", async () => {
    const added = { type: "response.output_item.added", item: item("a", { arguments: "", status: "in_progress" }) };
    const parts = await read("openai-responses", [added, done("a"), completed]);
    expect(typesOf(parts)).toEqual(["call-start", "call", "stop"]);
    expect(callsIn(parts)).toEqual([{ id: "a", toolName: "view", arguments: { p: 1 } }]);
  });

  test("a call that only the whole response has is told then", async () => {
    expect(callsIn(await read("openai-responses", [completed]))).toHaveLength(1);
  });

  test("the search that the client runs is a call, the server's own is not", async () => {
    const search = (execution: string, call_id: string) =>
      done(call_id, { type: "tool_search_call", execution, arguments: { query: "issues" } });
    const parts = await read("openai-responses", [search("client", "s1"), search("server", "s2"), completed]);
    expect(callsIn(parts)[0]).toEqual({ id: "s1", toolName: "tool_search", arguments: { query: "issues" } });
    expect(callsIn(parts).map(({ id }) => id)).toEqual(["s1", "a"]);
  });

  test.each([
    [{ type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } }, "length"],
    [{ type: "response.incomplete", response: { incomplete_details: { reason: "content_filter" } } }, "refusal"],
    [{ type: "response.failed", response: { error: { code: "server_error" } } }, "error"],
    [{ type: "error", code: "x" }, "error"],
  ])("%j confirms nothing", async (event, reason) => {
    const parts = await read("openai-responses", [done("a"), done("b", { status: "incomplete" }), event]);
    expect(callsIn(parts)).toHaveLength(1);
    expect(parts).toContainEqual({ type: "dropped", ids: ["b"], reason: "incomplete" });
    expect(stopOf(parts)).toMatchObject({ reason, confirmed: false });
  });

  test("a refusal confirms nothing, though the response is complete", async () => {
    const parts = await read("openai-responses", [{ type: "response.refusal.delta", delta: "No." }, completed]);
    expect(stopOf(parts)).toMatchObject({ reason: "refusal", confirmed: false });
  });
});

describe("openai-chat", () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const piece = (fields: { index?: number; id?: string; name?: string; text?: string }) =>
    chunk({
      tool_calls: [
        {
          ...(fields.index === undefined ? {} : { index: fields.index }),
          ...(fields.id === undefined ? {} : { id: fields.id }),
          function: { ...(fields.name === undefined ? {} : { name: fields.name }), arguments: fields.text ?? "" },
        },
      ],
    });
  const stop = (reason: string) => chunk({}, reason);

  test("a call is told as soon as its arguments are closed, interleaved ones in their order", async () => {
    const parts = await read("openai-chat", [
      piece({ index: 0, id: "a", name: "view" }),
      piece({ index: 1, id: "b", name: "grep", text: '{"q":' }),
      piece({ index: 0, text: '{"p":"}"' }),
      piece({ index: 1, text: '"x"}' }),
      piece({ index: 0, text: "}" }),
      stop("tool_calls"),
    ]);
    expect(callsIn(parts)).toEqual([
      { id: "a", toolName: "view", arguments: { p: "}" } },
      { id: "b", toolName: "grep", arguments: { q: "x" } },
    ]);
    expect(parts.findIndex(({ type }) => type === "call")).toBeLessThan(parts.length - 1);
  });

  test("a call whose end only the stop tells keeps its place before those behind it (X5)", async () => {
    const given = [
      piece({ index: 0, id: "a", name: "save" }),
      piece({ index: 1, id: "b", name: "deploy", text: "{}" }),
      piece({ index: 2, id: "c", name: "view", text: '{"p":' }),
    ];
    const parts = await read("openai-chat", [...given, stop("tool_calls")]);
    expect(callsIn(parts).map(({ id, arguments: args }) => [id, args])).toEqual([
      ["a", {}],
      ["b", {}],
      ["c", '{"p":'],
    ]);
    const cut = await read("openai-chat", [...given, stop("length")]);
    expect(cut.slice(3)).toEqual([
      { type: "dropped", ids: ["a", "c"], reason: "incomplete" },
      { type: "call", index: 1, call: { id: "b", toolName: "deploy", arguments: {} } },
      { type: "stop", reason: "length", confirmed: false, raw: "length" },
    ]);
  });

  test("servers that reuse an index, omit it, repeat names or share ids are understood", async () => {
    const reused = await read("openai-chat", [
      piece({ index: 0, id: "a", name: "view", text: "{}" }),
      piece({ index: 0, id: "b", name: "view", text: "{}" }),
      piece({ index: 0, name: "view" }),
      stop("tool_calls"),
    ]);
    expect(callsIn(reused).map(({ id }) => id)).toEqual(["a", "b"]);
    const omitted = await read("openai-chat", [
      piece({ id: "a", name: "view", text: '{"p":' }),
      piece({ id: "a", text: "1}" }),
      piece({ id: "b", name: "grep", text: "{}" }),
      stop("tool_calls"),
    ]);
    expect(callsIn(omitted).map(({ toolName, arguments: args }) => [toolName, args])).toEqual([
      ["view", { p: 1 }],
      ["grep", {}],
    ]);
    const shared = await read("openai-chat", [
      piece({ index: 0, id: "x", name: "view", text: "{}" }),
      piece({ index: 1, id: "x", name: "grep", text: "{}" }),
      stop("stop"),
    ]);
    expect(callsIn(shared).map(({ id }) => id)).toEqual(["x", "x~2"]);
    const answers = DIALECTS["openai-chat"].results(
      callsIn(shared).map((call) => ({ call, result: { textResultForLlm: "ok", resultType: "success" } })),
      DUMMY,
    );
    expect(answers.map((answer) => "tool_call_id" in answer && answer.tool_call_id)).toEqual(["x", "x"]);
  });

  test("arguments that are no JSON are handed on as text at the end, and empty ones are an empty object", async () => {
    const parts = await read("openai-chat", [
      piece({ index: 0, id: "a", name: "view", text: '{"p":' }),
      piece({ index: 1, id: "b", name: "view" }),
      stop("tool_calls"),
    ]);
    expect(callsIn(parts).map((call) => call.arguments)).toEqual(['{"p":', {}]);
  });

  test.each([
    ["length", "length"],
    ["content_filter", "refusal"],
  ])("%s confirms nothing and drops what is open", async (raw, reason) => {
    const parts = await read("openai-chat", [piece({ index: 0, id: "a", name: "view", text: "{" }), stop(raw)]);
    expect(parts.slice(-2)).toEqual([
      { type: "dropped", ids: ["a"], reason: "incomplete" },
      { type: "stop", reason, confirmed: false, raw },
    ]);
  });
});

describe("gemini", () => {
  const chunk = (parts: object[], finishReason?: string) => ({ candidates: [{ content: { parts }, finishReason }] });

  test("calls come whole; without ids they get some, which results leave out", async () => {
    const parts = await read("gemini", [
      chunk([
        { text: "hm", thought: true },
        { text: "Let me see." },
        { functionCall: { name: "view", args: { p: 1 } } },
      ]),
      chunk([{ functionCall: { id: "f2", name: "view", args: {} } }], "STOP"),
    ]);
    expect(parts[0]).toEqual({ type: "text", text: "Let me see." });
    expect(stopOf(parts)).toMatchObject({ reason: "calls", confirmed: true });
    const [message] = DIALECTS.gemini.results(
      callsIn(parts).map((call) => ({ call, result: { textResultForLlm: "ok", resultType: "failure" } })),
      DUMMY,
    );
    expect(message?.parts.map(({ functionResponse }) => functionResponse)).toEqual([
      { name: "view", response: { error: "ok" } },
      { id: "f2", name: "view", response: { error: "ok" } },
    ]);
  });

  test("streamed arguments are put together by path", async () => {
    const parts = await read("gemini", [
      chunk([{ functionCall: { name: "view", willContinue: true } }]),
      chunk([{ functionCall: { partialArgs: [{ jsonPath: "$.a.b[0]", stringValue: "x" }], willContinue: true } }]),
      chunk([
        {
          functionCall: {
            partialArgs: [
              { jsonPath: "$.a.b[0]", stringValue: "y" },
              { jsonPath: "$['n']", numberValue: 2 },
            ],
          },
        },
      ]),
      chunk([], "STOP"),
    ]);
    expect(callsIn(parts).map((call) => call.arguments)).toEqual([{ a: { b: ["xy"] }, n: 2 }]);
  });

  test.each([
    ["MAX_TOKENS", "length"],
    ["SAFETY", "refusal"],
    ["MALFORMED_FUNCTION_CALL", "malformed"],
    ["OTHER", "error"],
  ])("%s confirms nothing", async (raw, reason) => {
    const parts = await read("gemini", [chunk([{ functionCall: { name: "view", args: {} } }], raw)]);
    expect(stopOf(parts)).toEqual({ type: "stop", reason, confirmed: false, raw });
  });

  test("a blocked prompt is a refusal", async () => {
    expect(stopOf(await read("gemini", [{ promptFeedback: { blockReason: "SAFETY" } }]))).toMatchObject({
      reason: "refusal",
    });
  });
});

describe("ai-sdk", () => {
  test("calls are complete at tool-call; those that others run or answer are left alone", async () => {
    const parts = await read("ai-sdk", [
      { type: "tool-input-start", id: "a", toolName: "view" },
      { type: "tool-input-end", id: "a" },
      { type: "tool-call", toolCallId: "a", toolName: "view", input: '{"p":1}' },
      { type: "tool-call", toolCallId: "b", toolName: "web", input: "{}", providerExecuted: true },
      { type: "tool-call", toolCallId: "c", toolName: "nope", input: {}, invalid: true },
      { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_use" } },
    ]);
    expect(callsIn(parts)).toEqual([{ id: "a", toolName: "view", arguments: { p: 1 } }]);
    expect(stopOf(parts)).toMatchObject({ reason: "calls", confirmed: true });
  });

  test("a model whose only call the SDK answers itself waits for that answer; what comes behind it is not held up", async () => {
    const invalid = [
      { type: "tool-input-start", id: "a", toolName: "nope" },
      { type: "tool-call", toolCallId: "a", toolName: "nope", input: {}, invalid: true },
    ];
    const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" } };
    expect(stopOf(await read("ai-sdk", [...invalid, finish]))).toMatchObject({ reason: "calls", confirmed: true });
    const valid = { type: "tool-call", toolCallId: "b", toolName: "view", input: "{}" };
    expect(typesOf(await read("ai-sdk", [...invalid, valid, finish]))).toEqual([
      "call-start",
      "dropped",
      "call-start",
      "call",
      "stop",
    ]);
  });

  test.each([
    [{ type: "abort" }, "cut"],
    [{ type: "error", error: new Error("x") }, "error"],
    [{ type: "finish", finishReason: "length" }, "length"],
  ])("%j confirms nothing", async (event, reason) => {
    expect(stopOf(await read("ai-sdk", [event]))).toMatchObject({ reason, confirmed: false });
  });
});

describe("calls that share an id", () => {
  const args = [{ p: 1 }, { p: 2 }];
  const items = args.map((one) => ({
    type: "function_call",
    call_id: "x",
    name: "view",
    arguments: JSON.stringify(one),
    status: "completed",
  }));
  const blocks = args.map((input) => ({ type: "tool_use", id: "x", name: "view", input }));
  const streams: readonly (readonly [DialectName, readonly unknown[]])[] = [
    [
      "anthropic",
      [
        ...blocks.flatMap((content_block, index) => [
          { type: "content_block_start", index, content_block },
          { type: "content_block_stop", index },
        ]),
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
        { type: "message_stop" },
      ],
    ],
    [
      "openai-responses",
      [
        ...items.map((item, output_index) => ({ type: "response.output_item.added", output_index, item })),
        ...items.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
        { type: "response.completed", response: { output: items } },
      ],
    ],
    ["openai-responses", [{ type: "response.completed", response: { output: items } }]],
    [
      "gemini",
      args.map((one, at) => ({
        candidates: [
          {
            content: { parts: [{ functionCall: { id: "x", name: "view", args: one } }] },
            ...(at && { finishReason: "STOP" }),
          },
        ],
      })),
    ],
    [
      "ai-sdk",
      [
        ...args.flatMap((input) => [
          { type: "tool-input-start", id: "x", toolName: "view" },
          { type: "tool-call", toolCallId: "x", toolName: "view", input },
        ]),
        { type: "finish", finishReason: "tool-calls" },
      ],
    ],
    ["mcp", args.map((one) => ({ id: "x", method: "tools/call", params: { name: "view", arguments: one } }))],
  ];

  test.each(streams)("have a result each, in order, under the id that %s gave (X1)", async (dialect, events) => {
    const calls = callsIn(await read(dialect, events));
    expect(calls.map((call) => call.arguments)).toEqual(args);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    const results = calls.map((call, at) => ({
      call,
      result: { textResultForLlm: `result ${at}`, resultType: "success" as const },
    }));
    const sent = JSON.stringify(DIALECTS[dialect].results(results, DUMMY));
    expect(sent.match(/"x"|result \d/g)?.sort()).toEqual(['"x"', '"x"', "result 0", "result 1"]);
    expect(sent).not.toContain("~");
  });

  test("in whole responses are told apart too", () => {
    const whole = { anthropic: { content: blocks, stop_reason: "tool_use" }, "openai-responses": { output: items } };
    for (const [name, response] of Object.entries(whole))
      expect(callsIn(DIALECTS[name as keyof typeof whole].readResponse(response))).toHaveLength(2); // The keys above.
  });

  test("an id that looks as if it were marked comes back as it was", async () => {
    const [call] = callsIn(
      await read("ai-sdk", [
        { type: "tool-call", toolCallId: "x~2", toolName: "view", input: {} },
        { type: "finish", finishReason: "tool-calls" },
      ]),
    );
    const result = { textResultForLlm: "ok", resultType: "success" } as const;
    const [message] = DIALECTS["ai-sdk"].results(call === undefined ? [] : [{ call, result }], DUMMY);
    expect(message?.content[0]?.toolCallId).toBe("x~2");
  });
});

test("events that come before anybody asks for parts are not lost, and the stop waits for the last of them", async () => {
  let listening = false;
  let drained = false;
  const events = {
    [Symbol.asyncIterator]() {
      listening = true;
      return (async function* () {
        yield { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
        yield { choices: [], usage: {} };
        drained = true;
      })();
    },
  };
  const parts = DIALECTS["openai-chat"].readStream(events);
  expect(listening).toBe(true);
  expect((await parts.next()).value).toMatchObject({ type: "stop" });
  expect(drained).toBe(true);
});

test("a source that breaks off is told as a stop, and the error passed on", async () => {
  async function* broken() {
    yield { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name: "view" } };
    throw new Error("connection lost");
  }
  const parts: StreamPart[] = [];
  const reading = (async () => {
    for await (const part of DIALECTS.anthropic.readStream(broken())) parts.push(part);
  })();
  await expect(reading).rejects.toThrow("connection lost");
  expect(stopOf(parts)).toMatchObject({ reason: "error", confirmed: false });
});

test.each(Object.keys(DIALECTS) as DialectName[])("%s survives nonsense and stops exactly once", async (dialect) => {
  // The keys of the table.
  const nonsense = [
    null,
    1,
    "x",
    [],
    {},
    { type: 5 },
    { choices: [null] },
    { candidates: [{ content: 1 }] },
    { type: "tool-call" },
  ];
  const parts = await read(dialect, [...nonsense, ...nonsense]);
  expect(parts.filter(({ type }) => type === "stop")).toHaveLength(1);
  expect(stopOf(parts)?.type).toBe("stop");
});

const DUMMY = {
  names: {
    toProvider: (name: string) => name,
    fromProvider: (name: string) => name,
    restore: (_: string, args: unknown) => args,
  },
  deferral: "none",
  loadable: new Map(),
} as const;
