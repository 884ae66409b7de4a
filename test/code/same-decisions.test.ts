import { describe, expect, test } from "vitest";
import type { CallEvents } from "../../src/core/events/event-types.ts";
import type { SessionOptions } from "../../src/runtime/session/options/session-options.ts";
import { type CodeSession, openCodeSession, shareThread } from "../support/code-session.ts";

type Handler = Parameters<typeof openCodeSession>[1];

shareThread();

/** One call under one configuration; it is made by the model itself and by its code. */
interface Case {
  readonly options?: SessionOptions;
  readonly handler?: Handler;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** What becomes of it, both ways. */
  readonly comesTo: string;
}

const ADD = { a: 1, b: 2 };
const ASK = { permissions: { hostTools: "ask" } } as const satisfies SessionOptions;

const CASES: Readonly<Record<string, Case>> = {
  "allowed by a rule": { tool: "add", args: ADD, comesTo: "success" },
  "arguments that do not fit": { tool: "add", args: { a: "one" }, comesTo: "failure" },
  "a tool that fails": { tool: "fail", args: {}, comesTo: "failure" },
  "nobody there to be asked": { tool: "wipe", args: { what: "x" }, comesTo: "denied" },
  "a person allows it": {
    tool: "wipe",
    args: { what: "x" },
    handler: () => ({ decision: "allow" }),
    comesTo: "success",
  },
  "a person refuses it": {
    tool: "wipe",
    args: { what: "x" },
    handler: () => ({ decision: "deny", reason: "not today" }),
    comesTo: "denied",
  },
  "a person ends the turn": {
    tool: "wipe",
    args: { what: "x" },
    handler: () => ({ decision: "deny", endTurn: true }),
    comesTo: "rejected",
  },
  "a person changes the arguments": {
    tool: "wipe",
    args: { what: "x" },
    handler: ({ toolArgs }) => ({
      decision: "allow",
      ...(toolArgs.what === "x" ? { updatedInput: { what: "y" } } : {}),
    }),
    comesTo: "success",
  },
  "a handler that throws": {
    tool: "wipe",
    args: { what: "x" },
    handler: () => {
      throw new Error("broken");
    },
    comesTo: "denied",
  },
  "a rule asks, whatever else allows": {
    options: { permissions: { allow: ["add"], ask: ["add"] } },
    handler: () => ({ decision: "deny", reason: "no" }),
    tool: "add",
    args: ADD,
    comesTo: "denied",
  },
  "a mode in which nobody is asked": {
    options: { ...ASK, mode: "dont-ask" },
    tool: "wipe",
    args: { what: "x" },
    comesTo: "denied",
  },
  "a mode in which all is allowed": {
    options: { ...ASK, mode: "bypass" },
    tool: "wipe",
    args: { what: "x" },
    comesTo: "success",
  },
  "a hook denies": {
    options: {
      hooks: {
        onPreToolUse: ({ toolName }) =>
          toolName === "add" ? { permissionDecision: "deny", permissionDecisionReason: "no" } : {},
      },
    },
    tool: "add",
    args: ADD,
    comesTo: "denied",
  },
  "a hook changes the arguments": {
    options: {
      hooks: { onPreToolUse: ({ toolName }) => (toolName === "add" ? { modifiedArgs: { a: 5, b: 5 } } : {}) },
    },
    tool: "add",
    args: ADD,
    comesTo: "success",
  },
  "a hook changes the result": {
    options: {
      hooks: {
        onPostToolUse: ({ toolName }) =>
          toolName === "add" ? { modifiedResult: { textResultForLlm: "changed", resultType: "success" } } : {},
      },
    },
    tool: "add",
    args: ADD,
    comesTo: "success",
  },
  "a key that reaches for a prototype": {
    tool: "echo",
    args: { value: { constructor: { prototype: {} } } },
    comesTo: "failure",
  },
};

describe("a call from code takes every decision that a direct call takes (K3)", () => {
  for (const [name, one] of Object.entries(CASES))
    test(name, async () => {
      const direct = await decide(one, ({ session }) => session.call(one.tool, one.args));
      const args = JSON.stringify(one.args);
      const code = `await tools.describe("custom.${one.tool}");\ntry { await custom.${one.tool}(${args}) } catch {}`;
      const fromCode = await decide(one, ({ session }) => session.call("run_code", { code }));
      expect(fromCode).toEqual(direct);
      expect(direct.completed).toMatchObject({ resultType: one.comesTo });
    });
});

/** All that is decided about one call, without what names the call itself. */
async function decide({ options, handler, tool }: Case, make: (opened: CodeSession) => Promise<unknown>) {
  const told: unknown[] = [];
  const asking: Handler =
    handler &&
    ((request) => {
      const { toolArgs, reason, origin, kind, code, suggestions } = request;
      told.push({ asked: { toolArgs, reason, origin, kind, code, suggestions } });
      return handler(request);
    });
  const opened = await openCodeSession(options, asking);
  let completed: Partial<CallEvents["tool.execution_complete"]> | null = null;
  opened.session.on("permission.completed", ({ toolName, decision, code, text, origin, by }) => {
    if (toolName === tool) told.push({ decided: { decision, code, text, origin, by } });
  });
  opened.session.on("tool.execution_complete", ({ toolName, resultType, content, arguments: given, error }) => {
    if (toolName === tool) completed = { resultType, content, arguments: given, error };
  });
  await make(opened);
  await expect.poll(() => completed).not.toBeNull();
  return { told, completed, ran: opened.ran };
}
