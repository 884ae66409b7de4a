import { describe, expect, test } from "vitest";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import type { PermissionRequest } from "../../src/runtime/permissions/permission-request.ts";
import { knowing, openCodeSession, shareThread } from "../support/code-session.ts";

shareThread();

describe("code (K2, K4)", () => {
  test("is TypeScript, and only what it returns or logs comes back", async () => {
    const { run } = await openCodeSession();
    const code = `interface Sum { total: number }
      const numbers: readonly string[] = await Promise.all([1, 2, 3].map((a) => custom.add({ a, b: 1 })));
      const sum: Sum = { total: numbers.map(Number).reduce((x, y) => x + y, 0) };
      console.log("numbers", numbers);
      return sum;`;
    expect(await run(knowing(["add"], code))).toBe('numbers ["2","3","4"]\n{"total":9}');
    expect(await run("await null")).toContain("without returning or logging");
  });

  test("reads types of a call as types, also where JavaScript would read comparisons", async () => {
    const { run } = await openCodeSession();
    expect(await run("const same = (one) => one;\nreturn same<number>(3);")).toBe("3");
    expect(await run("const same = (one) => one;\nreturn same<number>\n(3);")).toBe("3");
    expect(await run("const [same, a, b] = [(one) => one, 1, 2];\nreturn [same<a, b>(3)];")).toBe("[3]");
    expect(await run("const tag = (parts) => parts[0];\nreturn tag<string>`text`;")).toBe("text");
    expect(await run("return new Set<number>([1]).size")).toBe("1");
    expect(await run("let low = 0;\nfor (let at = 0; at < 3; at++) if (at > 1) low = at;\nreturn low")).toBe("2");
  });

  test("errors name the line of the model's own code", async () => {
    const { run } = await openCodeSession();
    expect(await run("const a: number = 1;\n\nreturn nothing.of(a);")).toBe(
      "ReferenceError: nothing is not defined\n    at line 3: return nothing.of(a);",
    );
    expect(await run("const a = {};\nString(1);\n// first\nconst b = a.first.second;")).toBe(
      "TypeError: cannot read property 'second' of undefined\n    at line 4: const b = a.first.second;",
    );
    expect(await run('await tools.describe("custom.fail");\nconst b = 2;\nawait custom.fail();')).toBe(
      "ToolError: It broke.\n    at line 3: await custom.fail();",
    );
    expect(await run("const a = 1;\nconst = 5;")).toMatch(/^SyntaxError: .*\n {4}at line 2: const = 5;$/);
  });

  test("what is too long is cut for the model, and not for the code", async () => {
    const big = defineTool("big", {
      description: "Gives a lot",
      parameters: { type: "object", properties: {} },
      handler: async () => "x".repeat(200_000),
    });
    const { run } = await openCodeSession({ tools: [big], permissions: { allow: ["big"] } });
    expect(await run(knowing(["big"], "return (await custom.big()).length"))).toBe("200000");
    expect(await run(knowing(["big"], "return await custom.big()"))).toMatch(/^The result has 200000 bytes/);
  });

  test("has what tools say of their results in fields", async () => {
    const structured = defineTool("pair", {
      description: "Two things",
      parameters: { type: "object", properties: {} },
      handler: async () => ({
        textResultForLlm: "one and two",
        resultType: "success",
        structured: { one: 1, two: [2] },
      }),
    });
    const { run } = await openCodeSession({ tools: [structured], permissions: { allow: ["pair"] } });
    expect(await run(knowing(["pair"], "const { one, two } = await custom.pair(); return one + two[0]"))).toBe("3");
  });
});

