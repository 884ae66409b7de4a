import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { startLoopback } from "../../examples/providers/loopback.mjs";
import { DIALECTS } from "../../src/core/dialects/dialects.ts";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import { anthropicWire } from "../../src/runtime/models/anthropic-wire.ts";
import { chatWire } from "../../src/runtime/models/chat-wire.ts";
import { geminiWire } from "../../src/runtime/models/gemini-wire.ts";
import { createHttpModel } from "../../src/runtime/models/http-model.ts";
import { responsesWire } from "../../src/runtime/models/responses-wire.ts";
import { createSession } from "../../src/runtime/session/library.ts";

const CALLS = [
  { id: "c1", name: "look", input: { what: "ä €" } },
  { id: "c2", name: "look", input: { what: "b" } },
];
const WIRES = [
  { wire: anthropicWire, path: "/v1/messages" },
  { wire: responsesWire, path: "/v1/responses" },
  { wire: chatWire, path: "/v1/chat/completions" },
  { wire: geminiWire, path: "/v1beta/models/m:streamGenerateContent" },
] as const;

test.each(WIRES)(
  "a reply of $wire.name that is cut at any byte confirms all of its calls or none (T3, X6)",
  async ({ wire, path }) => {
    const server = await startLoopback([CALLS]);
    const reply = await fetch(`${server.url}${path}`, { method: "POST", body: '{"stream":true}' });
    const bytes = Buffer.from(await reply.arrayBuffer());
    await server.close();
    const look = defineTool("look", {
      description: "Looks",
      parameters: z.object({ what: z.string() }),
      handler: () => "",
    });
    await using session = await createSession({ tools: [look] });
    const payload = session.payload(wire.name);
    const request = {
      payload,
      system: [],
      history: [],
      agent: null,
      maxTokens: null,
      effort: null,
      schema: null,
      cacheKey: null,
    };
    const read = async (until: number): Promise<readonly unknown[] | null> => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          if (until > 0) controller.enqueue(bytes.subarray(0, until));
          controller.close();
        },
      });
      const model = createHttpModel(wire, {
        ...{ id: "m", provider: "p", baseUrl: "http://127.0.0.1", key: () => null },
        fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
      });
      const calls: unknown[] = [];
      try {
        for await (const part of DIALECTS[wire.name].readStream(
          model.stream(request, new AbortController().signal),
          payload.names,
        )) {
          if (part.type === "call") calls.push(part.call);
          if (part.type === "stop") return part.confirmed ? calls : null;
        }
      } catch {}
      return null;
    };
    const whole = await read(bytes.length);
    expect(whole).toHaveLength(2);
    let isConfirmed = false;
    const wrong: [cut: number, found: unknown][] = [];
    for (let until = 0; until < bytes.length; until += 1) {
      const found = await read(until);
      // Once it is whole, what is still missing says nothing more.
      if (found === null ? isConfirmed : !isDeepStrictEqual(found, whole)) wrong.push([until, found]);
      isConfirmed ||= found !== null;
    }
    expect(wrong).toEqual([]);
  },
);
