import type { BackEnd } from "./back-end.ts";
import type { MemoryTables } from "./memory-tables.ts";

/** Messages between stores that share the tables, and expiry. */
export function createMemoryMessages(tables: MemoryTables): Pick<BackEnd, "post" | "messages" | "expire"> {
  const { messages, keyValues, questions } = tables;
  return {
    async post(feed, body, after) {
      const last = messages.findLast((row) => row.feed === feed)?.seq ?? 0;
      if (after !== null && after !== last) return null;
      const seq = Math.max(last + 1, Date.now());
      messages.push({ feed, seq, body, at: Date.now() });
      return seq;
    },
    messages: async (wanted) =>
      messages.filter(({ feed, seq }) => seq > (wanted.get(feed) ?? Number.POSITIVE_INFINITY)),
    async expire(what, unchangedFor) {
      const isOld = (at: number): boolean => Date.now() - at >= unchangedFor;
      switch (what.kind) {
        case "messages":
          messages.splice(0, messages.length, ...messages.filter(({ at }) => !isOld(at)));
          return;
        case "key-values":
          for (const [key, rows] of keyValues) {
            if (JSON.parse(key)[0] !== what.name) continue;
            for (const row of rows.values()) if (isOld(row.changed)) rows.delete(row.key);
          }
          return;
        case "questions":
          for (const [id, { row, answer }] of questions)
            if (row.sessionId === what.sessionId && answer !== undefined && isOld(row.created)) questions.delete(id);
      }
    },
  };
}
