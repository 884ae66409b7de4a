import { expect, test } from "vitest";
import { createStamper } from "../../../core/events/envelope.ts";
import type { EventName, SessionEvents } from "../../../core/events/event-types.ts";
import { createRedactor } from "../../../runtime/audit/redact-value.ts";
import type { RunEntry } from "../api/api.ts";
import { createRunLog } from "./run-log.ts";

const SECRET = "tok-0123456789abcdef";
const REDACTOR = createRedactor([SECRET]);
const FACTS = { waiting: new Set<string>(), isOpen: () => false };

/** A log, and sessions that tell it what happens in them. */
function createLog() {
  const log = createRunLog();
  const open = (id: string) => {
    let ids = 0;
    const stamp = createStamper({ today: () => 1_000, newId: () => `${id}-${ids++}` });
    const tell = <Name extends EventName>(name: Name, data: SessionEvents[Name], agent: string | null = null) =>
      log.record({ id, label: id }, stamp(name, data, agent));
    const say = (text: string) =>
      tell("user.message", { messageId: "m", content: [{ type: "text", text }], source: "user" });
    return { tell, say, find: () => log.find(id, REDACTOR, FACTS) };
  };
  return { log, open };
}

type Tell = ReturnType<ReturnType<typeof createLog>["open"]>["tell"];

function begin(tell: Tell, id: string, tool: string, parentToolCallId: string | null = null): void {
  tell("tool.execution_start", {
    ...{ toolCallId: id, toolName: tool, arguments: { token: SECRET }, mcpServerName: null, parentToolCallId },
    ...(parentToolCallId === null ? {} : { codeLine: { line: 3, text: "await view()" } }),
  });
}

const turnsOf = (entries: readonly RunEntry[] = []) => entries.filter((entry) => entry.kind === "turn");

test("a session that talks to no model is no run, and one that does is", () => {
  const { log, open } = createLog();
  const { tell, say } = open("s");
  begin(tell, "c1", "view");
  expect(log.list(REDACTOR, FACTS)).toEqual([]);
  say(`Hello ${SECRET}`);
  expect(log.list(REDACTOR, FACTS)).toMatchObject([{ id: "s", prompt: "Hello [hidden]", state: "running" }]);
  expect(log.list(REDACTOR, { ...FACTS, waiting: new Set(["s"]) })).toMatchObject([{ state: "waiting" }]);
  tell("session.idle", { stopReason: "end" });
  expect(log.list(REDACTOR, FACTS)).toMatchObject([{ state: "idle", stopReason: "end" }]);
});

test("calls stand under their request, those of code under the code, and secrets are masked", () => {
  const { tell, say, find } = createLog().open("s");
  say("Go");
  tell("assistant.turn_start", { turnId: "t1" });
  tell("assistant.message_delta", { messageId: "m", deltaContent: `I loo${SECRET}` });
  expect(turnsOf(find()?.entries)).toMatchObject([{ text: "I loo[hidden]", isStreaming: true }]);
  begin(tell, "c1", "run_code");
  begin(tell, "c2", "view", "c1");
  tell("tool.running", { toolCallId: "c2", toolName: "view", arguments: {} });
  expect(turnsOf(find()?.entries)[0]?.calls).toMatchObject([
    { tool: "run_code", arguments: { token: "[hidden]" }, inside: [{ tool: "view", state: "running", line: 3 }] },
  ]);
});

test("what a broken request has written is gone when it is made again", () => {
  const { tell, say, find } = createLog().open("s");
  say("Go");
  tell("assistant.turn_start", { turnId: "t1" });
  tell("assistant.message_delta", { messageId: "m", deltaContent: "Half a" });
  tell("assistant.retry", { attempt: 1, of: 3, delay: 1_000, message: "it broke" });
  tell("assistant.message_delta", { messageId: "m", deltaContent: "Whole." });
  expect(turnsOf(find()?.entries)).toMatchObject([{ text: "Whole." }]);
});

test("agents form a tree, each with its state and what it used", () => {
  const { tell, say, find } = createLog().open("s");
  say("Go");
  const started = { agentName: "explore", toolCallId: "c1", description: "look", mode: "wait", team: null } as const;
  tell("subagent.started", { ...started, agentId: "b", parentId: "a" }, "b");
  tell("subagent.started", { ...started, agentId: "a", parentId: null }, "a");
  const used = { model: "m", inputTokens: 10, outputTokens: 5, cachedTokens: 1, cost: 0.5 };
  tell("assistant.usage", used, "a");
  tell("assistant.usage", used);
  tell("subagent.failed", { agentId: "b", agentName: "explore", toolCallId: "c1", error: "broke" }, "b");
  expect(find()?.agents).toMatchObject([
    { id: null, used: { requests: 1, cost: 0.5 } },
    { id: "a", state: "running", used: { input: 10 } },
    { id: "b", parent: "a", state: "failed", error: "broke" },
  ]);
  expect(find()?.run).toMatchObject({ agents: 2, used: { requests: 2, cost: 1 } });
});

test("however much is written and however many run, what is kept stays small", () => {
  const { log, open } = createLog();
  const { tell, say, find } = open("s");
  say("x".repeat(1_000_000));
  for (let turn = 0; turn < 400; turn += 1) {
    tell("assistant.turn_start", { turnId: `t${turn}` });
    for (let piece = 0; piece < 30; piece += 1)
      tell("assistant.message_delta", { messageId: "m", deltaContent: "y".repeat(1_000) });
    for (let call = 0; call < 80; call += 1) begin(tell, `c${turn}-${call}`, "view");
  }
  const details = find();
  expect(details?.isCut).toBe(true);
  expect(JSON.stringify(details).length).toBeLessThan(700_000);
  expect(turnsOf(details?.entries).at(-1)).toMatchObject({ number: 400, hidden: 10_000, hiddenCalls: 20 });
  for (let run = 0; run < 200; run += 1) open(`other-${run}`).say("Go");
  expect(log.list(REDACTOR, FACTS)).toHaveLength(50);
});
