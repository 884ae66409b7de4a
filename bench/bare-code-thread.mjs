// The least that a call from code could cost: a message into a thread, a function called in QuickJS, a message back.
import { parentPort } from "node:worker_threads";
import release from "@jitl/quickjs-ng-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant } from "quickjs-emscripten-core";

/** @typedef {import("quickjs-emscripten-core").QuickJSSyncVariant} Variant */
// The package's types are those of its other form.
const variant = /** @type {Variant} */ (/** @type {unknown} */ (release));
const quickjs = await newQuickJSWASMModuleFromVariant(variant);
const context = quickjs.newContext();
const answer = context.unwrapResult(context.evalCode("(text) => JSON.stringify({ given: JSON.parse(text) })"));

parentPort?.on("message", (text) => {
  const given = context.newString(text);
  const said = context.unwrapResult(context.callFunction(answer, context.undefined, given));
  parentPort?.postMessage(context.getString(said));
  said.dispose();
  given.dispose();
});
parentPort?.postMessage("ready");
