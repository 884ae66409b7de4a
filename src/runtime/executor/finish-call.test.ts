import { expect, test } from "vitest";
import { type Eventual, runStage } from "../../core/call/eventual.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import { toSend } from "../../core/dialects/contract/dialect.ts";
import { toTool } from "../../core/tool/tool.ts";
import type { McpResult } from "../../sources/mcp/mcp-result.ts";
import { createCancellation } from "./cancellation.ts";
import { DEFAULT_LIMITS } from "./executor-limits.ts";
import { finishCall } from "./finish-call.ts";
import type { PreparedCall } from "./prepare-call.ts";

const call = { id: "c", toolName: "t", arguments: {} };
// Only the call of what was prepared is looked at, by the file that a long result goes to, and whose tool it is.
const prepared = { call, tool: toTool({ name: "t", source: "mcp", server: "s" }) } as unknown as PreparedCall;
const wire = { content: [{ type: "text", text: "secret", annotations: { priority: 1 } }] };
const result: McpResult = { textResultForLlm: "secret", resultType: "success", wire };
const cancelling = createCancellation();

function finish(given: ToolResult, changed?: ToolResult): Eventual<{ readonly result: McpResult }> {
  const post = async () => ({
    additionalContext: [],
    endTurn: false,
    ...(changed === undefined ? {} : { result: changed }),
  });
  const hooks = {
    post,
    pre: async () => ({ decision: null, reason: null, additionalContext: [], endTurn: false }),
    ask: async () => null,
  };
  const spill = { write: async () => "/results/c.txt" };
  const ports = { hooks, spill, limits: DEFAULT_LIMITS, onError: () => {} };
  return runStage(finishCall(prepared, given, 1, cancelling, ports));
}

test("a result that nobody changed keeps what its server said", async () => {
  expect((await finish(result)).result.wire).toBe(wire);
});

test("a result that a hook changed does not, even if the hook kept it", async () => {
  const { result: changed } = await finish(result, { ...result, textResultForLlm: "[removed]" });
  expect(changed).toEqual({ textResultForLlm: "[removed]", resultType: "success" });
});

test("a result that was too long does not", async () => {
  const { result: cut } = await finish({ ...result, textResultForLlm: "x".repeat(60_000) });
  expect(cut.wire).toBeUndefined();
  expect(cut.textResultForLlm).toContain("/results/c.txt");
});

test("a result that more is said about does not", () => {
  const [sent] = toSend([{ call, result, additionalContext: ["mind the gap"] }]);
  expect(sent?.result).toEqual({ textResultForLlm: "secret\n\nmind the gap", resultType: "success" });
});
