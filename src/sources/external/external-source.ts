import { fromThrown, toToolResult } from "../../core/call/tool-result.ts";
import { fillDefaults } from "../../core/schema/fill-defaults.ts";
import type { Owner } from "../../core/tool/tool.ts";
import { createChangeListeners } from "../parts/change-listeners.ts";
import { CLOSED, failure, unknownTool } from "../parts/results.ts";
import { runHandler } from "../parts/run-handler.ts";
import { runWhileOpen } from "../parts/run-while-open.ts";
import { type CallManner, CONNECTED, type Source } from "../source.ts";
import { toOwner } from "./owner.ts";
import { type CallPorts, createPendingCalls } from "./pending-calls.ts";
import { createRegisteredTools, type ExternalTool, type Registration } from "./registered-tools.ts";

export type { ExternalTool, Registration } from "./registered-tools.ts";

/** Tools that the host and its connections register. Each owner has its own; together they form one list. */
export interface ExternalSource extends Source {
  /** Replaces all tools of that owner: `host`, `connection:NAME` or another name of the host. `[]` removes them. */
  setTools(owner: Owner | string, tools: readonly ExternalTool[]): Registration;
  /** Removes the owner's tools and fails the calls that it still had to answer. */
  closeOwner(owner: Owner | string): void;
  /** Answers a request as a handler's return value would. False if nobody waits for it any longer. */
  answer(requestId: string, result: unknown): boolean;
  /** Whether somebody waits for the answer to that request. */
  isWaiting(requestId: string): boolean;
  /** Answers a request as an error that a handler threw would. */
  fail(requestId: string, error: unknown): boolean;
}

export function createExternalSource({
  onRequested,
  manner,
  ...ports
}: CallPorts & { readonly manner?: CallManner } = {}): ExternalSource {
  const listeners = createChangeListeners();
  const registered = createRegisteredTools();
  const pending = createPendingCalls(ports);
  const stop = new AbortController();
  const replace = (owner: Owner, given: readonly ExternalTool[]): Registration => {
    if (stop.signal.aborted) return { changed: false, skipped: [] };
    const registration = registered.replace(owner, given);
    if (registration.changed) listeners.emit();
    return registration;
  };

  return {
    kind: "external",
    name: "external",
    status: CONNECTED,
    ...(manner === undefined ? {} : { manner }),
    setTools: (owner, tools) => replace(typeof owner === "string" ? toOwner(owner) : owner, tools),
    closeOwner(given) {
      const owner = typeof given === "string" ? toOwner(given) : given;
      replace(owner, []);
      pending.settleAll(failure(`The ${owner.kind} that runs this tool is gone.`), owner);
    },
    answer: (requestId, result) => pending.settle(requestId, toToolResult(result)),
    isWaiting: pending.has,
    fail: (requestId, error) => pending.settle(requestId, fromThrown(error)),
    list: async () => registered.all,
    get tools() {
      return registered.all;
    },
    coerce(tool, args) {
      // The program that runs it may check nothing, so what its schema promises is filled in here.
      return fillDefaults(registered.find(tool)?.runner?.coerce?.(args) ?? args, tool.inputSchema);
    },
    onlyAsks(tool) {
      const one = registered.find(tool);
      return one !== null && one.runner === undefined && onRequested !== undefined;
    },
    async run(tool, args, context) {
      if (stop.signal.aborted) return CLOSED;
      const one = registered.find(tool);
      if (one === null) return unknownTool(tool.name);
      const { owner, found, runner } = one;
      if (runner !== undefined)
        return runWhileOpen(stop.signal, context, (open) => runHandler(runner, tool, args, open));
      if (onRequested === undefined) return failure("Nobody is connected who could run this tool.");
      return pending.request(owner, found, args, context, onRequested);
    },
    changes: listeners.add,
    async close() {
      stop.abort();
      listeners.clear();
      registered.clear();
      pending.settleAll(CLOSED);
    },
  };
}
