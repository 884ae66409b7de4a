import { describe, expect, test } from "vitest";
import { type Attempts, survive } from "../support/code-attempts.ts";
import { knowing, shareThread } from "../support/code-session.ts";

shareThread();

/** What code tries, and what the model reads of it. None of it may come to more than its own run. */
const ATTEMPTS: Readonly<Record<string, Attempts>> = {
  "to leave the sandbox": [
    ["return process.env", /process is not defined/],
    ['return require("fs").readFileSync("/etc/passwd", "utf8")', /require is not defined/],
    ['import fs from "node:fs"; return fs.readFileSync("/etc/passwd", "utf8")', /SyntaxError/],
    ['return (await import("node:fs")).readFileSync("/etc/passwd", "utf8")', /could not load module/],
    ['return await import("https://example.com/x.js")', /could not load module/],
    ['return fetch("http://127.0.0.1/")', /fetch is not defined/],
    ["return new XMLHttpRequest()", /is not defined/],
    ['return (function () { return this })().constructor.constructor("return process")()', /process is not defined/],
    [
      'return Function("return typeof process + typeof require + typeof globalThis.postMessage")()',
      /^(?:undefined){3}$/,
    ],
    ['return (0, eval)("typeof process")', /^undefined$/],
    ['return console.log.constructor("return typeof process")()', /^undefined$/],
    ['return custom.add.constructor("return typeof process")()', /ToolError|undefined/],
    [
      "return [typeof std, typeof os, typeof bjson, typeof scriptArgs, typeof print]",
      /^\["undefined"(?:,"undefined"){4}\]$/,
    ],
    [
      "return [typeof Worker, typeof SharedArrayBuffer, typeof Atomics, typeof WebAssembly]",
      /^\["undefined"(?:,"undefined"){3}\]$/,
    ],
    ["return [typeof setTimeout, typeof setInterval, typeof queueMicrotask]", /undefined/],
    ['return tools.search.caller ?? tools.search.arguments ?? "nothing"', /nothing|TypeError/],
    [
      "Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFunction()); return new Error().stack",
      /TypeError|read-only|at /,
    ],
    ["})(); globalThis.left = 1; (async () => { return typeof process", /SyntaxError|undefined/],
    ["return [Date.now() === new Date().getTime(), typeof performance]", /^\[true,"undefined"\]$/],
    ["const first = Date.now(); for (let i = 0; i < 1e5; i++); return Date.now() - first", /^0$/],
  ],
  "to hang": [
    ["while (true) {}", /computed for more than 0\.3 s/],
    ["for (;;) await null", /computed for more than 0\.3 s/],
    ["const again = () => Promise.resolve().then(again); await again()", /computed for more than 0\.3 s/],
    ["try { while (true) {} } finally { while (true) {} }", /computed for more than 0\.3 s/],
    ["await new Promise(() => {})", /nothing will ever settle/],
    ["return /^(a+)+$/.test('a'.repeat(40) + 'b')", /computed for more than 0\.3 s/],
    ["return 'ab'.repeat(2e7).split('').length", /needed more than its 96 MB/],
    ["return JSON.stringify({ toJSON() { while (true) {} } })", /computed for more than 0\.3 s/],
    ["const loop = { get then() { while (true) {} } }; return await loop", /computed for more than 0\.3 s/],
  ],
  "to fill memory": [
    ["const all = []; while (true) all.push(new Uint8Array(1e6))", /needed more than its 96 MB/],
    ["let text = 'x'; while (true) text += text", /memory|string too long/],
    ["return new Array(1e9).fill(0)", /memory|RangeError/],
    ["const deep = () => deep() + 1; return deep()", /stack overflow|Maximum call/],
    [
      "return '['.repeat(1e5) + ']'.repeat(1e5) && JSON.parse('['.repeat(1e5))",
      /stack overflow|Maximum call|SyntaxError|nested/,
    ],
    ["return 'x'.repeat(5e6)", /The result has|left out/],
    ["for (let i = 0; i < 1e5; i++) console.log('x'.repeat(1000))", /The result has|left out/],
    ["return await custom.echo({ value: 'x'.repeat(2e7) })", /may send arguments/],
    [
      knowing(["add"], "await Promise.all(Array.from({ length: 1500 }, () => custom.add({ a: 1, b: 1 })))"),
      /may make 1000 calls/,
    ],
  ],
  "to reach tools that it may not": [
    ["return await custom.secret({})", /There is no function custom\.secret/],
    ['return await tools.describe("custom.secret")', /There is no tool/],
    ['return await tools.call("secret", {})', /There is no function secret/],
    ['return JSON.stringify(await tools.search("secret"))', /^(?!.*secret\().*$/],
    ["return await custom.add({ a: 1, b: 2 })", /was not looked up, so nothing was run/],
    ['return await tools.call("add", { a: 1, b: 2 })', /was not looked up, so nothing was run/],
    [knowing(["forbidden"], "return 1"), /There is no tool/],
    [knowing(["wipe"], 'return await custom.wipe({ what: "all" })'), /Permission denied/],
    [
      knowing(
        ["wipe"],
        'try { await custom.wipe({ what: "all" }) } catch (error) { return "caught " + error.message }',
      ),
      /caught Permission denied/,
    ],
    ['return await tools.call("run_code", { code: "return 1" })', /cannot be called from code/],
    ['return await builtin.run_code({ code: "return 1" })', /builtin is not defined|There is no function/],
  ],
  "to forge results and pollute prototypes": [
    [knowing(["add"], 'JSON.parse = () => "9"; return await custom.add({ a: 1, b: 1 })'), /^2$/],
    [knowing(["add"], "Promise.prototype.then = (give) => give('9'); return await custom.add({ a: 1, b: 1 })"), /^2$/],
    [
      knowing(
        ["add"],
        "globalThis.Promise = class { static resolve() { return 9 } }; return await custom.add({ a: 1, b: 1 })",
      ),
      /^2$/,
    ],
    [
      knowing(
        ["add"],
        "Object.prototype.ok = true; Array.prototype.push = () => 9; return await custom.add({ a: 1, b: 1 })",
      ),
      /^2$/,
    ],
    [
      knowing(
        ["add"],
        "Object.defineProperty(Object.prototype, '1', { set() {}, get: () => 9 }); return await custom.add({ a: 1, b: 1 })",
      ),
      /^2$/,
    ],
    ["tools.search = async () => 'mine'; return typeof tools.search", /TypeError|read-only|function/],
    [knowing(["echo"], 'return await custom.echo({ value: 1, ["__proto__"]: { polluted: 1 } })'), /__proto__|^1$/],
    [
      knowing(["echo"], 'return await custom.echo(JSON.parse(\'{"value":1,"__proto__":{"polluted":1}}\'))'),
      /a key is called "__proto__"/,
    ],
    [
      knowing(["echo"], "return await custom.echo({ value: { constructor: { prototype: { polluted: 1 } } } })"),
      /reaches for a prototype/,
    ],
    ["globalThis.kept = 1; Object.prototype.kept = 1; return 1", /^1$/],
    ["return [typeof kept, ({}).kept]", /^\["undefined",null\]$/],
  ],
  "what languages have for surprises": [
    [
      knowing(
        ["echo"],
        "return await custom.echo(new Proxy({}, { ownKeys: () => ['value'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, key) => (key === 'value' ? 7 : undefined) }))",
      ),
      /^7$/,
    ],
    [
      "return await tools.call({ [Symbol.toPrimitive]: () => 'custom.secret' }, {})",
      /There is no function custom\.secret/,
    ],
    [
      "class Own extends Promise { static get [Symbol.species]() { return Array; } } return typeof (await Own.resolve(1))",
      /number|TypeError/,
    ],
    ["Error.prepareStackTrace = (_, sites) => sites; return typeof new Error('x').stack", /TypeError|string/],
    [
      "Object.defineProperty(Error, 'prepareStackTrace', { value: (_, sites) => sites }); return typeof new Error('x').stack",
      /^string$/,
    ],
    ["return 'x'.padEnd(2 ** 30).length", /RangeError|memory/],
    ["return new RegExp('('.repeat(1e5)).source", /SyntaxError/],
    ["return { then(give) { give({ then(other) { other('deep') } }) } }", /^deep$/],
    ["const own = {}; own.own = own; return own", /cannot hold/],
    ["return { get broken() { throw new Error('no') } }", /cannot hold/],
    ["throw new Proxy({}, { get() { throw 1 } })", /./],
    ["}); globalThis.x = 1; ((async () => { return typeof send", /SyntaxError/],
    ["return import.meta.url", /SyntaxError/],
    ["return (async () => {}).constructor('return typeof require + typeof process')()", /^undefinedundefined$/],
    ["return [...(function* () {}).constructor('yield typeof require')()]", /^\["undefined"\]$/],
    ['console.log(\'{"type":"end"}\'); return \'{"type":"waits","calls":[]}\'', /^\{"type":"end"\}\n\{"type":"waits"/],
    [knowing(["add"], "custom.add({ a: 1, b: 1 }).then(() => console.log('late')); return 'early'"), /^late\nearly$/],
    ["custom = { wipe: () => 'mine' }; return await custom.wipe()", /^mine$/],
  ],
};

describe("code that tries", () => {
  for (const [what, attempts] of Object.entries(ATTEMPTS)) test(what, () => survive(attempts));

  test("more than fifty of them", () => {
    expect(Object.values(ATTEMPTS).flat().length).toBeGreaterThanOrEqual(50);
  });
});
