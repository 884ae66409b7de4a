import { describe, expect, test } from "vitest";
import { mergeVerdicts, readOutput, SILENT_HOOK } from "./read-output.ts";

describe("every documented field, as Claude Code and Copilot spell it", () => {
  test.each([
    ["permissionDecision", { permissionDecision: "deny" }, { decision: "deny" }],
    ["permissionDecision inside", { hookSpecificOutput: { permissionDecision: "ask" } }, { decision: "ask" }],
    ["defer, which needs a person here", { hookSpecificOutput: { permissionDecision: "defer" } }, { decision: "ask" }],
    ["permissionDecisionReason", { permissionDecisionReason: "because" }, { reason: "because" }],
    ["updatedInput", { hookSpecificOutput: { updatedInput: { a: 1 } } }, { updatedInput: { a: 1 } }],
    ["modifiedArgs", { modifiedArgs: { a: 1 } }, { updatedInput: { a: 1 } }],
    ["additionalContext", { hookSpecificOutput: { additionalContext: "note" } }, { additionalContext: ["note"] }],
    ["updatedToolOutput", { hookSpecificOutput: { updatedToolOutput: "x" } }, { updatedOutput: "x" }],
    ["updatedMCPToolOutput", { hookSpecificOutput: { updatedMCPToolOutput: "x" } }, { updatedOutput: "x" }],
    ["modifiedResult", { modifiedResult: { textResultForLlm: "x" } }, { updatedOutput: { textResultForLlm: "x" } }],
    ["modifiedPrompt", { modifiedPrompt: "p" }, { updatedPrompt: "p" }],
    ["continue and stopReason", { continue: false, stopReason: "enough" }, { endTurn: true, reason: "enough" }],
    ["decision block", { decision: "block", reason: "no" }, { decision: "deny", reason: "no" }],
    ["decision approve", { decision: "approve" }, { decision: "allow" }],
    [
      "behavior",
      { hookSpecificOutput: { decision: { behavior: "deny", message: "m", interrupt: true } } },
      { decision: "deny", reason: "m", endTurn: true },
    ],
    [
      "behavior with input",
      { hookSpecificOutput: { decision: { behavior: "allow", updatedInput: { b: 2 } } } },
      { decision: "allow", updatedInput: { b: 2 } },
    ],
    ["errorHandling", { errorHandling: "skip" }, { errorHandling: "skip" }],
    ["systemMessage", { systemMessage: "hi" }, { messages: ["hi"] }],
    [
      "Copilot's behavior",
      { behavior: "deny", message: "m", interrupt: true },
      { decision: "deny", reason: "m", endTurn: true },
    ],
    ["suppressOutput, which changes nothing", { suppressOutput: true }, {}],
    ["terminalSequence, which reaches no terminal", { terminalSequence: "\u001b]0;x\u0007" }, {}],
  ])("%s", (_, output, verdict) => {
    expect(readOutput(output)).toEqual({ ...SILENT_HOOK, ...verdict });
  });

  test.each(["text", 5, ["a"], { permissionDecision: "alow" }, { decision: { behaviour: "allow" } }])(
    "%j cannot be understood, which is a failure and no consent",
    (output) => expect(readOutput(output)).toBeNull(),
  );

  test("nothing is nothing", () =>
    expect([readOutput(undefined), readOutput(null), readOutput({})]).toEqual([SILENT_HOOK, SILENT_HOOK, SILENT_HOOK]));

  test("long texts are cut", () =>
    expect(readOutput({ additionalContext: "x".repeat(20_000) })?.additionalContext[0]).toHaveLength(10_000));
});

test("of several hooks deny beats ask beats allow, with the reason of the one that decided", () => {
  const verdict = (decision: "allow" | "ask" | "deny" | null, reason: string | null) => ({
    ...SILENT_HOOK,
    decision,
    reason,
  });
  expect(mergeVerdicts([verdict("allow", "a"), verdict("deny", "d"), verdict("ask", "q")])).toMatchObject({
    decision: "deny",
    reason: "d",
  });
  expect(mergeVerdicts([verdict(null, null), verdict("ask", "q"), verdict("allow", "a")])).toMatchObject({
    decision: "ask",
    reason: "q",
  });
  const first = { ...SILENT_HOOK, updatedInput: { n: 1 }, additionalContext: ["one"] };
  const second = { ...SILENT_HOOK, updatedInput: { n: 2 }, additionalContext: ["two"], endTurn: true };
  expect(mergeVerdicts([first, second, SILENT_HOOK])).toMatchObject({
    updatedInput: { n: 2 },
    additionalContext: ["one", "two"],
    endTurn: true,
  });
});
