import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { type CodeEngine, createCodeEngine } from "./engine.ts";

const MEGABYTE = 2 ** 20;

let compiled: Promise<object> | null = null;
const open = async (mayGrow = (_bytes: number): boolean => true): Promise<CodeEngine> => {
  compiled ??= load();
  return createCodeEngine(await compiled, mayGrow);
};

const load = (): Promise<object> => {
  const path = createRequire(import.meta.url).resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm");
  const { compile }: { compile(bytes: Uint8Array): Promise<object> } = Reflect.get(globalThis, "WebAssembly");
  return compile(readFileSync(path));
};

const memoryOf = ({ quickjs }: CodeEngine): Buffer =>
  Buffer.from((quickjs.getWasmMemory() as unknown as { readonly buffer: ArrayBuffer }).buffer);

const evaluate = ({ quickjs }: CodeEngine, code: string): unknown => {
  const context = quickjs.newContext();
  return context.dump(context.unwrapResult(context.evalCode(code)));
};

test("an engine that is used again holds what a fresh one holds, byte for byte", async () => {
  const [used, fresh] = [await open(), await open()];
  const secret = `globalThis.secret = Array.from({ length: 20_000 }, (_, at) => "secret-" + at); secret.length`;
  expect(evaluate(used, secret)).toBe(20_000);
  expect(memoryOf(used).includes("secret-19999")).toBe(true);
  expect(used.renew()).toBe(true);
  expect(memoryOf(used).equals(memoryOf(fresh))).toBe(true);
  expect(evaluate(used, "typeof secret")).toBe("undefined");
});

test("an engine whose memory has grown is not used again", async () => {
  const engine = await open();
  expect(engine.hasGrown).toBe(false);
  expect(evaluate(engine, "new ArrayBuffer(20 * 2 ** 20).byteLength")).toBe(20 * MEGABYTE);
  expect(engine.hasGrown).toBe(true);
  expect(engine.renew()).toBe(false);
});

test("an engine has what it is granted, and never more than its limit", async () => {
  const asked: number[] = [];
  const granted = await open((bytes) => asked.push(bytes) > 0);
  const fill = `const all = []; try { for (;;) all.push(new ArrayBuffer(${MEGABYTE})) } catch { all.length }`;
  expect(evaluate(granted, fill)).toBeGreaterThan(80);
  expect(granted).toMatchObject({
    refused: "own",
    bytes: 16 * MEGABYTE + asked.reduce((sum, bytes) => sum + bytes, 0),
  });
  expect(granted.bytes).toBeLessThanOrEqual(96 * MEGABYTE);
  const refused = await open(() => false);
  expect(evaluate(refused, fill)).toBeLessThan(16);
  expect(refused).toMatchObject({ refused: "shared", bytes: 16 * MEGABYTE, hasGrown: false });
});

test("what finds no place in an engine is not written over what the engine is made of", async () => {
  const engine = await open(() => false);
  const context = engine.quickjs.newContext();
  expect(() => context.newString("x".repeat(20 * MEGABYTE))).toThrow("no more memory");
  expect(context.dump(context.unwrapResult(context.evalCode("1 + 1")))).toBe(2);
});
