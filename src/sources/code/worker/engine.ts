import release from "@jitl/quickjs-ng-wasmfile-release-sync";
import { newVariant, type QuickJSSyncVariant, QuickJSWASMModule } from "quickjs-emscripten-core";
import { FIRST_MEMORY, MOST_MEMORY } from "../messages.ts";

/** Where code runs; each run finds it in its initial state. */
export interface CodeEngine {
  readonly quickjs: QuickJSWASMModule;
  /** The size of its memory. */
  readonly bytes: number;
  /** Its memory has grown, and never shrinks. */
  readonly hasGrown: boolean;
  /** Why it was refused more memory the last time; null if it was not. */
  readonly refused: MemoryRefusal | null;
  /** Restores its initial state. False if that is not certain, so that a new engine is needed. */
  renew(): boolean;
}

/** Memory is cleared in pieces of this many bytes, skipping empty ones. */
const PIECE = 65_536;

/** The engine itself would be too large, or all runs together would. */
type MemoryRefusal = "own" | "shared";

/** Whether an engine may have so many more bytes, given what others use. */
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
 * An engine can be reused because its whole state is its memory and its stack pointer: its module has no other mutable
 * global, and exports no table. With a new one for every run, V8 would compile the entry code again and again.
 */
export async function createCodeEngine(wasmModule: object, mayGrow: MayGrow): Promise<CodeEngine> {
  const { instantiate, Memory }: WasmParts = Reflect.get(globalThis, "WebAssembly");
  const wasmMemory = new Memory({ initial: FIRST_MEMORY / PAGE, maximum: MOST_MEMORY / PAGE });
  const asked = limitGrowth(wasmMemory, mayGrow);
  let stackAt: unknown = null;
  const instantiateWasm = async (imports: object, onMade: (instance: object) => void): Promise<object> => {
    const instance = await instantiate(wasmModule, imports);
    stackAt = instance.exports[STACK_POINTER];
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
 * The engine does not count its allocations, so its own memory limit applies only to single ones; the memory that holds
 * them all is limited instead.
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

/** Text written into the engine needs allocated memory; with none, it would overwrite the engine itself. */
function refuseEmptyPlaces(module: { _malloc(size: number): number }): void {
  const allocate = module._malloc;
  module._malloc = (size) => {
    const place = allocate(size);
    if (place === 0) throw new RangeError("no more memory");
    return place;
  };
}

/** The module's name for the function that returns its stack pointer. */
const STACK_POINTER = "Pa";

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
