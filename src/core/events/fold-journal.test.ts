import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomJournal } from "../../../test/support/random-journal.ts";
import { sortCutCalls } from "./cut-calls.ts";
import { createStamper, type StoredEvent, toStored } from "./envelope.ts";
import type { EventName, SessionEvents } from "./event-types.ts";
import { createFold, foldJournal } from "./fold-journal.ts";
import { EMPTY_STATE } from "./journal-state.ts";
import { fromSnapshot, toSnapshot } from "./snapshot.ts";

describe("replaying gives what living gave (S1)", () => {
  test("at every prefix, from the start and from a snapshot taken anywhere", () => {
    fc.assert(
      fc.property(randomJournal, fc.nat(40), (journal, cut) => {
        const living = createFold();
        const early = fromSnapshot(toSnapshot(foldJournal(journal.slice(0, cut))));
        for (const [at, event] of journal.entries()) {
          living.apply(event);
          const prefix = journal.slice(0, at + 1);
          expect(foldJournal(prefix)).toEqual(living.state);
          if (at + 1 >= cut && early !== null) expect(foldJournal(prefix, early)).toEqual(living.state);
        }
        expect(early).not.toBeNull();
      }),
    );
  });

  test("also where events come twice", () => {
    fc.assert(
      fc.property(randomJournal, fc.nat(40), (journal, from) => {
        const state = foldJournal(journal);
        expect(foldJournal(journal.slice(from), state)).toEqual(state);
      }),
    );
  });

  test("and a state that was given out stays as it was", () => {
    fc.assert(
      fc.property(randomJournal, fc.nat(40), (journal, cut) => {
        const early = foldJournal(journal.slice(0, cut));
        const before = toSnapshot(early);
        foldJournal(journal, early);
        expect(toSnapshot(early)).toBe(before);
      }),
    );
  });
});

test("any part of a journal folds to a state that can be used, also where its beginning is lost", () => {
  fc.assert(
    fc.property(randomJournal, fc.nat(40), fc.nat(40), (journal, from, to) => {
      const part = journal.slice(from, to);
      const state = foldJournal(part);
      expect(state.seq).toBe(part.at(-1)?.seq ?? 0);
      const { interrupted, waiting, unstarted } = sortCutCalls(state);
      expect(interrupted.size + waiting.size + unstarted.size).toBe(state.calls.size);
    }),
  );
});

describe("a type of a newer version (S7)", () => {
  const later = { id: "x", seq: 1, at: 1, parent: null, agent: null, type: "later.kind", data: { a: 1 } };

  test("is skipped", () => {
    expect(foldJournal([later])).toEqual({ ...EMPTY_STATE, seq: 1, last: "x" });
  });

  test("makes the session read-only where it is marked so, for good", () => {
    const state = foldJournal([
      { ...later, critical: true },
      { ...later, id: "y", seq: 2, critical: true },
    ]);
    expect(state.readOnly).toEqual({ type: "later.kind", seq: 1 });
    expect(foldJournal([], fromSnapshot(toSnapshot(state)) ?? EMPTY_STATE).readOnly).toEqual(state.readOnly);
  });

  test("is not taken for what every object has", () => {
    expect(foldJournal([{ ...later, type: "constructor" }]).seq).toBe(1);
  });

  test("is marked by this version for the ones before it", () => {
    expect(journalOf(["history.truncated", { from: 1 }])[0]).toMatchObject({ critical: true });
    expect(journalOf(["skill.invoked", { name: "a" }])[0]).not.toHaveProperty("critical");
  });
});

test("a snapshot of another format counts for nothing", () => {
  for (const text of ["", "null", "{}", toSnapshot(EMPTY_STATE).replace(/"format":\d+/, '"format":0')])
    expect(fromSnapshot(text)).toBeNull();
});

