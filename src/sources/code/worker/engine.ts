import release from "@jitl/quickjs-ng-wasmfile-release-sync";
import { newVariant, type QuickJSSyncVariant, QuickJSWASMModule } from "quickjs-emscripten-core";

/** Where code runs: what is in there is as if nothing had ever run. */
export interface CodeEngine {
  readonly quickjs: QuickJSWASMModule;
  /** Makes it as it was before any code ran. False where that is not sure, so that a fresh one is needed. */
  renew(): boolean;
}

/** Clears memory in pieces of this many bytes, those alone that hold something. */
const PIECE = 65_536;

interface Memory {
  readonly buffer: ArrayBuffer;
}

interface Instance {
  readonly exports: Readonly<Record<string, unknown>>;
}

/**
 * An engine can be used again because all that it has is its memory and the place of its stack: its module has no other
 * global that changes, and gives no table away. A fresh one for every run would have V8 compile the way into it again and again.
 */
export async function createEngine(wasmModule: object): Promise<CodeEngine> {
  const { instantiate }: { instantiate(module: object, imports: object): Promise<Instance> } = Reflect.get(
    globalThis,
    "WebAssembly",
  );
  let stackAt: unknown = null;
  const instantiateWasm = async (imports: object, onMade: (instance: object) => void): Promise<object> => {
    const instance = await instantiate(wasmModule, imports);
    stackAt = instance.exports[STACK_PLACE];
    onMade(instance);
    return instance.exports;
  };
  // The package's types are those of its other form.
  const variant = newVariant(release as unknown as QuickJSSyncVariant, {
    emscriptenModule: { instantiateWasm } as object,
  });
  const [load, Functions] = await Promise.all([variant.importModuleLoader(), variant.importFFI()]);
  if (typeof load !== "function") throw new TypeError("the engine has no loader");
  const module = await load();
  const functions = new Functions(module);
  let quickjs = new QuickJSWASMModule(module, functions);
  const memory: Memory = quickjs.getWasmMemory() as unknown as Memory; // Its type is one of browsers.
  const { buffer } = memory;
  const bytes = Buffer.from(buffer);
  const image = Buffer.from(bytes.subarray(0, usedBytes(bytes)));
  const place = typeof stackAt === "function" ? (stackAt as () => unknown) : () => Number.NaN;
  const stack = place();
  return {
    get quickjs() {
      return quickjs;
    },
    renew() {
      // Memory that has grown never shrinks.
      if (memory.buffer !== buffer || place() !== stack) return false;
      bytes.set(image);
      clearFrom(bytes, image.length);
      quickjs = new QuickJSWASMModule(module, functions);
      return true;
    },
  };
}

/** What the module calls the function that says where its stack is. */
const STACK_PLACE = "Pa";

const NOTHING = Buffer.alloc(PIECE);

function usedBytes(bytes: Buffer): number {
  let used = bytes.length;
  while (used > 0 && isClear(bytes, Math.max(0, used - PIECE), used)) used -= PIECE;
  return Math.max(0, used);
}

function clearFrom(bytes: Buffer, from: number): void {
  for (let at = from; at < bytes.length; at += PIECE) {
    const end = Math.min(at + PIECE, bytes.length);
    if (!isClear(bytes, at, end)) bytes.fill(0, at, end);
  }
}

function isClear(bytes: Buffer, from: number, to: number): boolean {
  return bytes.compare(NOTHING, 0, to - from, from, to) === 0;
}
