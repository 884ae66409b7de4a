import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { brotliDecompressSync } from "node:zlib";
import { onAbort } from "../../system/time/until-aborted.ts";
import type { CodeOwner } from "../code-port.ts";
import { FIRST_MEMORY, type FromWorker, GRANT, type ThreadData, type ToWorker } from "./messages.ts";
import { createShares } from "./shares.ts";

/** One thread that runs code. */
export interface Thread {
  post(message: ToWorker): void;
  /** Receives its messages; `lost` is called if it ends by itself. */
  listen(onMessage: (message: FromWorker) => void, lost: (error: Error) => void): void;
}

/** Threads for code, shared by all sessions of a process; a thread that has finished waits for the next run. */
export interface Threads {
  /**
   * Waits while the owner's runs use their share of memory. Rejects if the signal is aborted first, or no thread can
   * start.
   */
  take(owner: CodeOwner, signal: AbortSignal): Promise<Thread>;
  /** The thread is free for other code. */
  giveBack(thread: Thread): Promise<void>;
  /** Ends it, whatever it is doing. Its memory is free once it is gone. */
  end(thread: Thread): Promise<void>;
  /** The owner needs no threads any longer. */
  close(): Promise<void>;
}

const MEGABYTE = 2 ** 20;
/** Bytes that Node needs for a thread, in addition to its engine. */
const THREAD_MEMORY = 16 * MEGABYTE;
const RUN_MEMORY = THREAD_MEMORY + FIRST_MEMORY;
/** Bytes for all runs of the process together: 48 that wait, or 13 that have grown as far as allowed. */
const memory = createShares(48 * RUN_MEMORY);

const MOST_IDLE = 1;
/** Megabytes for the thread itself; the code's memory is limited inside. */
const RESOURCES = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 } as const;

let holders = 0;
const idle: WorkerThread[] = [];

export function openThreads(): Threads {
  holders += 1;
  let isOpen = true;
  const own = (thread: Thread): WorkerThread => thread as WorkerThread; // There is no other kind.
  return {
    async take(owner, signal) {
      await untilTaken(owner, signal);
      const kept = idle.pop();
      if (kept !== undefined) return kept.wake(owner);
      try {
        const fresh = new WorkerThread(await engine());
        await fresh.ready;
        return fresh.wake(owner);
      } catch (error) {
        memory.give(owner, RUN_MEMORY);
        throw error;
      }
    },
    async giveBack(thread) {
      if (idle.length >= MOST_IDLE || holders === 0) return own(thread).end();
      idle.push(own(thread).sleep());
    },
    end: (thread) => own(thread).end(),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      holders -= 1;
      if (holders > 0) return;
      compiled = null;
      await Promise.all(idle.splice(0).map((thread) => thread.end()));
    },
  };
}

function untilTaken(owner: CodeOwner, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => {
      giveUp();
      reject(signal.reason);
    });
    const giveUp = memory.take(owner, RUN_MEMORY, () => {
      stop();
      resolve();
    });
  });
}

/** Next to the compiled code, in a checkout too: a thread cannot read TypeScript. */
const FOLDER = new URL("../../../dist/code/", import.meta.url);

let compiled: Promise<object> | null = null;

/** Compiled once for all threads, which then share the code. */
function engine(): Promise<object> {
  compiled ??= loadEngine().catch((error: unknown) => {
    compiled = null;
    throw error;
  });
  return compiled;
}

async function loadEngine(): Promise<object> {
  const { compile }: { compile(bytes: Uint8Array): Promise<object> } = Reflect.get(globalThis, "WebAssembly");
  return compile(brotliDecompressSync(readFileSync(new URL("quickjs.wasm.br", FOLDER))));
}

class WorkerThread implements Thread {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #granted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** Whose code it runs, and the memory charged for it; null while it is idle. */
  #run: { readonly owner: CodeOwner; held: number } | null = null;
  #onMessage: (message: FromWorker) => void = () => {};
  #lost: (error: Error) => void = () => {};

  constructor(engine: object) {
    const workerData: ThreadData = { engine, granted: this.#granted.buffer };
    const url = new URL("worker.js", FOLDER);
    this.#worker = new Worker(url, { env: {}, execArgv: [], resourceLimits: RESOURCES, stdin: false, workerData });
    this.ready = new Promise((resolve, reject) => {
      this.#onMessage = () => resolve();
      this.#lost = reject;
    });
    this.#worker.on("message", (message: FromWorker) => {
      if (message.type === "grow") this.#grow(message.bytes);
      else this.#onMessage(message);
    });
    this.#worker.on("error", (error: unknown) => this.#lost(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on("exit", (code) => {
      const at = idle.indexOf(this);
      if (at >= 0) idle.splice(at, 1);
      this.#lost(new Error(`the thread of the code ended with status ${code}`));
    });
  }

  post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  listen(onMessage: (message: FromWorker) => void, lost: (error: Error) => void): void {
    this.#onMessage = onMessage;
    this.#lost = lost;
  }

  /** An idle thread does not keep the process alive. */
  sleep(): this {
    this.#ignore();
    this.#worker.unref();
    this.#release();
    return this;
  }

  /** The memory of a run has already been charged to this owner. */
  wake(owner: CodeOwner): this {
    this.#run = { owner, held: RUN_MEMORY };
    this.#worker.ref();
    return this;
  }

  async end(): Promise<void> {
    this.#ignore();
    try {
      await this.#worker.terminate();
    } finally {
      this.#release();
    }
  }

  /** The thread blocks until it has the answer, so there must always be one. */
  #grow(bytes: number): void {
    const run = this.#run;
    const isGranted = run !== null && memory.tryTake(run.owner, bytes);
    if (isGranted) run.held += bytes;
    Atomics.store(this.#granted, 0, isGranted ? GRANT.yes : GRANT.no);
    Atomics.notify(this.#granted, 0);
  }

  #ignore(): void {
    this.listen(
      () => {},
      () => {},
    );
  }

  #release(): void {
    const run = this.#run;
    this.#run = null;
    if (run !== null) memory.give(run.owner, run.held);
  }
}
