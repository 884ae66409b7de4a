import { describe, expect, test } from "vitest";
import { knowing, shareCodeSession } from "../support/code-session.ts";

/** Runs share nothing, so one session does for all of them. */
const shared = shareCodeSession(({ codeLine }) => {
  asked.push(codeLine?.line);
  return { decision: "deny" };
});
const asked: unknown[] = [];

/** Code that fails on the line that says `here`. */
const FAILING: Readonly<Record<string, string>> = {
  "a missing name after a call": "String(1);\nconst a = 1;\nconst b = missing; // here\nString(2);",
  "a missing name that stands on several lines":
    "// missing\nlet missing_ = 1;\nif (false) {\n  missing;\n}\nreturn missing; // here",
  "a property of nothing": "const a = {};\nString(1);\nconst first = 1;\nconst b = a.first.second; // here",
  "the same property twice": "const a = { name: 1 };\nconst b = [\n  a.name,\n  a.none.name, // here\n];",
  "a property on a line of its own": "const a = {};\nconst b = a\n  .first\n  .second // here\n  .third;",
  "a method in a chain":
    "const list = [1];\nreturn list\n  .map((x) => x)\n  .filtr((x) => x) // here\n  .map((x) => x);",
  "a function in a chain":
    "const list = [1, null];\nreturn list\n  .filter(() => true)\n  .map((x) =>\n    x.id.of, // here\n  );",
  "a chain without semicolons": "const a = {}\nString(1)\na\n  .b\n  .c() // here",
  "the values of an object": "const a = {};\nreturn {\n  one: String(1),\n  two: a.x.y, // here\n  three: 3,\n};",
  "a short name in an object": "const one = 1;\nreturn {\n  one,\n  missing, // here\n};",
  "an argument": "const a = {};\nString(\n  1,\n  a.x.y, // here\n  String(3),\n);",
  "the first argument": "const a = {};\nString(\n  a.x.y, // here\n);",
  "a function that is none": "const a = {};\na.run( // here\n  String(1),\n  String(2),\n);",
  "what comes after arguments": "const a = { f: () => null };\na.f(\n  String(1),\n).x; // here",
  "a condition": "const a = {};\nString(1);\nif (a.x.y) { // here\n  String(2);\n}",
  "another condition": "const a = {};\nif (a.x) {\n  String(2);\n} else if (a.x.y) { // here\n  String(3);\n}",
  "a condition of a loop": "const a = {};\nString(1);\nwhile (a.x.y) String(2); // here",
  "the step of a loop": "let a = {};\nfor (\n  let i = 0;\n  i < 2;\n  a = a.x.y // here\n) {\n  String(i);\n}",
  "what a loop goes through": "const a = {};\nString(1);\nfor (const x of a.list) { // here\n  String(x);\n}",
  "what a loop takes apart": "String(1);\nconst list = [null];\nfor (const { x } of list) { // here\n  String(x);\n}",
  "what is taken apart": "String(1);\nconst a = null;\nconst { x } = a; // here\nString(2);",
  "what is taken apart by a function": "const f = ({ x }) => // here\n  x;\nString(1);\nf(null);",
  "a default": "const f = (\n  a,\n  b = a.x.y, // here\n) => b;\nreturn f({});",
  "one case of several":
    "const a = {};\nswitch (1) {\n  case String(1):\n    break;\n  case a.x.y: // here\n    break;\n}",
  "the end of a try": "const a = {};\ntry {\n  String(1);\n} finally {\n  const b = a.x.y; // here\n}",
  "setting what is not there": "const a = {};\na.b.c = { // here\n  one: String(1),\n};",
  "a new value of several lines": "throw new Error( // here\n  String(1),\n);",
  "a class that is none": "const a = {};\nString(1);\nreturn new a.Thing( // here\n  String(1),\n);",
  "a field of a class": "class A {\n  one = 1;\n  two = missing; // here\n}\nString(1);\nnew A();",
  "a method of a class":
    "class A {\n  go() {\n    const a = {};\n    return a.x.y; // here\n  }\n}\nreturn new A().go();",
  "a template": "const a = {};\nreturn `one\n${String(1)}\n${a.x.y}`; // here",
  "both sides of an operator": "const a = {};\nreturn String(1) +\n  a.x.y + // here\n  String(2);",
  "one way of two": "const a = {};\nreturn String(1) === '2'\n  ? 1\n  : a.x.y; // here",
  "after what may be missing": "const a = { b: {} };\nString(1);\nreturn a?.b.c.d; // here",
  "types between":
    "interface A {\n  x: number;\n}\ntype B = A | null;\nconst a = null as unknown as A;\nreturn a.x; // here",
  "a thrown text": 'String(1);\nthrow "no"; // here',
  "a thrown object": "const problem = { code: 7 };\nif (problem) {\n  throw problem; // here\n}",
  "a thrown object of several lines": "throw { // here\n  code: String(7),\n  next: String(8),\n};",
  "a text thrown again": 'try {\n  throw "no";\n} catch (error) {\n  throw error; // here\n}',
  "a text thrown in a function": 'const f = () => {\n  throw "no"; // here\n};\nString(1);\nawait [1].map(f);',
  "a call that fails": 'await tools.describe("custom.fail");\nawait custom.fail( // here\n  Object(\n    {},\n  ),\n);',
  "a text that nobody caught after calls":
    'await tools.describe("custom.add");\nawait custom.add({ a: 1, b: 1 });\nthrow `no ${\n  1\n}`; // here'
      .replace("; // here", ";")
      .replace("throw `", "throw /* here */ `"),
};

