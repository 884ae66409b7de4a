import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KnownEvent, SessionEvent } from "../../core/events/envelope.ts";
import type { SessionEvents } from "../../core/events/event-types.ts";
import { addToHistory, type HistoryEntry, toHistoryMessage, withoutResults } from "../../core/events/history.ts";
import { createEmitter } from "../events/emitter.ts";
import { followHistory } from "./conversation-history.ts";

function prepare() {
  const emitter = createEmitter({
    today: () => 0,
    newId: () => "id",
    onListenerError: (error) => expect(error).toBe(null),
  });
  const events: SessionEvent[] = [];
  return { emitter, events };
}

const said = (text: string): SessionEvents["user.message"] => ({
  ...{ messageId: text, source: "user", content: [{ type: "text", text }] },
});

const shortened = (summary: string | null, keptFrom: number): SessionEvents["session.compaction_complete"] => ({
  ...{ success: true, trigger: "manual", error: null, summary, keptFrom },
});

const agents = fc.constantFrom(null, "a", "b");
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ agent: agents, text: fc.string() }) },
  fc.record({ agent: agents, summary: fc.option(fc.string()), keptFrom: fc.nat(30) }),
  fc.record({ from: fc.nat(30) }),
);

/** What a replay of everything gives. */
function replay(events: readonly KnownEvent[], agent: string | null) {
  const entries: HistoryEntry[] = [];
  for (const event of events) addToHistory(entries, event);
  return entries
    .filter((entry) => entry.agent === agent)
    .map(({ seq, bare }) => {
      const event = events.find((one) => one.seq === seq);
      const message = event && toHistoryMessage(event);
      return { seq, message: message !== undefined && bare === true ? withoutResults(message) : message };
    });
}

test("a followed history is the one of a replay, for each agent, from wherever it is followed (S1)", () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 30 }), fc.nat(30), agents, (all, begun, agent) => {
      const { emitter, events } = prepare();
      emitter.live((event) => void events.push(event));
      const emitOne = (one: (typeof all)[number]): void => {
        if ("text" in one) emitter.emit("user.message", said(one.text), one.agent);
        else if ("from" in one) emitter.emit("history.truncated", one);
        else emitter.emit("session.compaction_complete", shortened(one.summary, one.keptFrom), one.agent);
      };
      for (const one of all.slice(0, begun)) emitOne(one);
      const history: HistoryEntry[] = [];
      for (const event of events) addToHistory(history, event);
      const { items } = followHistory(agent, { history, past: events.slice() }, emitter.live);
      for (const one of all.slice(begun)) {
        emitOne(one);
        expect(items()).toEqual(replay(events, agent));
      }
      expect(items()).toEqual(replay(events, agent));
    }),
  );
});

test("a list that was handed out does not change", () => {
  const { emitter } = prepare();
  const { items } = followHistory(null, { history: [], past: [] }, emitter.live);
  emitter.emit("user.message", said("one"));
  const first = items();
  emitter.emit("user.message", said("two"));
  expect(first).toHaveLength(1);
  expect(items()).toHaveLength(2);
  expect(items()).toBe(items());
});

test("what no request reads any more is not kept, and nothing of other agents is", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { emitter } = prepare();
  const { items, close } = followHistory(null, { history: [], past: [] }, emitter.live);
  const kept: WeakRef<object>[] = [];
  const say = (text: string, agent: string | null): void => {
    const data = said(text);
    kept.push(new WeakRef(data.content));
    emitter.emit("user.message", data, agent);
  };
  for (let at = 1; at <= 4; at++) say(`message ${at}`, at === 2 ? "child" : null);
  expect(items()).toHaveLength(3);
  emitter.emit("session.compaction_complete", shortened("They talked.", 4));
  expect(items()).toHaveLength(2);
  const left = async (): Promise<readonly boolean[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return kept.map((ref) => ref.deref() !== undefined);
  };
  expect(await left()).toEqual([false, false, false, true]);
  close();
  say("after its end", null);
  expect(items()).toHaveLength(2);
});
