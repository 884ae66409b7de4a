import { setTimeout as pass } from "node:timers/promises";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { ProcessExit, ProcessHandle, SpawnProcess } from "../../system/process/spawn-process.ts";
import { createStderrTail } from "../../system/process/stderr-tail.ts";
import { createLineSplitter, type LineEvent } from "../../system/rpc/line-splitter.ts";
import { readIdFromEnds } from "../../system/rpc/message-id.ts";
import { isTooDeep } from "../../system/text/json-depth.ts";
import type { Clock } from "../../system/time/clock.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import type { Loss } from "../parts/supervisor.ts";
import type { OnWire } from "../parts/wire-line.ts";
import { createChannel } from "./channel.ts";
import type { McpLimits } from "./limits.ts";
import { TOO_DEEP, tooLarge } from "./too-large.ts";
import type { McpTransport } from "./transport.ts";

export interface StdioTransportOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly spawn: SpawnProcess;
  readonly onWire?: OnWire | undefined;
}

/** Lines looked at before others get their turn; a few milliseconds' worth. */
const LINES_PER_TURN = 200;
/** Milliseconds for which the end of a process that reads no more is waited for: it is told a moment later, and says why. */
const LAST_WORDS = 200;

/** Speaks to a process, one message a line. The process is started by `start` and ended, with its group, by `close`. */
export function createStdioTransport(options: StdioTransportOptions): McpTransport {
  const { limits, clock } = options;
  const splitter = createLineSplitter({ lineBytes: limits.messageBytes, skippedBytes: limits.skippedBytes });
  const stderr = createStderrTail();
  const chunks: Buffer[] = [];
  const stop = new AbortController();
  const loss = createDeferred<Loss>();
  let lines: Generator<LineEvent, void, undefined> | null = null;
  let state: "new" | "open" | "over" = "new";
  let scheduled = false;
  let spawning: Promise<ProcessHandle> | null = null;
  let handle: ProcessHandle | null = null;
  let exit: ProcessExit | null = null;

  const channel = createChannel({
    limits,
    clock,
    onWire: options.onWire,
    onCut: (reason) => {
      finish(`was cut off: ${reason}`);
      void handle?.kill();
    },
  });

  const finish = (reason: string | null): void => {
    if (state === "over") return;
    state = "over";
    chunks.length = 0;
    lines = null;
    loss.resolve({ reason });
    transport.onclose?.();
  };

  const take = (event: LineEvent): void => {
    switch (event.kind) {
      case "endless":
        channel.cut(`a line did not end within ${limits.messageBytes + limits.skippedBytes} bytes`);
        break;
      case "oversized":
        if (!channel.fail(event.id, tooLarge(limits.messageBytes))) channel.receiveJunk();
        break;
      case "line":
        takeText(event.bytes.toString("utf8"));
    }
  };
  const takeText = (text: string): void => {
    if (text === "") return;
    if (isTooDeep(text)) {
      if (!channel.fail(readIdFromEnds(text.slice(0, END), text.slice(-END)), TOO_DEEP)) channel.receiveJunk();
      return;
    }
    const message = parse(text);
    if (message === undefined) channel.receiveJunk();
    else channel.receive(message);
  };

  /** Works through what was read, a bounded piece at a time; meanwhile the process has to wait (flood control). */
  const pump = (): void => {
    scheduled = false;
    let left = LINES_PER_TURN;
    while (state === "open") {
      const chunk = lines === null ? chunks.shift() : undefined;
      if (chunk !== undefined) lines = splitter.push(chunk);
      if (lines === null) break;
      const next = lines.next();
      if (next.done) lines = null;
      else {
        take(next.value);
        left -= 1;
      }
      if (left === 0) {
        scheduled = true;
        handle?.pause();
        setImmediate(pump);
        return;
      }
    }
    handle?.resume();
    if (exit !== null) finish(describeExit(exit));
  };

  const transport: McpTransport & { readonly pid: number | null; readonly stderr: null } = {
    lost: loss.promise,
    refusal: null,
    channel,
    readStderr: stderr.read,
    // Having these two is how the client package tells a local process from a remote server.
    get pid() {
      return handle?.pid ?? null;
    },
    stderr: null,
    get onmessage() {
      return channel.deliver;
    },
    set onmessage(listener) {
      channel.deliver = listener;
    },
    async start() {
      if (state !== "new") throw new Error("a transport starts once");
      state = "open";
      const onStdout = (chunk: Buffer) => {
        if (state !== "open") return;
        const line = scheduled ? null : splitter.takeLine(chunk);
        if (line !== null) return takeText(line);
        chunks.push(chunk);
        if (!scheduled) pump();
      };
      try {
        spawning = options.spawn({
          argv: options.argv,
          cwd: options.cwd,
          env: options.env,
          stdin: "pipe",
          onStdout,
          onStderr: stderr.push,
          grace: limits.grace,
          signal: stop.signal,
        });
        handle = await spawning;
      } catch (error) {
        finish(isToolcribError(error) ? `could not be started: ${error.message}` : "could not be started");
        throw error;
      }
      void handle.exited.then((ended) => {
        exit = ended;
        if (!scheduled) pump();
      });
    },
    send(message, sendOptions) {
      if (state !== "open" || handle === null) return Promise.reject(new Error("Not connected"));
      channel.noteSent(message, sendOptions);
      // The first of several calls need not wait for the others, and most calls are the only one.
      const isAlone = channel.exchanges.size <= 1;
      return handle.write(`${JSON.stringify(message)}\n`, isAlone);
    },
    async close() {
      if (handle?.isDeaf === true && state === "open")
        await Promise.race([loss.promise, pass(LAST_WORDS, undefined, { ref: false })]);
      finish(null);
      stop.abort();
      const started = await spawning?.catch(() => null);
      await started?.kill();
    },
  };
  return transport;
}

/** How much of both ends of a message may tell its id. */
const END = 512;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`;
}
