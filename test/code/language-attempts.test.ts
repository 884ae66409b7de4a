import { describe, test } from "vitest";
import { type Attempts, survive } from "../support/code-attempts.ts";
import { knowing, shareThread } from "../support/code-session.ts";

shareThread();

const ADD = "await custom.add({ a: 1, b: 1 })";

/** What the language and its engine offer to somebody who wants out. */
const ATTEMPTS: Readonly<Record<string, Attempts>> = {
  "through stacks and frames": [
    ["return [typeof Error.prepareStackTrace, typeof Error.stackTraceLimit]", /^\["undefined","undefined"\]$/],
    [
      "let got; Error.prepareStackTrace = (_, sites) => (got = sites); String(new Error().stack); const own = {}; Error.captureStackTrace(own); String(own.stack); return typeof got",
      /^undefined$/,
    ],
    [
      knowing(
        ["add"],
        `let got; Error.prepareStackTrace = (_, sites) => { got = sites[0].getFunction(); return ""; }; ${ADD}; return typeof got`,
      ),
      /^undefined$/,
    ],
    [
      knowing(
        ["add"],
        `class Own extends Error { constructor() { super(); throw this; } } globalThis.Error = Own; return ${ADD}`,
      ),
      /^2$/,
    ],
    [
      "try { custom.add({ get a() { throw new Error('x') } }) } catch (error) { return error.stack.includes('/') }",
      /without returning/,
    ],
    ["return tools.call.toString() + tools.search.constructor.toString()", /^(?!.*(?:postMessage|require\()).*$/s],
    ["//# sourceURL=toolcrib\nthrow new Error('here')", /^Error: here\n {4}at line 2:/],
    ["eval('//# sourceURL=code.ts\\n\\n\\nthrow new Error(1)')", /^Error: 1\n {4}at line 1: eval/],
  ],
  "through promises, generators and what runs late": [
    [
      "return Promise.all(Array.from({ length: 900 }, () => custom.nothing({}))).catch((error) => error.message)",
      /There is no/,
    ],
    [
      knowing(
        ["add"],
        `custom.add({ a: 1, b: 1 }).finally(async () => { await custom.wipe({ what: "x" }) }); return 1`,
      ),
      /was not looked up|^1$/,
    ],
    [
      "async function* go() { try { yield 1; } finally { await custom.secret({}); } } for await (const x of go()) break; return 'over'",
      /There is no function custom\.secret|^over$/,
    ],
    ["try { throw 1 } finally { return await tools.call('secret', {}) }", /There is no function secret/],
    [
      "const go = (function* () { while (true) { try { yield } catch {} } })(); go.next(); for (let i = 0; i < 1000; i++) go.throw(1); return go.return('done').value",
      /^done$/,
    ],
    [
      knowing(
        ["add"],
        `const p = custom.add({ a: 1, b: 1 }); p.constructor = { [Symbol.species]: Array }; return (await p.then((x) => x)) + typeof p`,
      ),
      /TypeError|^2object$/,
    ],
    [knowing(["add"], `Promise.prototype.constructor = function () { return 9 }; return ${ADD}`), /^2$/],
    [
      knowing(
        ["add"],
        `Object.defineProperty(Promise.prototype, "then", { get() { throw new Error("mine") } }); return ${ADD}`,
      ),
      /^2$|mine/,
    ],
    ["Promise.reject(new Error('nobody hears this')); return 1", /^1$/],
  ],
  "through values that are not what they seem": [
    [
      knowing(["echo"], "return await custom.echo({ value: { toJSON: () => ({ toJSON: () => 1, deep: 2 }) } })"),
      /deep/,
    ],
    [knowing(["echo"], "return await custom.echo({ value: { toJSON() { throw new Error('no') } } })"), /Error: no/],
    [
      knowing(
        ["echo"],
        "let n = 0; return await custom.echo({ get value() { return n++ === 0 ? 'first' : custom.secret({}) } })",
      ),
      /first/,
    ],
    [knowing(["echo"], "return await custom.echo(Object.create({ value: 'inherited' }))"), /value|required|missing/i],
    [knowing(["echo"], "return await custom.echo([{ value: 1 }])"), /object/i],
    [knowing(["echo"], "return await custom.echo('{\"value\":1}')"), /^1$/],
    [
      knowing(
        ["echo"],
        "String.prototype.toString = Object.prototype.toString = () => 'secret'; return await custom.echo({ value: 'x' })",
      ),
      /^"x"$/,
    ],
    [
      knowing(
        ["add"],
        `Object.defineProperty(Array.prototype, Symbol.iterator, { value: function* () { yield 9 } }); return ${ADD}`,
      ),
      /^2$/,
    ],
    [
      knowing(
        ["add"],
        `Object.defineProperty(Object.prototype, "then", { value: (give) => give("mine"), configurable: true }); return ${ADD}`,
      ),
      /^2$|mine/,
    ],
    ["return await custom['__proto__']({})", /There is no function custom\.__proto__/],
    ["return await custom.constructor.prototype", /^(?:\[function\]|The code ended without)/],
    ["return await c\\u0075stom.secr\\u0065t({})", /There is no function custom\.secret/],
    ["return await tools.call('custom.se\\u200bcret', {})", /There is no function/],
    ["with (custom) { return await secret({}) }", /There is no function custom\.secret|SyntaxError|not defined/],
    ["Object.setPrototypeOf(custom, { add: 1 }); return 1", /./],
    ["return Reflect.ownKeys(globalThis).filter((key) => /host|send|settle|waiting/i.test(String(key)))", /^\[\]$/],
    ["return { ['__proto__']: 1, constructor: { prototype: { polluted: 1 } } }", /polluted/],
    ["console.log('\\n{\"ok\":true}\\u0000'); throw { name: 'x', message: { toString() { return 'y' } } }", /./],
    ["throw Object.assign(new Error('a'), { name: { toString() { throw 1 } } })", /./],
    ["throw Object.defineProperty(new Error('a'), 'stack', { get() { throw new Error('b') } })", /Error: a/],
    [
      "throw Object.defineProperty(new Error('a'), 'stack', { value: 'x (code.ts:77:1)' })",
      /^Error: a\n {4}at line 1: throw/,
    ],
    ["throw Object.defineProperty(new Error('a'), 'stack', { value: Symbol('s') })", /Error: a/],
  ],
  "to use up what there is": [
    ["const again = async () => { await null; return again() }; again(); return 'early'", /^early$/],
    ["const all = {}; for (let i = 0; ; i++) all['key' + i] = i", /needed more than its 96 MB/],
    ["const all = new Map(); for (let i = 0; ; i++) all.set(i, 'x'.repeat(1000))", /needed more than its 96 MB/],
    ["let all = []; while (true) all = [all, all, Symbol(), () => all]", /needed more than its 96 MB/],
    ["return new Uint8Array(2 ** 31)", /memory|RangeError|length/],
    ["return new ArrayBuffer(8, { maxByteLength: 2 ** 40 }).maxByteLength", /memory|RangeError|length|^8$/],
    ["return 'x'.replace(/x/g, '$&'.repeat(5e7))", /memory|string too long/],
    ["return Array.from({ length: 2 ** 32 - 1 })", /memory|length/],
    ["return (2n ** 100_000_000n).toString().length", /memory|BigInt|too large/i],
    [
      "return new Function('return ' + '['.repeat(50_000) + ']'.repeat(50_000))()",
      /stack overflow|Maximum call|memory|SyntaxError/,
    ],
    ["return /(.*)*\\1$/.test('ab'.repeat(50) + 'c')", /computed for more than/],
    ["const o = {}; o.toString = () => `${o}`; return `${o}`", /stack overflow|Maximum/],
    ["const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x", /stack overflow|Maximum/],
    ["return [..." + "'ab'.repeat(1e7)].sort(() => 1).length", /needed more than its 96 MB/],
    ["for (;;) try { (() => { while (true) {} })() } catch {}", /computed for more than/],
  ],
};

describe("code that tries to get out", () => {
  for (const [what, attempts] of Object.entries(ATTEMPTS)) test(what, () => survive(attempts));
});
