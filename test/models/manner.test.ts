import { expect, test } from "vitest";
import { anthropicWire } from "../../src/runtime/models/anthropic-wire.ts";
import { chatWire } from "../../src/runtime/models/chat-wire.ts";
import { geminiWire } from "../../src/runtime/models/gemini-wire.ts";
import type { ModelRequest } from "../../src/runtime/models/model.ts";
import { responsesWire } from "../../src/runtime/models/responses-wire.ts";

const PLAIN: ModelRequest = {
  payload: { tools: [], system: [], changes: [] } as unknown as ModelRequest["payload"], // What wires read of one without tools.
  system: [],
  history: [],
  agent: null,
  maxTokens: null,
  effort: null,
  schema: null,
  cacheKey: null,
};
const MANNER = { verbosity: "low", reasoningSummary: "concise" } as const;
const FULL = { ...PLAIN, ...MANNER, effort: "high", schema: { type: "object" } } as const;

test("each provider is asked for what it has a setting for, beside an effort and a form of the answer", () => {
  expect(responsesWire.body("m", FULL)).toMatchObject({
    reasoning: { effort: "high", summary: "concise" },
    text: { verbosity: "low", format: { type: "json_schema" } },
  });
  expect(chatWire.body("m", FULL)).toMatchObject({ verbosity: "low", reasoning_effort: "high" });
  expect(geminiWire.body("m", FULL)).toMatchObject({
    generationConfig: { thinkingConfig: { thinkingLevel: "high", includeThoughts: true } },
  });
  expect(anthropicWire.body("m", { ...PLAIN, ...MANNER })).toEqual(anthropicWire.body("m", PLAIN));
});

test("a request without a manner says nothing of it", () => {
  for (const wire of [responsesWire, chatWire, geminiWire])
    for (const key of ["reasoning", "text", "verbosity", "generationConfig"])
      expect(wire.body("m", PLAIN)).not.toHaveProperty(key);
});
