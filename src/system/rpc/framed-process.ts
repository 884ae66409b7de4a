import { setTimeout as pass } from "node:timers/promises";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { ProcessExit, ProcessHandle, ProcessSpec, SpawnProcess } from "../process/spawn-process.ts";
import { createStderrTail } from "../process/stderr-tail.ts";
import { createDeferred } from "../time/deferred.ts";
import type { FrameCaps, Framing } from "./framing.ts";
import { createMessageReader, type MessageReaderOptions } from "./message-reader.ts";

/** Why a connection is gone. */
export interface Loss {
  /** Continues "the server …", such as "exited with code 1"; null if it was closed from this side. */
  readonly reason: string | null;
  /** What a program did, if that is known: it does not exist, or it ended by itself. */
  readonly how?: "missing" | "ended";
}

export interface FramedProcessOptions extends Pick<ProcessSpec, "argv" | "cwd" | "env"> {
  readonly framing: Framing;
  readonly limits: FrameCaps & { readonly grace: number };
  readonly spawn: SpawnProcess;
  readonly onMessage: MessageReaderOptions["onMessage"];
  /** Called once, when messages can no longer be sent or received. */
  readonly onOver: () => void;
}

/** A process that exchanges messages. It is ended with everything it started. */
export interface FramedProcess {
  readonly lost: Promise<Loss>;
  /** Whether messages can be sent and received. */
  readonly isOpen: boolean;
  /** Null before it runs. */
  readonly pid: number | null;
  /** Call once. Rejects if it cannot be started; `lost` says why. */
  start(): Promise<void>;
  readStderr(): string | null;
  /** Rejects if the process accepts no more input. `atOnce` if nothing else is about to be sent. */
  send(message: object, atOnce?: boolean): Promise<void>;
  /** Ends it at once, for a reason that continues "it was cut off:". */
  cut(reason: string): void;
  /** Sends a last message, if any, gives the process its grace period to react, then ends it. May be called twice. */
  close(farewell?: object): Promise<void>;
}

/** Milliseconds to wait for the end of a process that stopped reading: the end follows shortly, and says why. */
const LAST_WORDS = 200;

export function createFramedProcess({ argv, cwd, env, ...options }: FramedProcessOptions): FramedProcess {
  const { framing, limits } = options;
  const stderr = createStderrTail();
  const stop = new AbortController();
  const loss = createDeferred<Loss>();
  let isOver = false;
  let spawning: Promise<ProcessHandle> | null = null;
  let handle: ProcessHandle | null = null;
  let exit: ProcessExit | null = null;
  let closing: Promise<void> | null = null;

  const finish = (lost: Loss): void => {
    if (isOver) return;
    isOver = true;
    reader.stop();
    loss.resolve(lost);
    options.onOver();
  };
  const cut = (reason: string): void => {
    finish({ reason: `was cut off: ${reason}` });
    void handle?.kill();
  };
  const reader = createMessageReader({
    framing,
    limits,
    onMessage: options.onMessage,
    onBroken: cut,
    onBusy: () => handle?.pause(),
    onIdle() {
      handle?.resume();
      if (exit !== null) finish(describeExit(exit));
    },
  });
  const close = async (farewell: object | undefined): Promise<void> => {
    if (handle?.isDeaf === true && !isOver) await Promise.race([loss.promise, pass(LAST_WORDS, null, { ref: false })]);
    const hears = isOver || exit !== null ? null : handle;
    finish({ reason: null });
    if (hears !== null && farewell !== undefined)
      await part(hears, framing.wrap(JSON.stringify(farewell)), limits.grace);
    stop.abort();
    const started = await spawning?.catch(() => null);
    await started?.kill();
  };

  return {
    lost: loss.promise,
    get isOpen() {
      return handle !== null && !isOver;
    },
    get pid() {
      return handle?.pid ?? null;
    },
    readStderr: stderr.read,
    async start() {
      if (spawning !== null) throw new Error("a process is started once");
      const { push: onStdout } = reader;
      const ends = { grace: limits.grace, signal: stop.signal, leftovers: "end-all" } as const;
      try {
        spawning = options.spawn({ argv, cwd, env, stdin: "pipe", onStdout, onStderr: stderr.push, ...ends });
        handle = await spawning;
      } catch (error) {
        finish(describeStart(error));
        throw error;
      }
      void handle.exited.then((ended) => {
        exit = ended;
        reader.flush();
      });
    },
    send(message, atOnce) {
      if (handle === null || isOver) return Promise.reject(new Error("Not connected"));
      return handle.write(framing.wrap(JSON.stringify(message)), atOnce);
    },
    cut,
    close(farewell) {
      closing ??= close(farewell);
      return closing;
    },
  };
}

function describeStart(error: unknown): Loss {
  if (!isToolcribError(error)) return { reason: "could not be started" };
  const reason = `could not be started: ${error.message}`;
  return error.code === "process.not-found" ? { reason, how: "missing" } : { reason };
}

/** Sends a last message, and waits for the process to end by itself. */
async function part(handle: ProcessHandle, text: string, grace: number): Promise<void> {
  void handle.write(text).catch(() => {});
  handle.end();
  const heeded = new AbortController();
  const patience = pass(grace, null, { signal: heeded.signal }).catch(() => {});
  await Promise.race([handle.exited, patience]);
  heeded.abort();
}

function describeExit({ code, signal }: ProcessExit): Loss {
  const reason = signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`;
  return { reason, how: "ended" };
}
