import { describe, expect, test } from "vitest";
import { aScene, aTool } from "../../../test/fixtures/builders.ts";
import type { HistoryMessage } from "../call/message.ts";
import { buildCatalog } from "../catalog/catalog.ts";
import { buildToolset } from "../toolset/build-toolset.ts";
import { DIALECTS } from "./dialects.ts";
import { toAnthropicMessages } from "./providers/render-anthropic.ts";
import { toChatMessages } from "./providers/render-chat.ts";
import { toGeminiContents } from "./providers/render-gemini.ts";
import { toResponsesInput } from "./providers/render-responses.ts";

const toolset = buildToolset(buildCatalog([aTool({ name: "look" })]), aScene());
const SAY = {
  anthropic: (history: readonly HistoryMessage[]) => toAnthropicMessages(history, DIALECTS.anthropic.payload(toolset)),
  "openai-responses": (history: readonly HistoryMessage[]) =>
    toResponsesInput(history, DIALECTS["openai-responses"].payload(toolset)),
  "openai-chat": (history: readonly HistoryMessage[]) =>
    toChatMessages(history, DIALECTS["openai-chat"].payload(toolset)),
  gemini: (history: readonly HistoryMessage[]) => toGeminiContents(history, DIALECTS.gemini.payload(toolset)),
};

const call = { id: "c1", toolName: "look", arguments: { what: "a" } };
const history: readonly HistoryMessage[] = [
  { role: "user", content: [{ type: "text", text: "Look." }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "I look." },
      { type: "call", call },
    ],
    native: null,
  },
  { role: "answers", answers: [{ call, result: { textResultForLlm: "seen", resultType: "success" } }] },
  { role: "user", content: [{ type: "text", text: "And?" }] },
];

describe("a history in the words of each provider", () => {
  test("anthropic: answers and the next message are one, answers first", () => {
    expect(SAY.anthropic(history)).toEqual([
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "c1", name: "look", input: { what: "a" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "seen" },
          { type: "text", text: "And?" },
        ],
      },
    ]);
  });

  test("responses", () => {
    expect(SAY["openai-responses"](history)).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "Look." }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", call_id: "c1", name: "look", arguments: '{"what":"a"}' },
      { type: "function_call_output", call_id: "c1", output: "seen" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "And?" }] },
    ]);
  });

  test("chat completions", () => {
    expect(SAY["openai-chat"](history)).toEqual([
      { role: "user", content: "Look." },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"what":"a"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "seen" },
      { role: "user", content: "And?" },
    ]);
  });

  test("gemini: answers and the next message are one", () => {
    expect(SAY.gemini(history)).toEqual([
      { role: "user", parts: [{ text: "Look." }] },
      {
        role: "model",
        parts: [{ text: "I look." }, { functionCall: { id: "c1", name: "look", args: { what: "a" } } }],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "look", response: { output: "seen" } } }, { text: "And?" }],
      },
    ]);
  });

  test.each(Object.keys(SAY) as (keyof typeof SAY)[])(
    "%s gets back what only it understands as it came, and nothing of another (T10)",
    (own) => {
      for (const dialect of Object.keys(SAY)) {
        const secret = { type: "thinking", thinking: "", signature: `signed by ${dialect}` };
        const native = { dialect, content: [secret] };
        const said = JSON.stringify(
          SAY[own]([{ role: "assistant", content: [{ type: "text", text: "Hm." }], native }]),
        );
        const keeps = dialect === own && own !== "openai-chat";
        expect(said.includes(secret.signature)).toBe(keeps);
        expect(said.includes("Hm.")).toBe(!keeps);
      }
    },
  );
});
