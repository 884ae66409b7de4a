import { randomInt } from "node:crypto";
import type { CodeLine } from "../../core/call/call.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import { CODE_NAME } from "../../core/catalog/code-tool.ts";
import { createPassingSet } from "../../system/passing.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import type { CodeOwner, CodePort, CodeResult } from "../code-port.ts";
import { CANCELLED, CLOSED, failure, unknownTool } from "../parts/results.ts";
import { CONNECTED, IN_PROCESS, type RunContext, type Source } from "../source.ts";
import { type CodeLimits, DEFAULT_CODE_LIMITS } from "./messages.ts";
import { reportSteps } from "./report-steps.ts";
import { type RanCode, runCode } from "./run-code.ts";
import { openThreads, type Threads } from "./threads.ts";

export interface CodeSourceOptions {
  readonly port: CodePort;
  /** Whose runs these are; resources are shared between owners. */
  readonly owner: CodeOwner;
  readonly clock?: Clock;
  readonly limits?: Partial<CodeLimits>;
  /** Milliseconds since 1970, for the code's own clock. */
  readonly today: () => number;
}

/**
 * Runs `run_code`: a model's code in a sandbox, whose tool calls pass all the stages that the model's own calls pass.
 * It is in no list: the catalog adds the tool itself. It has its own limits and takes no slot in the queue.
 */
export function createCodeSource({ port, owner, clock = SYSTEM_CLOCK, limits, today }: CodeSourceOptions): Source {
  const closing = new AbortController();
  const running = createPassingSet<Promise<unknown>>();
  let threads: Threads | null = null;
  const own = { ...DEFAULT_CODE_LIMITS, ...limits };

  const run = async (code: string, context: RunContext): Promise<ToolResult> => {
    const signal = AbortSignal.any([context.signal, closing.signal]);
    threads ??= openThreads();
    const pool = threads;
    const thread = await pool.take(owner, signal);
    let ran: RanCode | null = null;
    try {
      ran = await runCode(code, port.open(context.toolCallId), thread, {
        ...{ clock, owner, limits: own, signal, now: today(), seed: randomInt(2 ** 31) },
        onProgress: context.onProgress ?? (() => {}),
        steps: reportSteps(context.client),
      });
      return toResult(ran);
    } finally {
      const isKept = ran?.end?.spent === false;
      await (isKept ? pool.giveBack(thread) : pool.end(thread));
    }
  };

  return {
    kind: "builtin",
    name: "code",
    status: CONNECTED,
    manner: { ...IN_PROCESS, slack: null, queue: "never" },
    list: async () => [],
    async run({ name }, { code }, context) {
      if (closing.signal.aborted) return CLOSED;
      if (name !== CODE_NAME) return unknownTool(name);
      if (typeof code !== "string") return failure("run_code takes the code as text.");
      if (context.signal.aborted) return CANCELLED;
      const work = run(code, context).catch((error: unknown): ToolResult | Promise<never> => {
        if (closing.signal.aborted) return CLOSED;
        if (context.signal.aborted) return CANCELLED;
        return Promise.reject(error);
      });
      running.add(work);
      try {
        return await work;
      } finally {
        running.delete(work);
      }
    },
    changes: () => () => {},
    async close() {
      closing.abort();
      await Promise.allSettled(running);
      await threads?.close();
    },
  };
}

const NOTHING = "The code ended without returning or logging anything. Return or log what you want to see.";

/** What the model reads: what the code logged and returned, or what went wrong and in which line. */
function toResult({ end, stopped, notes, calls, holdsStrange, dropped }: RanCode): CodeResult {
  if (stopped !== null) return stopped;
  if (end === null) return CANCELLED;
  const said = end.text === null ? [] : [end.ok ? end.text : atLine(end.text, end.from)];
  const parts = [...end.logs, ...said, ...notes];
  const text = parts.length === 0 ? NOTHING : parts.join("\n");
  const about = {
    textResultForLlm: text,
    toolTelemetry: { calls },
    ...(holdsStrange ? { holdsStrange } : {}),
    ...(dropped === 0 ? {} : { dropped }),
  };
  return end.ok ? { ...about, resultType: "success" } : { ...about, resultType: "failure", error: end.text ?? text };
}

function atLine(text: string, from: CodeLine | null): string {
  return from === null ? text : `${text}\n    at line ${from.line}: ${from.text}`;
}
