import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { brotliDecompressSync } from "node:zlib";
import release from "@jitl/quickjs-ng-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import type { CodeCall, FromWorker, ToWorker } from "../messages.ts";
import { type CodeSandbox, startSandbox } from "./sandbox.ts";

/** The thread in which code runs, one run at a time. Bundled with all it needs into `dist/code`. */
const port = parentPort;
if (port === null) throw new Error("this file runs as a worker");
const post = (message: FromWorker): void => port.postMessage(message);

const packed = readFileSync(new URL("./quickjs.wasm.br", import.meta.url));
const wasmModule = await toModule(brotliDecompressSync(packed));
// The package's types are those of its other form.
const variant = newVariant(release as unknown as QuickJSSyncVariant, { wasmModule });
/** A fresh one for every run: nothing of an earlier run is in its memory. */
const prepare = (): Promise<QuickJSWASMModule> => newQuickJSWASMModuleFromVariant(variant);

let next = prepare();
let sandbox: CodeSandbox | null = null;
let read = 0;
/** Made since the code last waited: they leave together. */
const calls: CodeCall[] = [];

port.on("message", async (message: ToWorker) => {
  read += 1;
  if (message.type === "answer") sandbox?.answer(message.answer);
  else sandbox = startSandbox(await next, message.run, (call) => calls.push(call));
  if (sandbox === null) return;
  const { end } = sandbox;
  if (end === null) return post({ type: "waits", calls: calls.splice(0), read });
  calls.length = 0;
  sandbox = null;
  read = 0;
  post({ type: "end", end });
  next = prepare();
});

await next;
post({ type: "ready" });

/** Compiled once for all runs. */
function toModule(bytes: Uint8Array): Promise<object> {
  const { compile }: { compile(bytes: Uint8Array): Promise<object> } = Reflect.get(globalThis, "WebAssembly");
  return compile(bytes);
}
