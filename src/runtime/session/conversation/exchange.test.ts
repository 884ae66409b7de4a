import { afterEach, describe, expect, test } from "vitest";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { Session } from "../public-session.ts";

const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

async function begin(options: SessionOptions): Promise<Session> {
  const session = await createSession({ workspace: null, builtins: "all", ...options });
  open.push(session);
  return session;
}

const block = (index: number, id: string, name: string, input: object = {}) => [
  { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } },
  { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } },
  { type: "content_block_stop", index },
];
const stop = (reason: string) => [{ type: "message_delta", delta: { stop_reason: reason } }, { type: "message_stop" }];
const reply = (...calls: readonly (readonly [string, string, object?])[]) => [
  { type: "message_start" },
  ...calls.flatMap(([id, name, input], at) => block(at, id, name, input)),
  ...stop(calls.length === 0 ? "end_turn" : "tool_use"),
];

async function drain(results: AsyncIterable<{ readonly call: { readonly id: string } }>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { call } of results) ids.push(call.id);
  return ids;
}

const echo = defineTool("echo", {
  description: "Says it back",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  handler: async ({ text = "" }) => `you said ${text}`,
});

describe("execute", () => {
  test("starts what is safe while the model still writes, and gives results in request order (X5, X6)", async () => {
    const started: string[] = [];
    let begun = (): void => {};
    const both = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const look = (name: string) =>
      defineTool(name, {
        description: "Looks",
        traits: { readOnly: true, idempotent: true, concurrencySafe: true },
        handler: async () => {
          started.push(name);
          if (started.length === 2) begun();
          await both;
          return name;
        },
      });
    const write = defineTool("write", { description: "Writes", handler: async () => String(started.push("write")) });
    const session = await begin({
      tools: [look("first"), look("second"), write],
      permissions: { allow: ["first", "second", "write"] },
    });
    session.payload("anthropic");
    async function* stream() {
      yield* [...block(0, "a", "first"), ...block(1, "b", "second"), ...block(2, "w", "write")];
      // Were nothing run before the stop, this would never go on.
      await both;
      started.push("stop");
      yield* stop("tool_use");
    }
    expect(await drain(session.execute(stream()))).toEqual(["a", "b", "w"]);
    expect(started).toEqual(["first", "second", "stop", "write"]);
    const [message] = session.results("anthropic");
    expect(message?.content).toMatchObject([{ tool_use_id: "a" }, { tool_use_id: "b" }, { tool_use_id: "w" }]);
  });

  test("takes a stream, a whole response, and promises of them; says what the model says", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo"] } });
    const whole = {
      content: [
        { type: "text", text: "Well." },
        { type: "tool_use", id: "x", name: "echo", input: { text: "hi" } },
      ],
      stop_reason: "tool_use",
    };
    for (const given of [whole, Promise.resolve(whole), reply(["x", "echo", { text: "hi" }])]) {
      const parts: string[] = [];
      const running = session.execute(given, { dialect: "anthropic", onPart: ({ type }) => void parts.push(type) });
      for await (const result of running)
        expect(result).toMatchObject({ resultType: "success", textResultForLlm: "you said hi", sendToModel: true });
      expect(parts).toEqual(expect.arrayContaining(["call", "stop"]));
      expect(session.results("anthropic")).toMatchObject([{ content: [{ content: "you said hi" }] }]);
    }
  });

  test("calls that share an id run each, and each is answered, also when nobody looks at the second (X1)", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo"] } });
    const twice = reply(["a", "echo", { text: "one" }], ["a", "echo", { text: "two" }]);
    const answers = () => session.results("anthropic")[0]?.content;
    await drain(session.execute(twice, { dialect: "anthropic" }));
    expect(answers()).toMatchObject([
      { tool_use_id: "a", content: "you said one" },
      { tool_use_id: "a", content: "you said two" },
    ]);
    for await (const _ of session.execute(twice)) break;
    expect(answers()).toMatchObject([{ tool_use_id: "a" }, { tool_use_id: "a" }]);
  });

  test("a reader that stops early still has one result for each call that the model confirmed (X1)", async () => {
    const hang = defineTool("hang", { description: "", handler: () => new Promise<string>(() => {}) });
    const session = await begin({ tools: [echo, hang], permissions: { allow: ["echo", "hang"] } });
    session.payload("anthropic");
    for await (const result of session.execute(reply(["a", "echo"], ["b", "hang"]))) {
      expect(result.call.id).toBe("a");
      break;
    }
    const [message] = session.results("anthropic");
    expect(message?.content).toMatchObject([{ tool_use_id: "a" }, { tool_use_id: "b", is_error: true }]);
  });

  test("a call that never started because its reader stopped is not said to have started (X7)", async () => {
    const hold = defineTool("hold", {
      description: "Waits until it is told to stop",
      handler: (_args, { signal }) => new Promise<string>((_, reject) => signal.addEventListener("abort", reject)),
    });
    const session = await begin({ tools: [echo, hold], permissions: { allow: ["echo", "hold"] } });
    session.payload("anthropic");
    for await (const _ of session.execute(reply(["a", "echo"], ["b", "hold"], ["c", "hold"]))) break;
    const [message] = session.results("anthropic");
    expect(message?.content.at(-1)).toMatchObject({
      tool_use_id: "c",
      content: "The call was cancelled by the user. It did not start.",
    });
  });

  test("a reply of another provider is told as such, and not taken for one that calls nothing", async () => {
    const session = await begin({ tools: [echo] });
    const called = { id: "x", type: "function", function: { name: "echo", arguments: "{}" } };
    const chat = { choices: [{ message: { role: "assistant", tool_calls: [called] }, finish_reason: "tool_calls" }] };
    session.payload("openai-responses");
    expect(() => session.execute(chat)).toThrow(
      "a reply for openai-chat, and the request was made for openai-responses",
    );
    await expect(drain(session.execute(Promise.resolve(chat), { dialect: "anthropic" }))).rejects.toThrow(
      "a reply for openai-chat, and the request was made for anthropic",
    );
    const done = { type: "message", role: "assistant", content: [], stop_reason: "end_turn" };
    await expect(drain(session.execute(done, { dialect: "anthropic" }))).resolves.toEqual([]);
  });

  test("so is a stream of another provider, and one that is nobody's", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo"] } });
    const item = { type: "function_call", call_id: "x", name: "echo", arguments: "{}" };
    const streams = {
      anthropic: reply(["x", "echo"]),
      "openai-responses": [
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: { output: [item] } },
      ],
      "openai-chat": [{ choices: [{ index: 0, delta: { content: "Hm." }, finish_reason: "stop" }] }],
      gemini: [{ candidates: [{ content: { parts: [{ text: "Hm." }] }, finishReason: "STOP" }] }],
      "ai-sdk": [{ type: "start" }, { type: "text-delta", text: "Hm." }, { type: "finish", finishReason: "stop" }],
      mcp: [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } }],
    } as const;
    const names = Object.keys(streams) as (keyof typeof streams)[]; // The keys above.
    for (const dialect of names)
      for (const other of names) {
        const running = drain(session.execute(streams[other], { dialect }));
        if (other === dialect) await running;
        else
          await expect(running).rejects.toMatchObject({
            code: "dialect.unread-reply",
            names: [dialect, other],
            message: expect.stringContaining(`a reply for ${other}, and the request was made for ${dialect}`),
          });
        expect(session.results(dialect)).toHaveLength(
          other === dialect && JSON.stringify(streams[other]).includes("echo") ? 1 : 0,
        );
      }
    const lines = ['data: {"type":"message_start"}', ""];
    await expect(drain(session.execute(lines, { dialect: "anthropic" }))).rejects.toMatchObject({
      code: "dialect.unread-reply",
      message: expect.stringContaining("nothing of this reply can be read as one for anthropic"),
    });
  });

  test("what is no response at all is told as such, and one that says nothing is a response", async () => {
    const session = await begin({ tools: [echo] });
    const silent = {
      anthropic: { content: [], stop_reason: "end_turn" },
      "openai-responses": { status: "completed", output: [] },
      "openai-chat": { choices: [] },
      gemini: { usageMetadata: {} },
      "ai-sdk": { content: [], finishReason: "stop" },
    } as const;
    // The second is what `withResponse()` of some SDKs gives.
    const wrong = [{}, { data: { content: [] }, response: new Response() }, new Error("no connection")];
    for (const dialect of Object.keys(silent) as (keyof typeof silent)[]) {
      await drain(session.execute(silent[dialect], { dialect }));
      for (const reply of wrong)
        await expect((async () => drain(session.execute(reply, { dialect })))()).rejects.toMatchObject({
          code: "dialect.unread-reply",
          names: [dialect],
        });
    }
  });

  test("a stream that ends before it says anything was cut, and is no mistake", async () => {
    const session = await begin({ tools: [echo] });
    for (const events of [[], [{ type: "message_start" }, { type: "ping" }]]) {
      const stops: unknown[] = [];
      const onPart = (part: object): void => void stops.push(part);
      await drain(session.execute(events, { dialect: "anthropic", onPart }));
      expect(stops).toMatchObject([{ type: "stop", reason: "cut" }]);
    }
  });

  test("a reply that was cut or refused is answered by nothing (X6)", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo"] } });
    session.payload("anthropic");
    for (const end of [stop("refusal"), []]) {
      await drain(session.execute([...block(0, "a", "echo"), ...end]));
      expect(session.results("anthropic")).toEqual([]);
    }
  });

  test("a stream that breaks ends its calls, and its error comes out", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo"] } });
    session.payload("anthropic");
    async function* broken() {
      yield* block(0, "a", "echo");
      throw new Error("connection lost");
    }
    await expect(drain(session.execute(broken()))).rejects.toThrow("connection lost");
    await expect(drain(session.execute(Promise.reject(new Error("no route"))))).rejects.toThrow("no route");
    expect(session.results("anthropic")).toEqual([]);
  });

  test("is told whose reply it is", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo"] } });
    expect(() => session.execute([])).toThrow("say whose reply this is");
    expect(() => session.execute("hello", { dialect: "gemini" })).toThrow("a reply is a stream");
    expect(session.results("gemini")).toEqual([]);
    const other = await begin({ tools: [echo] });
    expect(() => session.execute([], { payload: other.payload("gemini") })).toThrow("made no such payload");
    expect(() => session.results("gemini", { payload: other.payload("gemini") })).toThrow("made no such payload");
  });

  test("a reply is judged by the request it answers, however many were made since (E1)", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo", "late"] } });
    const early = session.payload("anthropic");
    const late = defineTool("late", { description: "Comes late", handler: async () => "here" });
    session.setTools("more", [late]);
    await session.refresh();
    session.payload("openai-chat");
    await drain(session.execute(reply(["a", "late"]), { payload: early }));
    expect(JSON.stringify(session.results("anthropic"))).toContain("does not exist");
    session.payload("anthropic");
    await drain(session.execute(reply(["b", "late"]), { dialect: "anthropic" }));
    expect(JSON.stringify(session.results("anthropic"))).toContain("here");
  });
});

