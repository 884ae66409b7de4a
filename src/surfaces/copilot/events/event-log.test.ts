import { expect, test } from "vitest";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { newLive } from "../sessions/open-live.ts";
import type { Live, RuntimeState } from "../state/live.ts";
import type { CopilotEvent } from "../wire/copilot-event.ts";
import { follow } from "./deliver.ts";

/** A session whose log counts how often somebody looks at one of its events. */
function openCounted() {
  const server = { around: { cwd: "/" }, approvesAll: true, files: null } as unknown as RuntimeState;
  const counted = { reads: 0 };
  const log = new Proxy<CopilotEvent[]>([], {
    get(events, key, self) {
      if (typeof key === "string" && /^\d+$/.test(key)) counted.reads += 1;
      return Reflect.get(events, key, self);
    },
  });
  let hear = (_event: SessionEvent): void => {};
  const session = {
    toolset: { scene: { model: null } },
    on: (_name: string, listener: typeof hear) => {
      hear = listener;
    },
  };
  const live: Live = { ...newLive(server, "s", {}), log, session: session as unknown as Live["session"] };
  follow(live);
  let seq = 0;
  const say = (type: string, data: object): void => {
    seq += 1;
    const event = { id: `e${seq}`, seq, at: seq, agent: null, ephemeral: false, type, data };
    hear(event as unknown as SessionEvent); // Only what these tests say.
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
  expect(live.log.length).toBeGreaterThan(4_000);
  expect(costs[999]).toBe(costs[10]);
});

test("arguments that a hook changed are known, and a call that never began has a start before its end", () => {
  const { live, say } = openCounted();
  callOnce(say, "c1", { changed: true });
  expect(live.facts.get("changed arguments")).toEqual(new Map([["c1", { changed: true }]]));
  const ended = { toolCallId: "c2", toolName: "echo", arguments: {}, content: "no", resultType: "denied" };
  say("tool.execution_complete", ended);
  expect(live.log.slice(-2).map(({ type }) => type)).toEqual(["tool.execution_start", "tool.execution_complete"]);
});
