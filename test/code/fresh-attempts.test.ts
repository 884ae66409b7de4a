import { describe, expect, test } from "vitest";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import { type Attempts, survive } from "../support/code-attempts.ts";
import { knowing, openCodeSession, shareThread } from "../support/code-session.ts";

shareThread();

const ADD = "await custom.add({ a: 1, b: 1 })";

/** More ways to get out, to lie and to use things up. */
const ATTEMPTS: Readonly<Record<string, Attempts>> = {
  "through what errors are made of": [
    [
      "let Own; try { await custom.secret({}) } catch (error) { Own = error.constructor } Object.setPrototypeOf(Own, class { constructor() { throw new Error('mine') } }); return 1",
      /TypeError|not extensible/,
    ],
    [
      "let Own; try { await custom.secret({}) } catch (error) { Own = error.constructor } return new Own('x') instanceof Error",
      /^true$/,
    ],
    [
      knowing(
        ["add"],
        `WeakMap.prototype.get = () => [1, 1]; WeakMap.prototype.set = () => {}; globalThis.WeakMap = null; return ${ADD}`,
      ),
      /^2$/,
    ],
    ["Error.prototype.toString = () => { throw 1 }; throw new Error('plain')", /^Error: plain/],
    ["Object.defineProperty(Error.prototype, 'name', { get() { throw 1 } }); throw new Error('x')", /./],
    ["Object.defineProperty(Error, Symbol.hasInstance, { value: () => true }); throw 'text'", /text|undefined/],
    ["throw Object.create(Error.prototype)", /^Error: \n {4}at line 1/],
    ["throw null", /^null/],
    ["throw undefined", /undefined/],
    ["throw Symbol('s')", /Symbol\(s\)/],
    ["throw () => 1", /function/],
    ["throw new AggregateError([new Error('a')], 'many')", /^AggregateError: many/],
    ["const error = new Error('x'); error.cause = error; throw error", /^Error: x/],
  ],
  "through names that the code's own lines need": [
    ["thrown = 1; throw 'x'", /x|thrown is not/],
    ["const thrown = () => { throw 'mine' }; throw 'text'", /^text/],
    ["return typeof thrown", /^undefined$/],
    ["function f() { throw 1 } return f.toString().includes('postMessage')", /^false$/],
    ["return arguments.length", /arguments is not defined|^0$/],
    ["0\n++\n[].x\nreturn 1", /./],
    ["const a = 1\n;[1].map(String)\nreturn a", /^1$/],
    ["return `${`${1}\n${`${2}`}`}`", /^1\n2$/],
    ["return (0, tools.call)('secret', {})", /There is no function secret/],
    ["<!-- comment\nreturn 1", /^1$|SyntaxError/],
    ["return 1\n--> comment", /^1$|SyntaxError/],
    ["return /[/]\\n(/.source", /SyntaxError|./],
    ["x: { break x; } return eval('1') + (0, eval)('1')", /^2$/],
    ["return new.target", /SyntaxError|undefined|without/],
    ["await using x = null; return 1", /SyntaxError|^1$/],
  ],
  "through promises and iterators": [
    [
      "for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }) ; return 1",
      /nothing will ever settle/,
    ],
    [
      "for await (const x of { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false }) }) }) ; return 1",
      /computed for more than/,
    ],
    ["await Promise.race([])", /nothing will ever settle/],
    ["await { then() {} }", /nothing will ever settle/],
    ["return { then(give) { give(this) } }", /TypeError|settle|itself|computed/],
    [
      knowing(
        ["add"],
        `const all = []; for (let i = 0; i < 50; i++) all.push(custom.add({ a: i, b: 0 })); all.length = 0; return 'gone'`,
      ),
      /^gone$/,
    ],
    [
      knowing(["add"], `${ADD}.then; return await Promise.any([custom.add({ a: 1, b: 1 }), new Promise(() => {})])`),
      /^2$/,
    ],
    ["const p = custom.secret({}); p.catch = null; p.then = null; return 'over'", /^over$/],
    [
      "return await Promise.allSettled([custom.secret({}), tools.describe('custom.forbidden')]).then((all) => all.map(({ status }) => status))",
      /^\["rejected","rejected"\]$/,
    ],
    [
      "const { promise, resolve } = Promise.withResolvers(); resolve(promise); return await promise",
      /TypeError|itself|settle/,
    ],
  ],
  "through what calls are given": [
    ["return await tools.call('custom.' + 'x'.repeat(1e6), {})", /There is no function/],
    ["return await tools.call('x'.repeat(1e7), {})", /There is no function|may send/],
    ["return await tools.search('x'.repeat(1e6))", /./],
    ["return await tools.search({ toString: () => 'secret' })", /takes the words/],
    ["return (await tools.search('add', { limit: 1e9, server: '__proto__' })).length", /^0$/],
    ["return (await tools.search('add', { limit: -1 })).length <= 50", /true/],
    ["return (await tools.search('add', { limit: NaN, server: {} })).length > 0", /true/],
    ["return await tools.describe({ name: 'custom.secret' })", /There is no tool/],
    ["return await tools.describe('__proto__')", /There is no tool/],
    ["return await tools.describe('custom.constructor')", /There is no tool/],
    ["return await tools.describe('tools.search')", /There is no tool/],
    ["return await tools.call('tools.search', { query: 'secret' })", /^(?!.*secret\().*$/],
    ["return await tools.call('constructor', {})", /There is no function/],
    ["return await tools.call('custom.add.constructor', {})", /There is no function/],
    ["return await custom.add.call.call(custom.secret, null, {})", /There is no function custom\.secret/],
    ["return await Reflect.construct(custom.secret, [{}])", /TypeError|not a constructor/],
    ["return await custom[Symbol.iterator]?.()", /without returning/],
    [knowing(["add"], "return await custom.add(Symbol('x'))"), /JSON can hold/],
    [knowing(["add"], "return await custom.add(() => 1)"), /JSON can hold/],
    [knowing(["add"], "return await custom.add(1n)"), /TypeError|BigInt/],
    [knowing(["add"], "const a = { b: 1 }; a.a = a; return await custom.add(a)"), /TypeError|circular/],
    [knowing(["echo"], "return (await custom.echo({ value: '\\ud800\\u0000' })).length > 0"), /true/],
    [
      knowing(
        ["echo"],
        "let v = 1; for (let i = 0; i < 5000; i++) v = [v]; return (await custom.echo({ value: v })).length > 0",
      ),
      /./,
    ],
    [knowing(["echo"], "BigInt.prototype.toJSON = () => 7; return await custom.echo({ value: 1n })"), /^7$/],
    [
      knowing(
        ["echo"],
        "Array.prototype.toJSON = () => 'mine'; Object.prototype.toJSON = () => ({ value: 'own' }); return await custom.echo({ value: [1] })",
      ),
      /own|mine/,
    ],
  ],
  "to leave something for the next run": [
    [
      "globalThis.left = 'left'; Array.prototype.left = 1; Object.prototype.left = 1; JSON.parse = () => 'forged'; Promise.prototype.then = null; return 1",
      /^1$/,
    ],
    [
      knowing(["echo"], "return [typeof left, [].left, ({}).left, JSON.parse('1'), await custom.echo({ value: 2 })]"),
      /^\["undefined",null,null,1,"2"\]$/,
    ],
    [
      "const nested = { toJSON: () => tools.call('custom.add', nested) }; tools.call('custom.add', nested); return 1",
      /./,
    ],
    ["return 6 * 7", /^42$/],
    ["return Array.from({ length: 30 }, () => new Uint8Array(1e6).fill(7)).length", /^30$/],
    ["return new Uint8Array(1e6).indexOf(7)", /^-1$/],
    ["return ('('.repeat(1e5) + ')'.repeat(1e5)).length + eval('('.repeat(2e4) + '1' + ')'.repeat(2e4))", /Error/],
    ["return 6 * 7", /^42$/],
    [
      "const same = (one) => one;\nconst [a, b] = [1, 2];\nreturn same<a, b>(nothing\n.of(a));",
      /at line 3: return same<a, b>\(nothing$/,
    ],
    [`/*${"<>".repeat(1e5)}${" ".repeat(1e5)}*/ return 1`, /^1$/],
  ],
  "to use up what there is": [
    ["const go = () => { try { go() } catch { go() } }; go(); return 1", /computed for more than|^1$/],
    ["const all = []; for (;;) all.push(tools.describe('x'))", /computed for more than 0\.3 s/],
    [
      "const all = []; for (;;) { try { all.push(await tools.describe('x')) } catch (error) { if (/may make/.test(error.message)) return 'over' } }",
      /^over$/,
    ],
    ["class A { static #x = A.go(); static go() { return new A().go ?? A.go() } } return 1", /stack overflow|Maximum/],
    ["return structuredClone", /not defined/],
    ["return 'a'.localeCompare('b'.repeat(1e7)) + 'x'.normalize('NFKD').length", /./],
    ["const m = new Map(); for (let i = 0; i < 1e9; i++) m.set({}, m)", /computed for more than 0\.3 s/],
    [
      "let f = 'return 1'; for (let i = 0; i < 30; i++) f += f; return new Function(f)()",
      /memory|string too long|SyntaxError|computed|stack/,
    ],
    [
      "return JSON.parse('{\"a\":'.repeat(50000) + '1' + '}'.repeat(50000))",
      /stack overflow|Maximum|nested|SyntaxError/,
    ],
    ["console.log(...Array(60000).fill('x'.repeat(100)))", /left out|The result has|memory/],
    ["return new Array(2 ** 32 - 1).join('x')", /memory|string too long|computed/],
  ],
};

describe("code that tries something new", () => {
  for (const [what, attempts] of Object.entries(ATTEMPTS)) test(what, () => survive(attempts));
});

describe("results that surprise", () => {
  const give = (name: string, structured: unknown) =>
    defineTool(name, {
      description: name,
      parameters: { type: "object", properties: {} },
      handler: async () => ({ textResultForLlm: "text", resultType: "success", structured }),
    });

  test("stay data", async () => {
    const results: Readonly<Record<string, unknown>> = {
      proto: JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
      own: { toJSON: () => undefined },
      throws: {
        toJSON() {
          throw new Error("no JSON");
        },
      },
      later: JSON.parse('{"then":1,"catch":2}'),
      big: 10n,
      huge: { text: "x".repeat(25 * 2 ** 20) },
    };
    const names = Object.keys(results);
    const tools = Object.entries(results).map(([name, structured]) => give(name, structured));
    const { run } = await openCodeSession({ tools, permissions: { allow: names } });
    const code = `const all = {};
      for (const name of ${JSON.stringify(names)}) {
        try { const got = await custom[name](); all[name] = [typeof got, ({}).polluted ?? null] } catch (error) { all[name] = error.message.slice(0, 23) }
      }
      return all`;
    const read = JSON.parse(await run(knowing(names, code)));
    expect(read).toMatchObject({ proto: ["object", null], later: ["object", null], huge: "The result has 26214411" });
    expect(Object.keys(read)).toEqual(names);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});