describe("the state holds", () => {
  test("options as they were last set, without those taken away", () => {
    const state = foldJournal(
      journalOf(
        ["session.started", { version: "1", options: { model: "m", excludedTools: ["web"] } }],
        ["session.mode_changed", { previousMode: "default", newMode: "plan" }],
        ["session.options_changed", { options: { excludedTools: null } }],
      ),
    );
    expect(state.options).toEqual({ model: "m", mode: "plan" });
  });

  test("a call that only asks somebody outside once, by its question", () => {
    const running = { toolCallId: "c", toolName: "t", arguments: {} };
    const ofAsked: Happening = ["tool.running", { ...running, onlyAsks: true }];
    expect(journalOf(ofAsked, ["tool.running", running]).map(({ seq }) => seq)).toEqual([1]);
  });

  test("calls by how far they came, so that a crash interrupts only what ran", () => {
    const start = (toolCallId: string, parentToolCallId: string | null = null): Happening => [
      "tool.execution_start",
      { toolCallId, toolName: "t", arguments: {}, mcpServerName: null, parentToolCallId },
    ];
    const asked = { owner: { kind: "host", name: "host" }, sessionId: "s", toolName: "t", arguments: {} } as const;
    const state = foldJournal(
      journalOf(
        start("accepted"),
        start("asks"),
        ["plan.requested", { requestId: "q", toolCallId: "asks", plan: "" }],
        start("ran"),
        ["tool.running", { toolCallId: "ran", toolName: "t", arguments: {} }],
        start("done"),
        ["tool.running", { toolCallId: "done", toolName: "t", arguments: {} }],
        start("inner", "done"),
        complete("inner"),
        complete("done"),
        start("of another call", "gone"),
        ["tool.running", { toolCallId: "of another call", toolName: "t", arguments: {}, onlyAsks: true }],
        ["external_tool.requested", { ...asked, requestId: "r", toolCallId: "of another call" }],
      ),
    );
    const names = (calls: ReadonlyMap<string, unknown>) => [...calls.keys()];
    const { interrupted, waiting, unstarted } = sortCutCalls(state);
    expect([names(interrupted), names(waiting), names(unstarted)]).toEqual([
      ["ran", "of another call"],
      ["asks"],
      ["accepted"],
    ]);
  });

  const said = (text: string): Happening => [
    "user.message",
    { messageId: text, content: [{ type: "text", text }], source: "user" },
  ];
  const answers: Happening = ["tool.answers", { answers: [] }];
  const compacted = (summary: string | null, keptFrom: number): Happening => [
    "session.compaction_complete",
    { success: summary !== null, trigger: "manual", summary, keptFrom, error: null },
  ];

  test("history up to where it was truncated", () => {
    const journal = journalOf(said("a"), said("b"), complete("c"), ["history.truncated", { from: 2 }], said("d"));
    expect(foldJournal(journal).history.map(({ seq }) => seq)).toEqual([1, 5]);
  });

  test("history with a summary in place of what it stands for, or without the results that were dropped (T5)", () => {
    const summed = foldJournal(journalOf(said("a"), answers, said("b"), compacted("short", 3), said("c")));
    expect(summed.history.map(({ seq }) => seq)).toEqual([4, 3, 5]);
    const dropped = foldJournal(journalOf(said("a"), answers, said("b"), compacted(null, 3)));
    expect(dropped.history.map(({ seq, bare }) => [seq, bare ?? false])).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ]);
  });

  test("what each agent used", () => {
    const used = { model: "m", inputTokens: 10, outputTokens: 2, cachedTokens: 4 };
    const events = journalOf(["assistant.usage", { ...used, cost: 1 }], ["assistant.usage", { ...used, cost: null }]);
    const { usage } = foldJournal([...events, { ...events[1], seq: 3, agent: "sub" } as StoredEvent]);
    const once = { requests: 1, inputTokens: 10, outputTokens: 2, cachedTokens: 4, cost: 0 };
    const twice = { requests: 2, inputTokens: 20, outputTokens: 4, cachedTokens: 8, cost: 1 };
    expect(usage).toEqual(new Map(Object.entries({ "": twice, sub: once })));
  });

  test("no question and no call of the session that it was forked from", () => {
    const events = journalOf(
      ["plan.requested", { requestId: "q", toolCallId: null, plan: "" }],
      ["session.forked", { from: "other", at: 1 }],
    );
    expect(foldJournal(events)).toMatchObject({ questions: new Map(), forkedFrom: { session: "other", at: 1 } });
  });
});

type Happening = { [Name in EventName]: readonly [Name, SessionEvents[Name]] }[EventName];

function complete(toolCallId: string): Happening {
  const rest = {
    error: null,
    sessionLog: null,
    toolTelemetry: null,
    cancelledBy: null,
    duration: 1,
    sentToModel: true,
  };
  const done = { success: true, resultType: "success", content: "", ...rest } as const;
  return ["tool.execution_complete", { toolCallId, toolName: "t", arguments: {}, ...done }];
}

function journalOf(...happenings: readonly Happening[]): readonly StoredEvent[] {
  let ids = 0;
  const stamp = createStamper({ today: () => 1, newId: () => `e${++ids}` });
  return happenings.flatMap(([type, data]) => toStored(stamp(type, data)) ?? []);
}

test("what a subagent has for itself is not the session's (S1, B1)", () => {
  const data = { previousMode: "default", newMode: "plan" } as const;
  const event = { id: "a", seq: 1, at: 0, parent: null, type: "session.mode_changed", data };
  expect(foldJournal([{ ...event, agent: "reviewer-1" }]).options).toEqual({});
  expect(foldJournal([{ ...event, agent: null }]).options).toEqual({ mode: "plan" });
});
