import { describe, expect, test } from "vitest";
import type { ToolResult } from "../../core/call/tool-result.ts";
import { type ToolFields, toTool } from "../../core/tool/tool.ts";
import type { McpResult } from "../../sources/mcp/mcp-result.ts";
import { toMcpResult } from "../../sources/mcp/to-result.ts";
import { cleanResult } from "./clean-result.ts";

const mcp = toTool({ name: "t", source: "mcp", server: "s" });
const HIDDEN = "a\u200bb\u{e0041}\u202ec\u001b[31m";

function fromServer(answer: object): ToolResult {
  const result = toMcpResult(answer);
  if (result === null) throw new Error("no result");
  return result;
}

describe("what a server answers (G13)", () => {
  test("reaches the model without hidden text, and the log says how much there was", () => {
    const cleaned = cleanResult(mcp, fromServer({ content: [{ type: "text", text: HIDDEN }] }));
    expect(cleaned.textResultForLlm).toBe("abc");
    expect(cleaned.sessionLog).toBe("4 hidden characters or sequences were taken out of the text");
  });

  test("reaches a client of the gateway without it too, which is told how much is missing", () => {
    const { wire } = cleanResult(
      mcp,
      fromServer({
        content: [
          { type: "text", text: HIDDEN, annotations: { priority: 1 } },
          { type: "resource", resource: { uri: "a:\u200b", text: HIDDEN } },
          { type: "resource_link", uri: "a:b", name: "n\u200b", title: "t\u200b", description: "d\u200b" },
        ],
        _meta: { own: 1 },
      }),
    );
    expect(wire).toEqual({
      content: [
        { type: "text", text: "abc", annotations: { priority: 1 } },
        { type: "resource", resource: { uri: "a:\u200b", text: "abc" } },
        { type: "resource_link", uri: "a:b", name: "n", title: "t", description: "d" },
      ],
      _meta: { own: 1, "toolcrib/dropped-characters": 11 },
    });
  });

  test("is looked through also where the model's own text does not show it", () => {
    const { wire } = cleanResult(
      mcp,
      fromServer({ content: [{ type: "resource_link", uri: "a:b", name: "n\u200b", title: "t" }] }),
    );
    expect(wire?.content).toEqual([{ type: "resource_link", uri: "a:b", name: "n", title: "t" }]);
  });

  test("is cleaned where it is an error of the protocol", () => {
    const failed: McpResult = {
      textResultForLlm: "The tool failed: n\u200bo",
      resultType: "failure",
      wireError: { code: -32000, message: "n\u200bo", data: "\u200b" },
    };
    expect(cleanResult(mcp, failed)).toMatchObject({
      textResultForLlm: "The tool failed: no",
      wireError: { code: -32000, message: "no", data: "\u200b" },
    });
  });

  test("is cleaned in its structured content too, and keeps binary parts as they are", () => {
    const image = { type: "image", data: "QQ==", mimeType: "image/png" };
    const structuredContent = { text: HIDDEN, list: [{ "k\u200b": 1 }] };
    const cleaned = cleanResult(mcp, fromServer({ content: [image, { type: "text", text: "x" }], structuredContent }));
    const clean = { text: "abc", list: [{ k: 1 }] };
    expect(cleaned.structured).toEqual(clean);
    expect(cleaned.dropped).toBe(5);
    expect(cleaned.wire).toEqual({
      content: [image, { type: "text", text: "x" }],
      structuredContent: clean,
      _meta: { "toolcrib/dropped-characters": 5 },
    });
    expect(cleaned.binaryResultsForLlm).toEqual([image]);
  });

  test("counts once what it says as text and as data", () => {
    const said = { text: HIDDEN };
    const text = JSON.stringify(said);
    expect(cleanResult(mcp, fromServer({ content: [{ type: "text", text }], structuredContent: said })).dropped).toBe(
      4,
    );
  });

  test("is the very same result where nothing is hidden in it", () => {
    const result = fromServer({
      content: [
        { type: "text", text: "👩‍👩‍👧 می‌خواهم\r\n" },
        { type: "audio", data: "QQ==", mimeType: "audio/wav" },
      ],
    });
    expect(cleanResult(mcp, result)).toBe(result);
  });
});

const result: ToolResult = { textResultForLlm: HIDDEN, resultType: "success" };

test.each<ToolFields>([
  { name: "t", source: "external", owner: { kind: "extension", name: "e" } },
  { name: "t", source: "external", owner: { kind: "connection", name: "c" } },
])("a stranger's text is cleaned, of whatever kind the stranger is: $owner.kind", (fields) => {
  expect(cleanResult(toTool(fields), result).textResultForLlm).toBe("abc");
});

test.each<ToolFields>([
  { name: "view", source: "builtin" },
  { name: "t", source: "module" },
  { name: "t", source: "external", owner: { kind: "host", name: "h" } },
])("what this machine's own tools say stays exact, so that files can be edited by it: $source", (fields) => {
  expect(cleanResult(toTool(fields), result)).toBe(result);
});

test("what code makes of a stranger's text is cleaned, beside what was taken out before", () => {
  const code = toTool({ name: "run_code", source: "builtin" });
  expect(cleanResult(code, result)).toBe(result);
  expect(cleanResult(code, { ...result, holdsStrange: true, dropped: 2 })).toMatchObject({
    textResultForLlm: "abc",
    dropped: 6,
  });
});
