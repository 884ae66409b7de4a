import type { BackEnd } from "./back-end.ts";
import { changeStoredQuestions, createMemoryJournals } from "./memory-journals.ts";
import { createMemoryKeyValues } from "./memory-key-values.ts";
import { createMemoryLog } from "./memory-log.ts";
import { createMemoryMessages } from "./memory-messages.ts";
import { createMemoryTables, type MemoryTables } from "./memory-tables.ts";

/** Stores everything in this process; for programs that want no file, and for tests. */
export function createMemoryBackEnd(tables: MemoryTables = createMemoryTables()): BackEnd {
  const { questions, listeners } = tables;
  let own: ((ids: readonly string[] | null) => void) | null = null;
  return {
    pollEvery: null,
    bell: {
      ring(ids) {
        for (const listener of listeners) if (listener !== own) listener(ids);
      },
      listen(listener) {
        own = listener;
        listeners.add(listener);
      },
    },
    ...createMemoryJournals(tables),
    ...createMemoryKeyValues(tables),
    ...createMemoryMessages(tables),
    log: createMemoryLog(tables),
    ask: async (sessionId, changes) => changeStoredQuestions(questions, sessionId, changes),
    async answer(id, answer, by) {
      const question = questions.get(id);
      if (question === undefined) return "unknown";
      if (question.answer !== undefined) return "already_answered";
      question.answer = { answer, by };
      return "answered";
    },
    questions: async (id) =>
      [...questions.values()].flatMap(({ row, answer }) =>
        answer === undefined && (id ?? row.sessionId) === row.sessionId ? [row] : [],
      ),
    async answers(ids) {
      const open = (id: string): boolean => questions.has(id) && questions.get(id)?.answer === undefined;
      return new Map(ids.filter((id) => !open(id)).map((id) => [id, questions.get(id)?.answer ?? null]));
    },
    async close() {
      if (own !== null) listeners.delete(own);
    },
  };
}