/** Code that asks for `wipe` on the line that says `here`. */
const ASKING: Readonly<Record<string, string>> = {
  "with a call among its arguments": "await custom.wipe({ // here\n  what: String(1),\n});",
  "with calls in calls": "await custom.wipe( // here\n  Object(\n    Object({ what: String(1) }),\n  ),\n);",
  "spread over lines": "await custom\n  .wipe( // here\n    {\n      what: 'x',\n    },\n  );",
  "as an argument": "await Promise.all([\n  String(1),\n  custom.wipe({ what: 'x' }), // here\n  String(2),\n]);",
  "by another name": "const f = custom.wipe;\nString(1);\nconst got = await f({ what: String(2) }); // here",
  "behind a property that is read":
    "const o = Object.defineProperty({}, 'x', { get: () => custom.wipe({ what: 'x' }) }); // here\nString(1);\nconst got = o.x;",
  "as what sets a property":
    "const o = Object.defineProperty({}, 'x', { set: custom.wipe });\nString(1);\nconst done = (o.x = { what: 'x' }); // here",
  "as what sets a property, with a call after it":
    "const o = Object.defineProperty({}, 'x', { set: custom.wipe });\nString(1);\nconst done = (o.x = { // here\n  what: String(1),\n});",
  "as a trap of a proxy":
    "const o = new Proxy({ what: 'x' }, { ownKeys: custom.wipe });\nString(1);\nconst keys = { ...o }; // here\nString(2);",
  "as what a text is made by":
    "const o = { what: 'x', toJSON: undefined };\nconst p = new Proxy(o, { getPrototypeOf: custom.wipe });\nString(1);\nif (p instanceof Map) { // here\n  String(2);\n}",
};

const lineOf = (code: string): number => code.split("\n").findIndex((line) => line.includes("here")) + 1;

describe("the line that is shown (K4)", () => {
  test.each(Object.entries(FAILING))("of an error in %s", async (_, code) => {
    const { run } = shared();
    expect(await run(code)).toContain(`\n    at line ${lineOf(code)}: `);
  });

  test.each(Object.entries(ASKING))("of a call %s", async (_, code) => {
    const { run } = shared();
    asked.length = 0;
    await run(knowing(["wipe"], code));
    expect(asked).toEqual([lineOf(code)]);
  });

  test("is true though the code writes stacks of its own", async () => {
    const { run } = shared();
    const forged = "throw Object.defineProperty(new Error('a'), 'stack', { value: '    at code.ts:1:1' });";
    expect(await run(`// harmless\n${forged}`)).toContain("at line 2: throw Object");
  });
});

describe("code with lines marked", () => {
  test.each([
    [
      "functions keep their names",
      "const f = () => 1;\nconst o = {\n  g: () => 1,\n  h() {},\n};\nreturn [f.name, o.g.name, o.h.name]",
      '["f","g","h"]',
    ],
    [
      "this stays what it was",
      "const o = {\n  n: 4,\n  get() { return this.n; },\n};\nreturn [\n  o\n    .get(),\n  (o.get)(),\n  o?.get(),\n  o['get'](),\n]",
      "[4,4,4,4]",
    ],
    [
      "a chain that may end ends",
      "const a = null;\nreturn [\n  a?.b\n    .c\n    .d ?? 1,\n  a\n    ?.b() ?? 2,\n]",
      "[1,2]",
    ],
    ["missing names have a type", "return [\n  typeof missing,\n  delete [].x,\n]", '["undefined",true]'],
    [
      "what is spread is spread",
      "const f = (...all) => all.length;\nreturn f(\n  1,\n  ...[\n    String(1),\n    String(2),\n  ],\n)",
      "3",
    ],
    [
      "functions get as many arguments as they are given",
      "const f = (...all) => all.length;\nreturn [f(\n  String(1),\n  String(2),\n), f(\n)]",
      "[2,0]",
    ],
    [
      "statements need no semicolons",
      "let n = 1\nconst list = [n]\nlist\n  .concat(2)\n  .forEach((x) => { n += x })\nfor (const x of list) n += x\nlabel: for (;;) { if (n) break label; else continue label }\ndo n--\nwhile (n > 4)\nreturn n",
      "4",
    ],
    [
      "an object has no other prototype",
      "const __proto__ = { x: 1 };\nconst o = {\n  __proto__,\n};\nreturn Object.keys(o)",
      '["__proto__"]',
    ],
    [
      "assignments take apart",
      "let a, b;\n[a, b] = [\n  1,\n  2,\n];\n({ a, c: b = 5 } = {\n  a,\n});\nreturn [a, b]",
      "[1,5]",
    ],
    [
      "generators and classes work",
      "class A extends Array {\n  static #n = 2;\n  static {\n    this.m = A.#n;\n  }\n  *[Symbol.iterator]() {\n    yield A\n      .m;\n  }\n}\nreturn [\n  ...new A(),\n]",
      "[2]",
    ],
    [
      "it cannot end its own function",
      "}); ((async () => {",
      "SyntaxError: Unexpected token\n    at line 1: }); ((async () => {",
    ],
  ])("%s", async (_, code, reads) => {
    const { run } = shared();
    expect(await run(code)).toBe(reads);
  });
});
