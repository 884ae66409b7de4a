import { fromThrown, toToolResult } from "../../core/call/tool-result.ts";
import type { DefinedTool } from "../../core/tool/define-tool.ts";
import { type Owner, type Tool, toTool } from "../../core/tool/tool.ts";
import { createChangeListeners } from "../parts/change-listeners.ts";
import { findListed } from "../parts/find-tool.ts";
import { keepTools } from "../parts/keep-tools.ts";
import { type ExternalDefinition, isDefined, readDefinition } from "../parts/read-definition.ts";
import { CLOSED, failure, unknownTool } from "../parts/results.ts";
import { runHandler } from "../parts/run-handler.ts";
import { runWhileOpen } from "../parts/run-while-open.ts";
import { type CallManner, CONNECTED, type Source } from "../source.ts";
import { byOwnerKind, ownerKey, toOwner } from "./owner.ts";
import { type CallPorts, createPendingCalls } from "./pending-calls.ts";

/** With a handler it runs in this process; without one its owner is asked and answers later. */
export type ExternalTool = DefinedTool | ExternalDefinition;

export interface Registration {
  /** Whether the list changed. */
  readonly changed: boolean;
  /** Indexes of entries that are not tools. */
  readonly skipped: readonly number[];
}

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

type Runner = Pick<DefinedTool, "handler" | "parse" | "coerce">;

interface Registered {
  readonly owner: Owner;
  readonly tools: readonly Tool[];
  /** For tools that run in this process. */
  readonly runners: ReadonlyMap<Tool, Runner>;
}

export function createExternalSource({
  onRequested,
  manner,
  ...ports
}: CallPorts & { readonly manner?: CallManner } = {}): ExternalSource {
  const listeners = createChangeListeners();
  const owners = new Map<string, Registered>();
  const pending = createPendingCalls(ports);
  let all: readonly Tool[] = [];
  const stop = new AbortController();

  const replace = (owner: Owner, given: readonly ExternalTool[]): Registration => {
    if (stop.signal.aborted) return { changed: false, skipped: [] };
    const before = owners.get(ownerKey(owner))?.tools ?? [];
    const read = given.map((entry) => readTool(entry, owner));
    const entries = read.filter((entry) => entry !== null);
    const tools = keepTools(
      before,
      entries.map(({ tool }) => tool),
    );
    const runners = new Map(
      entries.flatMap(({ runner }, at) => {
        const tool = tools[at];
        return runner === null || tool === undefined ? [] : [[tool, runner] as const];
      }),
    );
    if (tools.length === 0) owners.delete(ownerKey(owner));
    else owners.set(ownerKey(owner), { owner, tools, runners });
    const changed = tools !== before && tools.length + before.length > 0;
    if (changed) {
      const inOrder = [...owners.values()].sort((left, right) => byOwnerKind(left.owner, right.owner));
      all = inOrder.flatMap((registered) => registered.tools);
      listeners.emit();
    }
    return { changed, skipped: read.flatMap((entry, at) => (entry === null ? [at] : [])) };
  };

  const findRegistered = (
    tool: Tool,
  ): { readonly owner: Owner; readonly found: Tool; readonly runner: Runner | undefined } | null => {
    const registered = tool.owner === null ? undefined : owners.get(ownerKey(tool.owner));
    const found = findListed(registered?.tools ?? [], tool);
    if (registered === undefined || found === null) return null;
    return { owner: registered.owner, found, runner: registered.runners.get(found) };
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
    list: async () => all,
    get tools() {
      return all;
    },
    coerce: (tool, args) => findRegistered(tool)?.runner?.coerce?.(args) ?? args,
    onlyAsks(tool) {
      const registered = findRegistered(tool);
      return registered !== null && registered.runner === undefined && onRequested !== undefined;
    },
    async run(tool, args, context) {
      if (stop.signal.aborted) return CLOSED;
      const registered = findRegistered(tool);
      if (registered === null) return unknownTool(tool.name);
      const { owner, found, runner } = registered;
      if (runner !== undefined)
        return runWhileOpen(stop.signal, context, (open) => runHandler(runner, tool, args, open));
      if (onRequested === undefined) return failure("Nobody is connected who could run this tool.");
      return pending.request(owner, found, args, context, onRequested);
    },
    changes: listeners.add,
    async close() {
      stop.abort();
      listeners.clear();
      owners.clear();
      all = [];
      pending.settleAll(CLOSED);
    },
  };
}

function readTool(entry: unknown, owner: Owner): { tool: Tool; runner: Runner | null } | null {
  if (!isDefined(entry)) {
    const tool = readDefinition(entry, owner);
    return tool === null ? null : { tool, runner: null };
  }
  const { tool, handler, parse, coerce } = entry;
  const runner = { handler, ...(parse === undefined ? {} : { parse }), ...(coerce === undefined ? {} : { coerce }) };
  // It may come from another copy of this package, with other fields.
  return { tool: toTool({ ...tool, source: "external", owner }), runner };
}
