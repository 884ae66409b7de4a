import { describe, expect, test } from "vitest";
import { type Tool, toTool } from "../../core/tool/tool.ts";
import { CONNECTED, type Source } from "../source.ts";
import { type SourceContract, sourceContract } from "./source-contract.ts";

describe("a source that keeps the contract", () => {
  for (const { name, check } of sourceContract(contractOf({}))) test(name, check);
});

describe("the contract finds", () => {
  const cases: readonly (readonly [string, Partial<Source>, string, RegExp])[] = [
    ["tools of another kind", { list: async () => BUILTINS }, "lists well-formed", /another kind/],
    ["new objects on every list", { list: async () => [makeTool()] }, "lists the same objects", /another object/],
    ["a call that rejects", { run: () => Promise.reject(new Error("no")) }, "answers a call with", /no/],
    [
      "a stack trace in a text",
      { run: async () => ({ textResultForLlm: `x\n    at f (a.js:1:2)`, resultType: "failure" }) },
      "answers when arguments",
      /stack trace/,
    ],
    [
      "a call that ignores the signal",
      { run: async () => ({ textResultForLlm: "ran", resultType: "success" }) },
      "answers at once, and runs nothing",
      /a cancelled call succeeded/,
    ],
    ["a call that never ends", { run: () => new Promise(() => {}) }, "answers at once when", /nothing within 50 ms/],
    [
      "an unknown result type",
      { run: async () => JSON.parse('{"textResultForLlm":""}') },
      "answers a call",
      /result type/,
    ],
    [
      "a failed state without a reason",
      { status: { ...CONNECTED, state: "failed" } },
      "lists well-formed",
      /must say why/,
    ],
    [
      "an untyped error after close",
      { run: () => Promise.reject(new Error("gone")) },
      "runs nothing after",
      /no ToolcribError/,
    ],
  ];
  test.each(cases)("%s", async (_, flaw, name, message) => {
    const found = sourceContract(contractOf(flaw)).find((check) => check.name.startsWith(name));
    await expect(found?.check()).rejects.toThrow(message);
  });

  test("what is left after close", async () => {
    const contract = contractOf({});
    const make = async () => ({ ...(await contract.make()), leftovers: () => ["process 5"] });
    const check = sourceContract({ ...contract, make }).find(({ name }) => name === "leaves nothing behind");
    await expect(check?.check()).rejects.toThrow(/something is left/);
  });

  test("a change that nobody is told of", async () => {
    const contract = { ...contractOf({}), changes: true };
    const make = async () => ({ ...(await contract.make()), change: () => {} });
    const check = sourceContract({ ...contract, make }).find(({ name }) => name.startsWith("tells of a change"));
    await expect(check?.check()).rejects.toThrow(/word of the change: nothing within/);
  });
});

const BUILTINS = [toTool({ name: "ok" })];

function makeTool(): Tool {
  return toTool({ name: "ok", source: "module", inputSchema: { type: "object" } });
}

/** The smallest source there is, with one flaw. */
function contractOf(flaw: Partial<Source>): SourceContract {
  return {
    calls: { works: { tool: "ok", args: {} }, hangs: { tool: "ok", args: { hang: true } } },
    patience: 50,
    make: () => {
      const tools = [makeTool()];
      let closed = false;
      const source: Source = {
        kind: "module",
        name: "least",
        status: CONNECTED,
        list: async () => tools,
        run: async (tool, args, { signal }) => {
          const fine = !closed && !signal.aborted && args.hang !== true && tools.some(({ name }) => name === tool.name);
          return { textResultForLlm: "", resultType: fine ? "success" : "failure" };
        },
        changes: () => () => {},
        close: async () => {
          closed = true;
        },
        ...flaw,
      };
      return { source };
    },
  };
}
