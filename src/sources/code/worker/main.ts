import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { brotliDecompressSync } from "node:zlib";
import type { CodeCall, FromWorker, ToWorker } from "../messages.ts";
import { createEngine } from "./engine.ts";
import { type CodeSandbox, startSandbox } from "./sandbox.ts";

/** The thread in which code runs, one run at a time. Bundled with all it needs into `dist/code`. */
const port = parentPort;
if (port === null) throw new Error("this file runs as a worker");
const post = (message: FromWorker): void => port.postMessage(message);

const packed = readFileSync(new URL("./quickjs.wasm.br", import.meta.url));
const wasmModule = await toModule(brotliDecompressSync(packed));
let engine = createEngine(wasmModule);
let sandbox: CodeSandbox | null = null;
let read = 0;
/** Made since the code last waited: they leave together. */
const calls: CodeCall[] = [];

port.on("message", async (message: ToWorker) => {
  read += 1;
  if (message.type === "answer") sandbox?.answer(message.answer);
  else sandbox = startSandbox((await engine).quickjs, message.run, (call) => calls.push(call));
  if (sandbox === null) return;
  const { end } = sandbox;
  if (end === null) return post({ type: "waits", calls: calls.splice(0), read });
  calls.length = 0;
  sandbox = null;
  read = 0;
  post({ type: "end", end });
  if (!(await engine).renew()) engine = createEngine(wasmModule);
});

await engine;
post({ type: "ready" });

/** Compiled once for all runs. */
function toModule(bytes: Uint8Array): Promise<object> {
  const { compile }: { compile(bytes: Uint8Array): Promise<object> } = Reflect.get(globalThis, "WebAssembly");
  return compile(bytes);
}
