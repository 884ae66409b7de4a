import { randomUUID } from "node:crypto";
import type { Call } from "../../src/core/call/call.ts";
import type { ToolResult } from "../../src/core/call/tool-result.ts";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import type { CallEvents } from "../../src/core/events/event-types.ts";
import { DEFAULT_SCENE } from "../../src/core/scene/default-scene.ts";
import { type Tool, type ToolFields, toTool } from "../../src/core/tool/tool.ts";
import { buildToolset } from "../../src/core/toolset/build-toolset.ts";
import { createExecutor, type Executor } from "../../src/runtime/executor/executor.ts";
import { DEFAULT_LIMITS } from "../../src/runtime/executor/executor-limits.ts";
import type { ExecutorPorts, Judgement } from "../../src/runtime/executor/ports.ts";
import { createScheduler } from "../../src/runtime/executor/scheduler.ts";
import type { CallPart } from "../../src/runtime/executor/stream.ts";
import { createValidator } from "../../src/runtime/executor/validator.ts";
import { createRequest, type Request } from "../../src/runtime/requests/request.ts";
import { type CallManner, IN_PROCESS, type RunContext, type Source } from "../../src/sources/source.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";

export type RunTool = (tool: Tool, args: Readonly<Record<string, unknown>>, context: RunContext) => Promise<ToolResult>;

export const ALLOWED: Judgement = {
  kind: "allowed",
  readOnly: false,
  reach: () => ({}),
  decision: {
    decision: "allow",
    code: "permission.allowed",
    text: "a test allows it",
    origin: { kind: "default" },
    rule: null,
    parts: [],
  },
};

/** For permissions whose rules never change. */
export function neverAgain(): never {
  throw new Error("nothing changed, so nothing is judged again");
}

/** Calls that are all there already. */
export function* toParts(calls: Iterable<Call>): Generator<CallPart> {
  for (const call of calls) yield { type: "call", call };
  yield { type: "stop", confirmed: true };
}

export interface Harness {
  readonly executor: Executor;
  readonly request: Request;
  readonly clock: FakeClock;
  readonly events: { readonly name: keyof CallEvents; readonly data: CallEvents[keyof CallEvents] }[];
  of<Name extends keyof CallEvents>(name: Name): CallEvents[Name][];
}

/** An executor on in-memory tools that allows everything, save for the ports that a test brings. */
export function anExecutor(
  tools: readonly ToolFields[],
  run: RunTool,
  ports: Partial<ExecutorPorts> = {},
  manner: CallManner = IN_PROCESS,
): Harness {
  const listed = tools.map((fields) =>
    toTool({ source: "external", owner: { kind: "host", name: "host" }, inputSchema: { type: "object" }, ...fields }),
  );
  const toolset = buildToolset(buildCatalog(listed), {
    ...DEFAULT_SCENE,
    toolSearch: { value: { use: "off" }, origin: { kind: "default" } },
    sandbox: { ...DEFAULT_SCENE.sandbox, allowHostShell: { value: true, origin: { kind: "default" } } },
  });
  const source: Source = {
    kind: "external",
    name: "test",
    manner,
    status: { state: "connected", reason: null, next: null, stderr: null },
    list: async () => listed,
    run,
    changes: () => () => {},
    close: async () => {},
  };
  const clock = createFakeClock();
  const events: Harness["events"] = [];
  const executor = createExecutor({
    sessionId: "s1",
    clock,
    newId: randomUUID,
    validator: createValidator(),
    scheduler: createScheduler(),
    hooks: {
      pre: () => ({ decision: null, reason: null, additionalContext: [], endTurn: false }),
      post: () => ({ additionalContext: [], endTurn: false }),
    },
    permissions: { revision: 1, judge: () => ALLOWED, again: neverAgain },
    accessOf: ({ tool }) => ({ exclusive: !(tool.traits.readOnly && tool.traits.concurrencySafe), keys: null }),
    isTrusted: () => true,
    // Only events of calls are told by an executor.
    emit: (name, data) => void events.push({ name, data } as Harness["events"][number]),
    spill: { write: async (call) => `/spill/${call.id}.txt` },
    limits: DEFAULT_LIMITS,
    onError: () => {},
    ...ports,
  });
  return {
    executor,
    request: createRequest(
      toolset,
      () => toolset,
      () => source,
    ),
    clock,
    events,
    // Filtered by the very name that the type is looked up by.
    of: <Name extends keyof CallEvents>(name: Name) =>
      events.filter((event) => event.name === name).map(({ data }) => data as CallEvents[Name]),
  };
}
