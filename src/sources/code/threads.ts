import { Worker } from "node:worker_threads";
import type { FromWorker, ToWorker } from "./messages.ts";

/** One thread that runs code. */
export interface Thread {
  post(message: ToWorker): void;
  /** Hears what it says; `lost` once it is gone by itself. */
  listen(hear: (message: FromWorker) => void, lost: (error: Error) => void): void;
}

/** Threads for code, which all sessions of a process share: one that did its work waits for the next. */
export interface Threads {
  /** Waits while too many run. Rejects when the signal is aborted first, or none can be started. */
  take(signal: AbortSignal): Promise<Thread>;
  /** It waits for code again. */
  giveBack(thread: Thread): Promise<void>;
  /** Ends it, whatever it does. */
  end(thread: Thread): Promise<void>;
  /** Whoever opened this needs no more threads. */
  close(): Promise<void>;
}

const MOST_RUNNING = 8;
const MOST_IDLE = 1;
/** Megabytes of the thread itself; what the code has is limited inside. */
const RESOURCES = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 } as const;

let holders = 0;
let running = 0;
const idle: WorkerThread[] = [];
const waiting = new Set<() => void>();

export function openThreads(): Threads {
  holders += 1;
  let isOpen = true;
  const free = (): void => {
    running -= 1;
    const [next] = waiting;
    next?.();
  };
  const own = (thread: Thread): WorkerThread => thread as WorkerThread; // There is no other kind.
  return {
    async take(signal) {
      await untilFree(signal);
      running += 1;
      const kept = idle.pop();
      if (kept !== undefined) return kept.wake();
      const fresh = new WorkerThread();
      try {
        await fresh.ready;
        return fresh;
      } catch (error) {
        free();
        throw error;
      }
    },
    async giveBack(thread) {
      free();
      if (idle.length >= MOST_IDLE || holders === 0) return own(thread).end();
      idle.push(own(thread).sleep());
    },
    async end(thread) {
      await own(thread).end();
      free();
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      holders -= 1;
      if (holders === 0) await Promise.all(idle.splice(0).map((thread) => thread.end()));
    },
  };
}

function untilFree(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (running < MOST_RUNNING) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (running >= MOST_RUNNING) return;
      stop();
      resolve();
    };
    const giveUp = (): void => {
      stop();
      reject(signal.reason);
    };
    const stop = (): void => {
      waiting.delete(look);
      signal.removeEventListener("abort", giveUp);
    };
    waiting.add(look);
    signal.addEventListener("abort", giveUp, { once: true });
  });
}

/** Beside the compiled code, in a checkout too: a thread cannot read TypeScript. */
const FILE = new URL("../../../dist/code/worker.js", import.meta.url);

class WorkerThread implements Thread {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  #hear: (message: FromWorker) => void = () => {};
  #lost: (error: Error) => void = () => {};

  constructor() {
    this.#worker = new Worker(FILE, { env: {}, execArgv: [], resourceLimits: RESOURCES, stdin: false });
    this.ready = new Promise((resolve, reject) => {
      this.#hear = () => resolve();
      this.#lost = reject;
    });
    this.#worker.on("message", (message: FromWorker) => this.#hear(message));
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

  listen(hear: (message: FromWorker) => void, lost: (error: Error) => void): void {
    this.#hear = hear;
    this.#lost = lost;
  }

  /** It keeps no process running that has nothing else to do. */
  sleep(): this {
    this.listen(
      () => {},
      () => {},
    );
    this.#worker.unref();
    return this;
  }

  wake(): this {
    this.#worker.ref();
    return this;
  }

  async end(): Promise<void> {
    this.listen(
      () => {},
      () => {},
    );
    await this.#worker.terminate();
  }
}
