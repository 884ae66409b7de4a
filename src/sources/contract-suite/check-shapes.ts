import assert from "node:assert/strict";
import { RESULT_TYPES, type ToolResult } from "../../core/call/tool-result.ts";
import { toSignature } from "../../core/tool/inspect-tool.ts";
import { factsOf, type SourceKind } from "../../core/tool/source-kinds.ts";
import { type Tool, toTool } from "../../core/tool/tool.ts";
import type { SourceStatus } from "../source.ts";

/** `    at run (file:///x.js:1:2)`, as stack traces have it. */
const STACK_LINE = /^\s+at .+:\d+:\d+\)?$/m;

export function checkListedTools(tools: readonly Tool[], kind: SourceKind): void {
  const fields = Object.keys(toTool({ name: "any" })).sort();
  for (const tool of tools) {
    assert.equal(typeof tool.name, "string", "a tool has no name");
    assert.equal(tool.source, kind, `${tool.name} is of another kind than its source`);
    assert.deepEqual(Object.keys(tool).sort(), fields, `${tool.name} lacks fields or has others; make it with toTool`);
    assert.equal(typeof tool.description, "string", `the description of ${tool.name} is not text`);
    assert.match(toSignature(tool), /^[0-9a-f]{64}$/, `${tool.name} cannot be signed`);
    if (factsOf(kind).served !== undefined || kind === "skill")
      assert.ok(tool.server, `${tool.name} does not say where it comes from`);
    if (kind === "external") assert.ok(tool.owner, `${tool.name} has no owner`);
  }
}

export function checkResult(result: ToolResult): void {
  assert.equal(typeof result, "object", "a call must end in a result");
  assert.equal(typeof result.textResultForLlm, "string", "the result has no text");
  assert.ok(RESULT_TYPES.includes(result.resultType), `${result.resultType} is no result type`);
  assert.doesNotMatch(result.textResultForLlm, STACK_LINE, "the text for the model holds a stack trace");
}

export function checkStatus({ state, reason }: SourceStatus): void {
  if (state !== "connected") assert.ok(reason, `a source that is ${state} must say why`);
}
