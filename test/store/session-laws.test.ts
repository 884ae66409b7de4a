import fc from "fast-check";
import { expect, test } from "vitest";
import { foldJournal } from "../../src/core/events/fold-journal.ts";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import type { ModelClient } from "../../src/runtime/models/model.ts";
import { createScriptedModel } from "../../src/runtime/models/scripted-model.ts";
import { createSession, resumeSession } from "../../src/runtime/session/library.ts";
import type { Session } from "../../src/runtime/session/public-session.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";

type Step = "say" | "allow" | "deny" | "abort" | "crash" | "crash and continue" | "close";
const steps = fc.array(
  fc.constantFrom<Step>("say", "say", "allow", "deny", "abort", "crash", "crash and continue", "close"),
  { minLength: 3, maxLength: 9 },
);

const LONG = 3_600_000;
const NEVER = new Promise<never>(() => {});

/** It calls after every message of a person, and is done after every answer. */
function createModel(): ModelClient {
  const calls = createScriptedModel({ replies: Array(50).fill({ calls: [{ tool: "write", arguments: {} }] }) });
  const talks = createScriptedModel({ replies: Array(50).fill({ text: "Done." }) });
  const stream: ModelClient["stream"] = (request, signal) =>
    (request.history.at(-1)?.role === "user" ? calls : talks).stream(request, signal);
  return { ...calls, stream };
}

async function live(walk: readonly Step[]): Promise<void> {
  const tables = createMemoryTables();
  const open = () => createStore(createMemoryBackEnd(tables), { lease: { beat: LONG, lost: LONG, takeOver: 0 } });
  const ran: string[] = [];
  const allowed = new Set<string>();
  const write = defineTool("write", {
    description: "Writes",
    handler: (_, { toolCallId }) => {
      ran.push(toolCallId);
      return "written";
    },
  });
  const given = {
    ...{ workspace: null, tools: [write], modelClient: createModel(), onPermissionRequest: () => NEVER },
    permissions: { hostTools: "ask" },
  } as const;
  let store = open();
  let session: Session = await createSession({ ...given, store, sessionId: "one" });
  /** Until nothing moves: the run is over, or a question waits. */
  const settle = async (): Promise<void> => {
    for (let quiet = 0, last = ""; quiet < 8; ) {
      await new Promise(setImmediate);
      const now = JSON.stringify([(await store.read("one")).length, (await store.questions()).length]);
      quiet = now === last ? quiet + 1 : 0;
      last = now;
    }
  };
  const resume = async (continues: boolean): Promise<void> => {
    store = open();
    session = await resumeSession("one", { ...given, store, continue: continues });
  };
  for (const step of walk) {
    const [question] = await store.questions();
    if (step === "say") session.send("Write it.");
    else if (step === "abort") await session.abort();
    else if (step === "crash") await resume(false);
    else if (step === "crash and continue") await resume(true);
    else if (step === "close") {
      await session.close();
      await resume(false);
    } else if (question !== undefined) {
      const { toolCallId } = question.asked as { toolCallId: string };
      if (step === "allow") allowed.add(toolCallId);
      expect(await store.answer(question.id, { decision: step }, "ada")).not.toBe("unknown");
    }
    await settle();
  }
  // Whatever still waits can be answered, and then the conversation can be gone on with.
  let isOver = false;
  const end = session.run("Enough?").then(() => {
    isOver = true;
  });
  while (!isOver) {
    await settle();
    for (const { id } of await store.questions())
      expect(await store.answer(id, { decision: "deny" }, "bob")).not.toBe("unknown");
  }
  await end;
  expect(new Set(ran).size).toBe(ran.length);
  for (const id of ran) expect(allowed).toContain(id);
  const history = await session.history();
  for (const [at, message] of history.entries()) {
    const calls =
      message.role === "assistant" ? message.content.flatMap((one) => (one.type === "call" ? [one.call.id] : [])) : [];
    const next = history[at + 1];
    if (calls.length > 0) expect(next?.role === "answers" && next.answers.map(({ call }) => call.id)).toEqual(calls);
    if (message.role === "answers") expect(history[at - 1]).toMatchObject({ role: "assistant" });
  }
  await session.close();
  const events = await store.read("one");
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  const { questions, calls } = foldJournal(events);
  expect([questions.size, calls.size, (await store.questions()).length]).toEqual([0, 0, 0]);
}

test("messages, answers, aborts, crashes and resumes in any order run nothing twice or unasked, and leave a usable history (S4, S5, S12)", async () => {
  await fc.assert(fc.asyncProperty(steps, live), { numRuns: 25 });
});
