import release from "@jitl/quickjs-ng-wasmfile-release-sync";
import { newVariant, type QuickJSSyncVariant, QuickJSWASMModule } from "quickjs-emscripten-core";
import { FIRST_MEMORY, MOST_MEMORY } from "../messages.ts";

/** Where code runs: what is in there is as if nothing had ever run. */
export interface CodeEngine {
  readonly quickjs: QuickJSWASMModule;
  /** Of its memory. */
  readonly bytes: number;
  /** Its memory has grown, and never shrinks. */
  readonly hasGrown: boolean;
  /** Why it could not have more memory, the last time; null where it could. */
  readonly refused: MemoryRefusal | null;
  /** Makes it as it was before any code ran. False where that is not sure, so that a fresh one is needed. */
  renew(): boolean;
}

/** Clears memory in pieces of this many bytes, those alone that hold something. */
const PIECE = 65_536;

/** The engine would be larger than it may be, or all runs together would. */
type MemoryRefusal = "own" | "shared";

/** Whether an engine may have so many bytes more, as far as others are concerned. */
type MayGrow = (bytes: number) => boolean;

/** A page of WebAssembly. */
const PAGE = 65_536;

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface Instance {
  readonly exports: Readonly<Record<string, unknown>>;
}

interface WasmParts {
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => Memory;
  instantiate(module: object, imports: object): Promise<Instance>;
}

/**
 * An engine can be used again because all that it has is its memory and the place of its stack: its module has no other
 * global that changes, and gives no table away. A fresh one for every run would have V8 compile the way into it again and again.
 */
export async function createEngine(wasmModule: object, mayGrow: MayGrow): Promise<CodeEngine> {
  const { instantiate, Memory }: WasmParts = Reflect.get(globalThis, "WebAssembly");
  const wasmMemory = new Memory({ initial: FIRST_MEMORY / PAGE, maximum: MOST_MEMORY / PAGE });
  const asked = limitGrowth(wasmMemory, mayGrow);
  let stackAt: unknown = null;
  const instantiateWasm = async (imports: object, onMade: (instance: object) => void): Promise<object> => {
    const instance = await instantiate(wasmModule, imports);
    stackAt = instance.exports[STACK_PLACE];
    onMade(instance);
    return instance.exports;
  };
  // The package's types are those of its other form.
  const variant = newVariant(release as unknown as QuickJSSyncVariant, {
    emscriptenModule: { instantiateWasm, wasmMemory } as object,
  });
  const [load, Functions] = await Promise.all([variant.importModuleLoader(), variant.importFFI()]);
  if (typeof load !== "function") throw new TypeError("the engine has no loader");
  const module = await load();
  const functions = new Functions(module);
  let quickjs = new QuickJSWASMModule(module, functions);
  refuseEmptyPlaces(module);
  const { buffer } = wasmMemory;
  const bytes = Buffer.from(buffer);
  const image = Buffer.from(bytes.subarray(0, usedBytes(bytes)));
  const place = typeof stackAt === "function" ? (stackAt as () => unknown) : () => Number.NaN;
  const stack = place();
  return {
    get quickjs() {
      return quickjs;
    },
    get bytes() {
      return wasmMemory.buffer.byteLength;
    },
    get hasGrown() {
      return wasmMemory.buffer !== buffer;
    },
    get refused() {
      return asked.refused;
    },
    renew() {
      if (wasmMemory.buffer !== buffer || place() !== stack) return false;
      asked.refused = null;
      bytes.set(image);
      clearFrom(bytes, image.length);
      quickjs = new QuickJSWASMModule(module, functions);
      return true;
    },
  };
}

/**
 * The engine counts none of its allocations, so that its own limit of memory holds for single ones alone; what it all lies
 * in is limited instead.
 */
function limitGrowth(memory: Memory, mayGrow: MayGrow): { refused: MemoryRefusal | null } {
  const asked: { refused: MemoryRefusal | null } = { refused: null };
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    const bytes = pages * PAGE;
    asked.refused = memory.buffer.byteLength + bytes > MOST_MEMORY ? "own" : mayGrow(bytes) ? null : "shared";
    if (asked.refused !== null) throw new RangeError("no more memory");
    return grow(pages);
  };
  return asked;
}

/** What is written into the engine gets a place there; without one it would be written over what the engine is made of. */
function refuseEmptyPlaces(module: { _malloc(size: number): number }): void {
  const allocate = module._malloc;
  module._malloc = (size) => {
    const place = allocate(size);
    if (place === 0) throw new RangeError("no more memory");
    return place;
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
