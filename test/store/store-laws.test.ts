import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { StoredEvent } from "../../src/core/events/envelope.ts";
import type { BackEnd } from "../../src/runtime/store/back-end.ts";
import { eventsAfter } from "../../src/runtime/store/contract-suite/sample-events.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { openSqlite } from "../../src/runtime/store/sqlite/open-sqlite.ts";
import type { Journal, Store } from "../../src/runtime/store/store.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** What somebody does to one session, in one of three processes. */
type Step =
  | { readonly kind: "append" | "ask" | "close-question" | "release" | "crash" | "resume"; readonly process: number }
  | { readonly kind: "answer"; readonly process: number; readonly question: number };

const whose = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("append", "append", "ask", "close-question", "release", "crash", "resume", "resume"),
    process: whose,
  }),
  fc.record({ kind: fc.constant("answer" as const), process: whose, question: fc.nat(5) }),
);

/** What a store must come to, in the plainest words. */
interface Model {
  readonly events: StoredEvent[];
  readonly questions: Map<string, "open" | "closed" | { readonly by: string }>;
  /** The process that may write; null while nobody does. */
  holder: number | null;
}

interface Process {
  store: Store;
  journal: Journal | null;
}

/** Nobody is silent for long here; who crashed is known by its process. */
const LEASE = { beat: 3_600_000, lost: 3_600_000, takeOver: 3_600_000 };

async function live(steps: readonly Step[], openBackEnd: () => Promise<BackEnd>): Promise<void> {
  const model: Model = { events: [], questions: new Map(), holder: null };
  let machines = 0;
  const dead = new Set<string>();
  const start = async (): Promise<Process> => {
    machines += 1;
    const machine = { id: `m${machines}`, name: "here", version: "1", place: `place ${machines}`, pid: 1 };
    const backEnd = await openBackEnd();
    const seen: BackEnd = {
      ...backEnd,
      hold: (id, own, isGone) => backEnd.hold(id, own, (other) => dead.has(other.id) || isGone(other)),
    };
    return { store: createStore(seen, { lease: LEASE, machine }), journal: null };
  };
  const processes = [await start(), await start(), await start()];
  const left: Store[] = [];
  const first = processes[0] as Process;
  await (await first.store.create({ id: "one", person: "", project: "" })).release();

  for (const [at, { kind, process: index, ...rest }] of steps.entries()) {
    const own = processes[index] as Process;
    const { journal } = own;
    if (kind === "resume") {
      const taken = await own.store.hold("one").catch((error: unknown) => error);
      if (model.holder === null) {
        own.journal = taken as Journal;
        model.holder = index;
        expect(own.journal.end).toEqual({ seq: model.events.length, last: model.events.at(-1)?.id ?? null });
      } else expect(taken).toMatchObject({ code: "store.held" });
    } else if (kind === "crash") {
      dead.add(own.store.machine);
      left.push(own.store);
      processes[index] = await start();
      if (model.holder === index) model.holder = null;
    } else if (kind === "answer") {
      const id = [...model.questions.keys()][(rest as { question: number }).question] ?? "nobody's";
      const state = model.questions.get(id);
      const wanted = state === undefined ? "unknown" : state === "open" ? "answered" : "already_answered";
      expect(await own.store.answer(id, at, `p${index}`)).toBe(wanted);
      if (wanted === "answered") model.questions.set(id, { by: `p${index}` });
    } else if (journal === null) {
    } else if (kind === "release") {
      await journal.release();
      own.journal = null;
      if (model.holder === index) model.holder = null;
    } else {
      const events = eventsAfter(journal.end, 1 + (at % 3));
      const open = [...model.questions].find(([, state]) => state === "open")?.[0];
      const asked = kind === "ask" ? [{ id: `q${at}`, kind: "permission" as const, asked: {} }] : [];
      const closed = kind === "close-question" && open !== undefined ? [open] : [];
      await journal.append(events, { asked, closed });
      model.events.push(...events);
      for (const { id } of asked) model.questions.set(id, "open");
      for (const id of closed) model.questions.set(id, "closed");
    }
  }

  const { store } = processes[0] as Process;
  expect(await store.read("one")).toEqual(model.events);
  const open = [...model.questions].flatMap(([id, state]) => (state === "open" ? [id] : []));
  expect((await store.questions()).map(({ id }) => id).sort()).toEqual(open.sort());
  for (const [id, state] of model.questions) {
    if (state === "open") continue;
    const answer = await store.answerTo(id, new AbortController().signal);
    expect(answer?.by ?? "closed").toBe(state === "closed" ? "closed" : state.by);
  }
  for (const opened of [...left, ...processes.map((one) => one.store)]) await opened.close();
}

test("answers, crashes and resumes in any order come to what a plain model says, in memory (S1, S3, S4)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const tables = createMemoryTables();
      await live(steps, async () => createMemoryBackEnd(tables));
    }),
  );
});

test("answers, crashes and resumes in any order come to what a plain model says, in SQLite (S1, S3, S4)", async () => {
  const { base } = tempWorkspace();
  let files = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      files += 1;
      const path = join(base, `${files}.db`);
      await live(steps, () => openSqlite(path));
    }),
    { numRuns: 10 },
  );
});
