import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromThrown, RESULT_TYPES, toToolResult } from "./tool-result.ts";

describe("seed 002, tool-result-types (X8)", () => {
  test("a string is the text", () => {
    expect(toToolResult("done")).toEqual({ textResultForLlm: "done", resultType: "success" });
    expect(toToolResult("")).toEqual({ textResultForLlm: "", resultType: "success" });
  });

  test("an object becomes JSON", () => {
    expect(toToolResult({ results: ["item1"] })).toEqual({
      textResultForLlm: '{"results":["item1"]}',
      resultType: "success",
    });
    expect(toToolResult([1, 2])).toEqual({ textResultForLlm: "[1,2]", resultType: "success" });
  });

  test.each([null, undefined])("%s is a failure", (value) => {
    expect(toToolResult(value)).toEqual({ textResultForLlm: "Tool returned no result", resultType: "failure" });
  });

  test("numbers and booleans, which untyped handlers return, become JSON too", () => {
    expect(toToolResult(5).textResultForLlm).toBe("5");
    expect(toToolResult(false)).toEqual({ textResultForLlm: "false", resultType: "success" });
  });

  test("a thrown error is a failure with a generic text", () => {
    expect(fromThrown(new Error("boom"))).toMatchObject({ resultType: "failure", error: "boom" });
  });
});

describe("seed 002, tool-result-object", () => {
  test("a whole result passes through", () => {
    const result = {
      textResultForLlm: "[]",
      resultType: "rejected",
      binaryResultsForLlm: [{ data: "aGk=", mimeType: "image/png", type: "image", description: "a picture" }],
      structured: { results: [] },
      error: "logged only",
      sessionLog: "Searched for: x, found 0 results",
      toolTelemetry: { queryLength: 1 },
      cancelledBy: "user",
    };
    expect(toToolResult(result)).toEqual(result);
  });

  test.each(RESULT_TYPES)("the result type %s is kept (X9)", (resultType) => {
    expect(toToolResult({ textResultForLlm: "t", resultType })).toEqual({ textResultForLlm: "t", resultType });
  });

  test("without a result type it is a success", () => {
    expect(toToolResult({ textResultForLlm: "t" })).toEqual({ textResultForLlm: "t", resultType: "success" });
  });

  test("an unknown result type is a failure, and what is for people stays with people (X9)", () => {
    expect(toToolResult({ textResultForLlm: "t", resultType: "sucess" })).toEqual({
      textResultForLlm: "t",
      resultType: "failure",
      error: "unknown resultType sucess",
    });
    const odd = toToolResult({ textResultForLlm: "t", resultType: 7, error: "10.0.0.5:5432", more: 1 });
    expect(odd).toEqual({ textResultForLlm: "t", resultType: "failure", error: "10.0.0.5:5432" });
  });

  test("fields of the wrong type are left out", () => {
    const binaryResultsForLlm = ["x", { data: 1, mimeType: "m", type: "t" }, { data: "d", mimeType: "m", type: "t" }];
    const wrong = { sessionLog: 1, toolTelemetry: [], cancelledBy: "me", binaryResultsForLlm };
    expect(toToolResult({ textResultForLlm: "t", resultType: "success", ...wrong })).toEqual({
      textResultForLlm: "t",
      resultType: "success",
      binaryResultsForLlm: [{ data: "d", mimeType: "m", type: "t" }],
    });
    expect(toToolResult({ textResultForLlm: "t", error: new Error("why") }).error).toBe("why");
  });

  test("pictures need no text beside them, and are never written out as JSON", () => {
    const binaryResultsForLlm = [{ data: "aGk=", mimeType: "image/png", type: "image" }];
    expect(toToolResult({ binaryResultsForLlm })).toEqual({
      textResultForLlm: "",
      resultType: "success",
      binaryResultsForLlm,
    });
    expect(toToolResult({ binaryResultsForLlm: [] }).textResultForLlm).toBe('{"binaryResultsForLlm":[]}');
  });

  test("an object whose text is no text is ordinary data", () => {
    expect(toToolResult({ textResultForLlm: 5 }).textResultForLlm).toBe('{"textResultForLlm":5}');
  });
});

describe("seed 002, tool-error-security", () => {
  test("the model never sees the message, the log does", () => {
    const result = fromThrown(new Error("DB connection failed at 10.0.0.5:5432"));
    expect(result.textResultForLlm).toMatch(/^Invoking this tool produced an error/);
    expect(result.textResultForLlm).not.toContain("10.0.0.5");
    expect(result.error).toBe("DB connection failed at 10.0.0.5:5432");
  });

  test.each([
    ["text", "text"],
    [new TypeError(""), "TypeError"],
    [{ code: 5 }, '{"code":5}'],
    [undefined, "undefined"],
    [null, "null"],
    [Symbol("s"), "Symbol(s)"],
    [
      {
        toJSON() {
          throw new Error("again");
        },
      },
      "an error that cannot be read",
    ],
  ])("%o can be thrown too", (thrown, message) => {
    expect(fromThrown(thrown).error).toBe(message);
  });
});

describe("whatever a handler returns", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  test.each([
    ["a value that contains itself", circular],
    ["a bigint", 5n],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["JSON that throws", { toJSON: () => JSON.parse("{") }],
    ["JSON that is nothing", { toJSON: () => undefined }],
    ["a map, of which JSON keeps nothing", new Map([["a", 1]])],
    ["an answer of the web that nobody read", new Response("text")],
    ["a generator that nobody ran", (function* () {})()],
    ["bytes", Buffer.from("text")],
    ["a buffer", new ArrayBuffer(4)],
    ["fields that throw", Object.defineProperty({}, "textResultForLlm", { get: () => JSON.parse("{") })],
  ])("%s is a failure with a reason for people", (_, value) => {
    expect(toToolResult(value)).toMatchObject({
      textResultForLlm: "Tool returned a result that cannot be read",
      resultType: "failure",
      error: expect.any(String),
    });
  });

  test("an error that is returned is no success, and its fields stay with people", () => {
    const error = Object.assign(new Error("no such file 10.0.0.5"), { code: "ENOENT", path: "/secret" });
    expect(toToolResult(error)).toEqual(fromThrown(error));
  });

  test("an object without fields is JSON, also one without a class", () => {
    for (const value of [{}, Object.create(null)])
      expect(toToolResult(value)).toMatchObject({ textResultForLlm: "{}" });
  });

  test("it becomes a result of a known type with a text, and never throws", () => {
    const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true });
    const claims = fc.record({
      textResultForLlm: anything,
      resultType: anything,
      error: anything,
      sessionLog: anything,
    });
    fc.assert(
      fc.property(fc.oneof(anything, claims), (value) => {
        const { textResultForLlm, resultType, error } = toToolResult(value);
        expect(typeof textResultForLlm).toBe("string");
        expect(RESULT_TYPES).toContain(resultType);
        expect(["string", "undefined"]).toContain(typeof error);
        expect(typeof fromThrown(value).error).toBe("string");
      }),
    );
  });
});
