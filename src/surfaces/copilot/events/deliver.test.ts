import { expect, test } from "vitest";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { newParts } from "../sessions/client-session.ts";
import type { CopilotEvent } from "../state/event-log.ts";
import type { RuntimeState } from "../state/runtime-state.ts";
import { newCore, type SessionCore } from "../state/session-core.ts";
import { deliverEvent } from "./deliver.ts";

/** A session whose log counts how often somebody looks at one of its events. */
function openCounted() {
  const server = { approvesAll: true, files: null } as unknown as RuntimeState;
  const counted = { reads: 0 };
  const log = new Proxy<CopilotEvent[]>([], {
    get(events, key, self) {
      if (typeof key === "string" && /^\d+$/.test(key)) counted.reads += 1;
      return Reflect.get(events, key, self);
    },
  });
  const core = newCore(server, "s", {}, "/", 0);
  core.session = { toolset: { scene: { model: null } } } as unknown as SessionCore["session"];
  const parts = newParts(core, false);
  const live = { ...parts, events: { ...parts.events, log } };
  let seq = 0;
  const say = (type: string, data: object): void => {
    seq += 1;
    const event = { id: `e${seq}`, seq, at: seq, agent: null, ephemeral: false, type, data };
    deliverEvent(live, event as unknown as SessionEvent); // Only what these tests say.
  };
  return { live, say, counted };
}

function callOnce(say: (type: string, data: object) => void, id: string, args: object = {}): void {
  const call = { toolCallId: id, toolName: "echo", arguments: args };
  const content = [{ type: "call", call: { id, toolName: "echo", arguments: {} } }];
  say("assistant.message", { messageId: `m${id}`, originatingMessageId: "u", content, native: null, model: "m" });
  say("tool.execution_start", { ...call, mcpServerName: null, parentToolCallId: null });
  say("external_tool.requested", { ...call, requestId: `r${id}`, sessionId: "s", owner: { kind: "host" } });
  say("external_tool.completed", { ...call, requestId: `r${id}`, resultType: "success" });
  say("tool.execution_complete", { ...call, content: "hi", resultType: "success", success: true });
  say("assistant.usage", { model: "m", inputTokens: 1, outputTokens: 1 });
}

test("telling clients of a call reads as little of a long log as of a short one", () => {
  const { live, say, counted } = openCounted();
  const costs: number[] = [];
  for (let call = 0; call < 1_000; call += 1) {
    const before = counted.reads;
    callOnce(say, `c${call}`);
    costs.push(counted.reads - before);
  }
  expect(live.events.log.length).toBeGreaterThan(4_000);
  expect(costs[999]).toBe(costs[10]);
});

test("arguments that a hook changed are known, and a call that never began has a start before its end", () => {
  const { live, say } = openCounted();
  callOnce(say, "c1", { changed: true });
  expect(live.models.changedArguments).toEqual(new Map([["c1", { changed: true }]]));
  const ended = { toolCallId: "c2", toolName: "echo", arguments: {}, content: "no", resultType: "denied" };
  say("tool.execution_complete", ended);
  expect(live.events.log.slice(-2).map(({ type }) => type)).toEqual([
    "tool.execution_start",
    "tool.execution_complete",
  ]);
});
