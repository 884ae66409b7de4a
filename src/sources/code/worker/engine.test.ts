import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { type CodeEngine, createEngine } from "./engine.ts";

let compiled: Promise<object> | null = null;
const open = async (): Promise<CodeEngine> => {
  compiled ??= load();
  return createEngine(await compiled);
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
  expect(evaluate(engine, "new ArrayBuffer(20 * 2 ** 20).byteLength")).toBe(20 * 2 ** 20);
  expect(engine.renew()).toBe(false);
});
