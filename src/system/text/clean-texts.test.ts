import { expect, test } from "vitest";
import { cleanTexts } from "./clean-texts.ts";

const HIDDEN = "\u{e0069}\u202e";

test("texts for people and models lose what nobody sees, at any depth, and values for programs stay", () => {
  const question = {
    systemPrompt: `be brief${HIDDEN}`,
    messages: [{ role: "user", content: [{ type: "text", text: `hi${HIDDEN}` }] }],
    requestedSchema: {
      properties: {
        [`text${HIDDEN}`]: {
          title: `T${HIDDEN}`,
          enum: [`a${HIDDEN}`],
          enumNames: [`A${HIDDEN}`],
          default: `a${HIDDEN}`,
        },
      },
    },
    url: `https://example.com/${HIDDEN}`,
    _meta: { text: HIDDEN },
  };
  expect(cleanTexts(question)).toEqual({
    value: {
      ...question,
      systemPrompt: "be brief",
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      requestedSchema: {
        properties: {
          [`text${HIDDEN}`]: { title: "T", enum: [`a${HIDDEN}`], enumNames: ["A"], default: `a${HIDDEN}` },
        },
      },
    },
    dropped: 8,
  });
});

test("a field of a form is cleaned whatever the server calls it", () => {
  const field = { type: "string", title: `T${HIDDEN}`, description: `D${HIDDEN}` };
  const fieldsOf = (one: object) => ({ input: one, _meta: one, structuredContent: one, properties: one });
  const form = { requestedSchema: { type: "object", properties: fieldsOf(field) } };
  const clean = { type: "string", title: "T", description: "D" };
  expect(cleanTexts(form).value).toEqual({ requestedSchema: { type: "object", properties: fieldsOf(clean) } });
  const use = { content: { type: "tool_use", input: { text: HIDDEN } } };
  expect(cleanTexts(use).value).toBe(use);
});

test("what has nothing to take out is the very same, and no depth is too much", () => {
  const plain = { text: "naïve 日本 👩‍👩‍👧", list: [1, null, { message: "x" }] };
  expect(cleanTexts(plain).value).toBe(plain);
  let deep: object = { text: HIDDEN };
  for (let level = 0; level < 100_000; level++) deep = { deep };
  expect(cleanTexts(deep).value).toBe(deep);
});