describe("results", () => {
  test("are empty before any reply, and refused in the middle of one", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo"] } });
    expect(session.results("gemini")).toEqual([]);
    session.payload("anthropic");
    const running = session.execute(reply(["a", "echo"]));
    expect(() => session.results("anthropic")).toThrow("to its end");
    await drain(running);
    expect(session.results("anthropic")).toHaveLength(1);
  });

  test("say that a rejection ended the turn (X4)", async () => {
    const session = await begin({
      tools: [echo],
      onPermissionRequest: async () => ({ decision: "deny", endTurn: true }),
    });
    session.payload("anthropic");
    await drain(session.execute(reply(["a", "echo"])));
    const results = session.results("anthropic");
    expect(results.endTurn).toBe(true);
    expect(results).toMatchObject([{ content: [{ tool_use_id: "a", is_error: true }] }]);
  });

  test("can be shaped for another provider, when a conversation moves on", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo"] } });
    session.payload("anthropic");
    await drain(session.execute(reply(["a", "echo", { text: "hi" }])));
    expect(session.results("openai-chat")).toEqual([{ role: "tool", tool_call_id: "a", content: "you said hi" }]);
  });
});

describe("payload", () => {
  const many = Array.from({ length: 40 }, (_, at) =>
    defineTool(`record_${at}`, { description: `Reads record ${at}`, handler: async () => `record ${at}` }),
  );

  test("a deferred tool is answered with what to do, and runs once a search has loaded it (D6)", async () => {
    const session = await begin({ tools: many, permissions: { allow: ["record_7", "tool_search"] } });
    session.payload("anthropic");
    await drain(session.execute(reply(["a", "record_7"])));
    expect(JSON.stringify(session.results("anthropic"))).toContain("select:record_7");
    await drain(session.execute(reply(["b", "tool_search", { query: "select:record_7" }])));
    session.payload("anthropic");
    await drain(session.execute(reply(["c", "record_7"])));
    expect(session.results("anthropic")).toMatchObject([{ content: [{ content: "record 7" }] }]);
  });

  test("a tool that the history refers to stays declared when it is gone: a reference to nothing is refused", async () => {
    const session = await begin({ tools: many, permissions: { allow: ["record_7", "tool_search"] } });
    session.payload("anthropic");
    await drain(session.execute(reply(["b", "tool_search", { query: "select:record_7" }])));
    expect(session.results("anthropic")).toMatchObject([
      { content: [{ content: [{ type: "tool_reference", tool_name: "record_7" }] }] },
    ]);
    session.setTools(
      "host",
      many.filter(({ tool }) => tool.name !== "record_7"),
    );
    await session.refresh();
    const { tools } = session.payload("anthropic");
    expect(tools.at(-1)).toMatchObject({ name: "record_7", defer_loading: true });
    await drain(session.execute(reply(["c", "record_7"])));
    expect(session.results("anthropic")).toMatchObject([{ content: [{ is_error: true }] }]);
  });

  test("more tools than the provider takes is told once, with what to do", async () => {
    const tools = Array.from({ length: 130 }, (_, at) =>
      defineTool(`t${at}`, { description: "", handler: async () => "" }),
    );
    const session = await begin({
      tools,
      toolSearch: "off",
      model: "big",
      models: { big: { maxTools: 1_000 } },
    });
    const told: string[] = [];
    session.on("session.warning", ({ code, text }) => void told.push(`${code}: ${text}`));
    for (const _ of [1, 2]) expect(session.payload("openai-chat").notices).toHaveLength(1);
    expect(session.payload("anthropic").notices).toEqual([]);
    expect(told.filter((text) => text.startsWith("dialect."))).toEqual([
      expect.stringContaining('set models["big"].maxTools to 128'),
    ]);
  });

  test("several replies at once have their results each, by the payload that they answer", async () => {
    const session = await begin({ tools: [echo], permissions: { allow: ["echo"] } });
    const payloads = [session.payload("anthropic"), session.payload("anthropic")] as const;
    const running = payloads.map((payload, at) =>
      drain(session.execute(reply([`call-${at}`, "echo", { text: String(at) }]), { payload })),
    );
    await Promise.all(running);
    for (const [at, payload] of payloads.entries())
      expect(session.results("anthropic", { payload })).toMatchObject([
        { content: [{ tool_use_id: `call-${at}`, content: `you said ${at}` }] },
      ]);
    expect(session.results("anthropic", { payload: session.payload("anthropic") })).toEqual([]);
  });
});
