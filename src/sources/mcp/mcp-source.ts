import type { ToolResult } from "../../core/call/tool-result.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { createChangeListeners } from "../parts/change-listeners.ts";
import { failure } from "../parts/results.ts";
import type { Era, McpPeer } from "../peer.ts";
import { type CallManner, IN_PROCESS, type Source } from "../source.ts";
import { createLoginWatch } from "./oauth/watch-login.ts";
import type { Resting } from "./rest-when-idle.ts";
import { runServerTool } from "./run-tool.ts";
import { assemble, type McpSourceOptions, readSetup } from "./server-parts.ts";
import { describeStatus } from "./source-status.ts";

export interface McpSource extends Source {
  /** What the server says about itself, for the prompt (P2); null while unknown or absent. Untrusted text. */
  readonly instructions: string | null;
  /** The protocol that the connected server speaks; null while it is not connected. */
  readonly era: Era | null;
  /** Variables that look like secrets, which its process did not get. */
  readonly heldBack: readonly string[];
  /** The server itself, for callers that speak the protocol. */
  readonly peer: McpPeer;
  /** The last lines on the error stream of a running server, cleaned; `status` has those of a failed one. */
  readStderr(): string | null;
  /** Restarts the server at once, even after it was refused for lack of a login. */
  restart(): Promise<void>;
}

/** A server times out by itself, with a better message. */
const SERVER: CallManner = { ...IN_PROCESS, isElsewhere: true, slack: 1_000, queue: "session" };

/**
 * One MCP server as a source. It starts by itself, without anybody waiting for it, and runs until `close`. Throws
 * `mcp.invalid-server` if its entry cannot be used.
 */
export function createMcpSource(options: McpSourceOptions): McpSource {
  const setup = readSetup(options);
  const { name, tokens, redact, isDisabled } = setup;
  const listeners = createChangeListeners();
  const parts = assemble(setup, options, () => {
    watch?.look();
    listeners.emit();
  });
  const { supervisor, list, owned, memory, resting } = parts;
  const watch =
    tokens === null
      ? null
      : createLoginWatch({
          tokens,
          isWaiting: () => supervisor.status.state === "needs-auth",
          every: setup.limits.loginWatch,
          onLogin: () => void supervisor.restart(),
        });
  let closed = false;
  const run: McpSource["run"] = (tool, args, context) => runServerTool(setup, parts, tool, args, context, () => closed);
  if (!isDisabled) {
    // Prompts and resources are asked for only where it is known that there are any.
    const isKnown = options.stored?.earlier?.capabilities !== undefined;
    if (options.startsAtRest === true && isKnown) supervisor.rest();
    else supervisor.start();
  }

  return {
    kind: "mcp",
    manner: SERVER,
    asksBack: true,
    name,
    heldBack: setup.heldBack,
    peer: owned.peer,
    get instructions() {
      return memory.instructions;
    },
    get era() {
      return supervisor.connection?.era ?? null;
    },
    readStderr() {
      const text = supervisor.connection?.readStderr() ?? supervisor.status.stderr;
      return text === null ? null : redact(text);
    },
    get status() {
      return describeStatus({ name, redact, ...parts });
    },
    async list(signal) {
      if (!isDisabled && !list.known) await supervisor.settled(signal);
      return list.tools;
    },
    run: resting === null ? run : (...given) => resting.during(() => withReason(run(...given), resting)),
    changes: listeners.add,
    restart: async () => {
      if (!isDisabled) await supervisor.restart();
    },
    async close() {
      closed = true;
      listeners.clear();
      watch?.close();
      owned.close();
      resting?.close();
      list.close();
      await supervisor.close();
      await tokens?.close();
      await options.stored?.close();
    },
  };
}

/** A caller can wait, or say what is in the way, once they know it. */
async function withReason(running: Promise<ToolResult>, resting: Resting): Promise<ToolResult> {
  try {
    return await running;
  } catch (error) {
    if (resting.unplaced === null || !isToolcribError(error)) throw error;
    return { ...failure(error.message, `${error.code}: ${error.message}`), code: error.code };
  }
}
