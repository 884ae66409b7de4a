import fc from "fast-check";
import { expect, test } from "vitest";
import type { AssistantPart, HistoryMessage } from "../../core/call/message.ts";
import { toChatMessages } from "../../core/dialects/providers/render-chat.ts";
import { toResponsesInput } from "../../core/dialects/providers/render-responses.ts";
import { createNames } from "../../core/dialects/tools/names.ts";
import { toJsonText, writtenList } from "../../core/shape/json-text.ts";
import { createMessageWriter, writeTools } from "./kept-texts.ts";

const text = fc.oneof(fc.string(), fc.string({ minLength: 4_100, maxLength: 4_200 }));
const toolName = fc.constantFrom("a", "b", "tool_search");
const call = fc.record({ id: fc.string({ minLength: 1 }), toolName, arguments: fc.oneof(fc.object(), fc.string()) });
const file = fc.record({
  type: fc.constant("file" as const),
  mimeType: fc.constantFrom("image/png", "application/pdf"),
  data: fc.constant("aGk="),
  name: fc.option(fc.string(), { nil: undefined }),
});
const part = fc.record({ type: fc.constant("text" as const), text });
const result = fc.record({
  textResultForLlm: text,
  resultType: fc.constantFrom("success" as const, "failure" as const),
  binaryResultsForLlm: fc.constantFrom(undefined, [
    { data: "aGk=", mimeType: "image/png", type: "image" as const, description: "" },
  ]),
});
const message: fc.Arbitrary<HistoryMessage> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), content: fc.array(fc.oneof(part, file)) }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: fc.array(
      fc.oneof<fc.Arbitrary<AssistantPart>[]>(part, fc.record({ type: fc.constant("call" as const), call })),
    ),
    native: fc.constant(null),
  }),
  fc.record({ role: fc.constant("answers" as const), answers: fc.array(fc.record({ call, result })) }),
) as fc.Arbitrary<HistoryMessage>; // Whatever is optional may be absent.

const toSent = (name: string) => ({
  names: createNames([{ wireName: "a", name, namespace: null, restore: null }]),
  deferral: "native" as const,
  loadable: new Map(),
});

test.each([
  ["Chat Completions", toChatMessages],
  ["Responses", toResponsesInput],
])("%s: a history that grows is written as if nothing had been kept, by whatever names", (_name, render) => {
  const write = createMessageWriter(render);
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), (history) => {
      const [one, other] = [toSent("x"), toSent("y")];
      for (let length = 0; length <= history.length; length += 1)
        for (const sent of [one, one, other]) {
          const said = history.slice(0, length);
          const written = toJsonText({ said: writtenList(write(said, sent)) });
          expect(written).toBe(JSON.stringify({ said: render(said, sent) }));
        }
    }),
    { numRuns: 40 },
  );
});

test("tools are written once", () => {
  let looked = 0;
  const tools = [
    {
      get name() {
        looked += 1;
        return "look";
      },
    },
  ];
  for (let request = 0; request < 3; request += 1)
    expect(toJsonText({ tools: writeTools(tools) })).toBe('{"tools":[{"name":"look"}]}');
  expect(looked).toBe(1);
});
