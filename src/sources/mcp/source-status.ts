import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Breaker } from "../parts/breaker.ts";
import type { SourceStatus } from "../source.ts";

/** `by` is where it is switched off, where that is not its own entry. */
export function disabledStatus(by: string | undefined): SourceStatus {
  return {
    state: "disabled",
    reason: by === undefined ? "is switched off by its entry" : `is switched off by disabledServers (${by})`,
    next: by === undefined ? "Set `enabled: true` to start it." : `Remove it from disabledServers (${by}) to start it.`,
    stderr: null,
  };
}

/** How the source is doing as a whole: a server that is connected may still be of little use. */
export function describeStatus(
  status: SourceStatus,
  breaker: Breaker,
  trouble: string | null,
  skipped: number,
  name: string,
): SourceStatus {
  if (status.state !== "connected") return status;
  if (breaker.state !== "closed") {
    const reason = "answered none of the last calls in time; calls are refused for a while, then one is tried";
    return { ...status, state: "stale", reason, next: `To start it anew, run: toolcrib servers restart ${name}` };
  }
  if (trouble !== null) {
    const next = `To start it anew, run: toolcrib servers restart ${name}`;
    return { ...status, state: "stale", reason: `could not refresh its list: ${trouble}`, next };
  }
  return skipped === 0 ? status : { ...status, reason: `lists entries that are no tools: ${skipped}` };
}

/** A call that the breaker holds back. */
export function toRefusal(name: string, retryIn: number | null): ToolcribError {
  const when = retryIn === null ? "another call is finding out" : `the next is tried in ${Math.ceil(retryIn / 1000)} s`;
  const text = `The MCP server "${name}" answered none of the last calls in time, so this one was not sent; ${when}.`;
  return new ToolcribError("mcp.unavailable", text, { names: [name] });
}
