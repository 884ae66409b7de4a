import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { ProcessExit, SpawnProcess } from "../../system/process/spawn-process.ts";
import { createStderrTail } from "../../system/process/stderr-tail.ts";
import { createLineSplitter, type LineEvent } from "../../system/rpc/line-splitter.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import { StartFailure } from "../parts/start-failure.ts";
import type { Loss } from "../parts/supervisor.ts";

export interface LineProcessOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: { readonly messageBytes: number; readonly skippedBytes: number; readonly grace: number };
  readonly spawn: SpawnProcess;
  readonly onLine: (line: LineEvent) => void;
  /** Aborting it ends the process with its group. */
  readonly signal: AbortSignal;
}

/** A process that is talked to in lines. It is ended with everything it started. */
export interface LineProcess {
  readonly lost: Promise<Loss>;
  readStderr(): string | null;
  /** Rejects when the process takes nothing any more. */
  send(line: string): Promise<void>;
  /** Ends it at once, for a reason that continues "the extension …". */
  cut(reason: string): void;
  /** Sends the last line, leaves the process its grace to end by itself, then ends it. Twice is fine. */
  close(farewell: string): Promise<void>;
}

/** Lines looked at before others get their turn; a few milliseconds' worth. */
const LINES_PER_TURN = 200;

/** Rejects with a StartFailure. */
export async function startLineProcess(options: LineProcessOptions): Promise<LineProcess> {
  const { limits } = options;
  const splitter = createLineSplitter({ lineBytes: limits.messageBytes, skippedBytes: limits.skippedBytes });
  const stderr = createStderrTail();
  const chunks: Buffer[] = [];
  const loss = createDeferred<Loss>();
  let lines: Generator<LineEvent, void, undefined> | null = null;
  let over = false;
  let scheduled = false;
  let exit: ProcessExit | null = null;
  let closing: Promise<void> | null = null;

  const finish = (reason: string | null): void => {
    over = true;
    chunks.length = 0;
    lines = null;
    loss.resolve({ reason });
  };
  /** Works through what was read, a bounded piece at a time; meanwhile the process has to wait. */
  const pump = (): void => {
    scheduled = false;
    for (let left = LINES_PER_TURN; !over; left -= 1) {
      const chunk = lines === null ? chunks.shift() : undefined;
      if (chunk !== undefined) lines = splitter.push(chunk);
      if (lines === null) break;
      if (left === 0) {
        scheduled = true;
        handle.pause();
        setImmediate(pump);
        return;
      }
      const next = lines.next();
      if (next.done) lines = null;
      else options.onLine(next.value);
    }
    handle.resume();
    if (exit !== null && !over) finish(describeExit(exit));
  };

  const handle = await options
    .spawn({
      argv: options.argv,
      cwd: options.cwd,
      env: options.env,
      stdin: "pipe",
      onStdout: (chunk) => {
        if (over) return;
        chunks.push(chunk);
        if (!scheduled) queuePump();
      },
      onStderr: stderr.push,
      grace: limits.grace,
      signal: options.signal,
    })
    .catch((error: unknown) => {
      const reason = isToolcribError(error) ? `could not be started: ${error.message}` : "could not be started";
      throw new StartFailure(reason, null, false);
    });
  /** Output may come before the handle does. */
  function queuePump(): void {
    scheduled = true;
    queueMicrotask(pump);
  }
  void handle.exited.then((ended) => {
    exit = ended;
    if (!scheduled) pump();
  });

  return {
    lost: loss.promise,
    readStderr: stderr.read,
    async send(line) {
      if (over) throw new Error("not connected");
      await handle.write(`${line}\n`);
    },
    cut(reason) {
      finish(`was cut off: ${reason}`);
      void handle.kill();
    },
    close(farewell) {
      closing ??= (async () => {
        const alive = !over && exit === null;
        finish(null);
        if (alive) {
          void handle.write(`${farewell}\n`).catch(() => {});
          handle.end();
          await within(limits.grace, handle.exited);
        }
        await handle.kill();
      })();
      return closing;
    },
  };
}

/** Waits for the work, and no longer than that. */
function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`;
}
