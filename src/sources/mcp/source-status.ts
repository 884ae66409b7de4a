import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { CallBreaker } from "../parts/breaker.ts";
import type { Supervisor } from "../parts/supervisor.ts";
import { type SourceStatus, toStatus } from "../source.ts";
import type { Connection } from "./connection.ts";
import type { ToolList } from "./tool-list.ts";

interface StatusParts {
  readonly name: string;
  readonly supervisor: Pick<Supervisor<Connection>, "status">;
  readonly breaker: Pick<CallBreaker, "state">;
  readonly list: Pick<ToolList, "trouble" | "skipped" | "known" | "loaded">;
  readonly redact: (text: string) => string;
}

/** The status of the whole source: a connected server may still be of little use. */
export function describeStatus(parts: StatusParts): SourceStatus {
  const { list, redact } = parts;
  const status = describeServer(parts);
  const isStandIn = list.known && !list.loaded;
  const meanwhile = isStandIn && status.state === "starting" ? "; the last list is shown meanwhile" : "";
  const reason = status.reason === null ? null : redact(`${status.reason}${meanwhile}`);
  const stderr = status.stderr === null ? null : redact(status.stderr);
  return { ...status, reason, stderr, ...(isStandIn ? { isStandIn } : {}) };
}

function describeServer({ name, supervisor: { status }, breaker, list }: StatusParts): SourceStatus {
  if (status.state !== "connected") return status;
  const next = `To restart it, run: toolcrib servers restart ${name}`;
  if (breaker.state !== "closed") {
    const reason = "answered none of the last calls in time; calls are refused for a while, then one is tried";
    return toStatus("stale", reason, next);
  }
  if (list.trouble !== null) return toStatus("stale", `could not refresh its list: ${list.trouble}`, next);
  return list.skipped === 0 ? status : { ...status, reason: `lists entries that are not tools: ${list.skipped}` };
}

/** The error for a call that the breaker refuses. */
export function toRefusal(name: string, retryIn: number | null): ToolcribError {
  const when = retryIn === null ? "another call is finding out" : `the next is tried in ${Math.ceil(retryIn / 1000)} s`;
  const text = `The MCP server "${name}" answered none of the last calls in time, so this one was not sent; ${when}.`;
  return new ToolcribError("mcp.unavailable", text, { names: [name] });
}