describe("calls from code (K3, K6)", () => {
  test("are told with their parent and their line, and so are questions and progress", async () => {
    const asked: (PermissionRequest["codeLine"] | undefined)[] = [];
    const { session } = await openCodeSession({}, ({ codeLine }) => {
      asked.push(codeLine);
      return { decision: "allow" };
    });
    const told: unknown[] = [];
    session.on("tool.execution_start", ({ toolName, parentToolCallId, codeLine }) =>
      told.push([toolName, parentToolCallId, codeLine?.line ?? null]),
    );
    session.on("tool.execution_progress", ({ toolCallId, progressMessage }) =>
      told.push([toolCallId, progressMessage]),
    );
    const code = 'await tools.describe("custom.wipe");\n\n  await custom.wipe({ what: "x" });';
    await session.call("run_code", { code }, { id: "outer" });
    await expect
      .poll(() => told)
      .toEqual([
        ["run_code", null, null],
        ["outer", "line 1: tools.describe"],
        ["outer", "line 3: custom.wipe"],
        ["wipe", "outer", 3],
      ]);
    expect(asked).toEqual([{ line: 3, text: 'await custom.wipe({ what: "x" });' }]);
  });

  describe("show a person the line that runs", () => {
    const WIPE = 'await custom.wipe({ what: "x" });';
    /** The lines that questions show about calls of this code. */
    const linesAsked = async (code: string) => {
      const asked: unknown[] = [];
      const { run } = await openCodeSession({}, ({ codeLine }) => {
        asked.push(codeLine);
        return { decision: "deny" };
      });
      await run(knowing(["wipe"], code));
      return asked;
    };
    const named = (name: string, call: string) =>
      `const f = custom.wipe;\nconst harmless = "wipe";\nconst own = { [${JSON.stringify(name)}]: async () => {\n${call}\n} };\nawait Object.values(own)[0]();`;

    test.each([
      ["whatever the code calls its functions", "other code.ts:2"],
      ["though a name looks like a stack", "other (code.ts:2:1)\n    at again"],
    ])("%s", async (_, name) => {
      expect(await linesAsked(named(name, WIPE))).toEqual([{ line: 4, text: WIPE }]);
      const aliased = 'await f({ what: "x" });';
      expect(await linesAsked(named(name, aliased))).toEqual([{ line: 4, text: aliased }]);
    });

    test("though a function of the language has such a name", async () => {
      const rename = 'Object.defineProperty([].map, "name", { value: "x (code.ts:1:1)\\n    at y" });';
      const code = `${rename}\nconst f = custom.wipe;\nawait Promise.all([{ what: "x" }].map(f));`;
      expect(await linesAsked(code)).toEqual([{ line: 3, text: 'await Promise.all([{ what: "x" }].map(f));' }]);
    });

    test.each(["\r", "\u2028", "\u2029", "\r\n"])("with %j between its lines", async (end) => {
      expect(await linesAsked(["", "// harmless", WIPE, "// custom.wipe", "// custom.wipe"].join(end))).toEqual([
        { line: 3, text: WIPE },
      ]);
    });

    test("though the code sets how stacks are written", async () => {
      const set =
        "Error.stackTraceLimit = 0; Error.prepareStackTrace = () => 'code.ts:1:1'; Error.captureStackTrace = 1;";
      expect(await linesAsked(`${set}\n${WIPE}`)).toEqual([{ line: 2, text: WIPE }]);
    });

    test("the part of a long line that calls, with nothing in it that steers a terminal", async () => {
      const [shown] = await linesAsked(
        `\n/* 😀${"harmless ".repeat(100)}*/ /* \u001b[2K\u202e */ ${WIPE} /*${"x".repeat(500)}*/`,
      );
      expect(shown).toMatchObject({ line: 2, text: expect.stringContaining(WIPE) });
      expect(shown).toMatchObject({ text: expect.stringMatching(/^….*\\x1b\[2K\\u\{202e\}.*…$/) });
    });

    test.each([
      ["by a promise", 'await Promise.resolve({ what: "x" }).then(custom.wipe);'],
      ["by a promise, bound to its arguments", 'await Promise.resolve(1).then(custom.wipe.bind(null, { what: "x" }));'],
      ["by its name", 'await Promise.resolve(1).then(tools.call.bind(null, "custom.wipe", { what: "x" }));'],
    ])("where it was named, if no line of the code runs it: %s", async (_, code) => {
      expect(await linesAsked(`\n${code}`)).toEqual([{ line: 2, text: code }]);
      const [, called] = /\.then\((.*)\);$/.exec(code) ?? [];
      const named = `const f = ${called};`;
      expect(await linesAsked(`\n${named}\n${code.replace(String(called), "f")}`)).toEqual([{ line: 2, text: named }]);
    });

    test("and nothing is called that no line of it named", async () => {
      const hidden =
        "await Promise.resolve('wipe').then(Reflect.get.bind(null, custom)).then((f) => f({ what: 'x' }));";
      expect(await linesAsked(hidden)).toEqual([]);
      const { run } = await openCodeSession();
      expect(await run(knowing(["wipe"], hidden))).toContain("only the code itself can name a tool");
      expect(await run("return await Promise.resolve('call').then(Reflect.get.bind(null, tools))")).toContain(
        "only the code itself can name a tool",
      );
    });

    test("and progress says the name on one line", async () => {
      const { session } = await openCodeSession();
      const told: string[] = [];
      session.on("tool.execution_progress", ({ progressMessage }) => told.push(String(progressMessage)));
      await session.call("run_code", { code: 'await tools.call("x\\nline 9: custom.add", {})' }, { id: "outer" });
      expect(told).toEqual(["line 1: x\\nline 9: custom.add"]);
    });
  });

  test("run_code itself is not asked about, in no mode, and passes plan mode", async () => {
    for (const mode of ["default", "plan", "dont-ask"] as const) {
      const { run } = await openCodeSession({ mode, permissions: { hostTools: "ask" } }, () => expect.fail("asked"));
      expect(await run("return 1 + 1"), mode).toBe("2");
    }
    const { run, ran } = await openCodeSession({ mode: "plan" });
    expect(await run(knowing(["add"], "return await custom.add({ a: 1, b: 1 })"))).toContain("There is no tool");
    expect(ran).toEqual([]);
  });

  test("what the code looks up stays for later code, and never reaches the payload", async () => {
    const { session, run } = await openCodeSession();
    const before = JSON.stringify(session.payload("anthropic").tools);
    expect(await run('return (await tools.search("add")).map(({ call }) => call)')).toContain(
      "custom.add(args: { a: number; b: number }): Promise<string>",
    );
    expect(await run("return await custom.add({ a: 1, b: 1 })")).toBe("2");
    expect(JSON.stringify(session.payload("anthropic").tools)).toBe(before);
    expect(session.promotions.names).toEqual([]);
  });

  test("a tool whose definition changed has to be looked up again", async () => {
    const { session, run } = await openCodeSession();
    const code = "return await custom.add({ a: 1, b: 1 })";
    expect(await run(knowing(["add"], code))).toBe("2");
    const tool = defineTool("add", {
      description: "Another one now",
      parameters: { type: "object", properties: {} },
      handler: async () => "other",
    });
    session.setTools("host", [tool]);
    expect(await run(code)).toContain("was not looked up");
  });

  test("ending the turn ends the code, which cannot catch that", async () => {
    const { session, ran } = await openCodeSession({}, () => ({ decision: "deny", endTurn: true }));
    const code = knowing(
      ["wipe", "add"],
      'try { await custom.wipe({ what: "x" }) } catch {} await custom.add({ a: 1, b: 1 })',
    );
    expect(await session.call("run_code", { code })).toMatchObject({ resultType: "rejected", endTurn: true });
    expect(ran).toEqual([]);
  });

  test("what hooks add to a call reaches the model with what the code says", async () => {
    const onPostToolUse = ({ toolName }: { readonly toolName: string }) =>
      toolName === "add" ? { additionalContext: "Sums are rounded." } : {};
    const { run } = await openCodeSession({ hooks: { onPostToolUse } });
    expect(await run(knowing(["add"], "return await custom.add({ a: 1, b: 1 })"))).toBe("2\nSums are rounded.");
  });

  test("run beside each other as the executor lets them, and writers one after the other (B11)", async () => {
    let [now, most] = [0, 0];
    const traits = { readOnly: true, idempotent: true };
    const make = (name: string, more: object) =>
      defineTool(name, {
        description: name,
        parameters: { type: "object", properties: {} },
        ...more,
        handler: async () => {
          now += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
          return name;
        },
      });
    const tools = [make("look", { traits }), make("write", {})];
    const { run } = await openCodeSession({ tools, permissions: { allow: ["look", "write"] } });
    const calls = (name: string) =>
      knowing([name], `await Promise.all(Array.from({ length: 30 }, () => custom.${name}()))`);
    await run(calls("look"));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
    most = 0;
    await run(calls("write"));
    expect(most).toBe(1);
  });

  test("end with the code when somebody cancels it", async () => {
    const cancel = new AbortController();
    let isAborted = false;
    const slow = defineTool("slow", {
      description: "Takes its time",
      parameters: { type: "object", properties: {} },
      handler: async (_args: unknown, { signal }: { readonly signal: AbortSignal }) => {
        const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        cancel.abort();
        await aborted;
        isAborted = true;
        return "late";
      },
    });
    const { session } = await openCodeSession({ tools: [slow], permissions: { allow: ["slow"] } });
    const code = knowing(["slow"], "return await custom.slow()");
    const result = await session.call("run_code", { code }, { signal: cancel.signal });
    expect(result).toMatchObject({ resultType: "failure", cancelledBy: "user" });
    await expect.poll(() => isAborted).toBe(true);
  });
});
