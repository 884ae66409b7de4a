import { expect, test } from "vitest";
import type { ToolResult } from "../../../core/call/tool-result.ts";
import { toToolAnswer } from "./to-tool-answer.ts";

const answer = (result: ToolResult) =>
  toToolAnswer({
    call: { id: "c", toolName: "t", arguments: {} },
    result,
    arguments: {},
    additionalContext: [],
    sendToModel: true,
    endTurn: false,
  });

test("a refusal carries its code, for programs and for people", () => {
  const code = "permission.no-handler";
  expect(answer({ textResultForLlm: "No.", resultType: "denied", error: `${code}: no`, code })).toEqual({
    kind: "result",
    result: { content: [{ type: "text", text: `No. [${code}]` }], isError: true, _meta: { "toolcrib/code": code } },
  });
});

test("what a tool itself says of its failure is never taken for a code", () => {
  expect(answer({ textResultForLlm: "No.", resultType: "failure", error: "disk.full: no space" })).toEqual({
    kind: "result",
    result: { content: [{ type: "text", text: "No." }], isError: true },
  });
});
