import { hash } from "node:crypto";
import { isRecord } from "../../../core/shape/is-record.ts";
import { findFacts, loadFacts } from "../../../sources/builtin/session/file-memory.ts";
import type { Memory } from "../../../sources/people-port.ts";
import type { ScopedValues } from "../../store/scoped-values.ts";

/** Memories in the store. Those that an older version kept in a file of the workspace are copied once (S8). */
export function createStoredMemory(values: ScopedValues, file: string | null): Memory {
  const stored = values.ofProject("memory");
  const keep = (subject: string, fact: string, at: number): Promise<void> => {
    const key = hash("sha256", JSON.stringify([subject, fact]));
    return stored.change(key, (before) => before ?? { subject, fact, at });
  };
  let ready: Promise<void> | null = null;
  const takeOver = (): Promise<void> => {
    ready ??= values.takeOverOnce("memory", async () => {
      const older = file === null ? [] : await loadFacts(file);
      for (const [at, { subject, fact }] of older.entries()) await keep(subject, fact, at);
    });
    return ready;
  };
  return {
    async store(subject, fact, signal) {
      signal.throwIfAborted();
      await takeOver();
      await keep(subject, fact, Date.now());
    },
    async recall(query, signal) {
      signal.throwIfAborted();
      await takeOver();
      const found = [...(await stored.entries()).values()].flatMap(readFact).sort((one, other) => other.at - one.at);
      return findFacts(
        found.map(({ subject, fact }) => ({ subject, fact })),
        query,
      );
    },
  };
}

function readFact(value: unknown): readonly { readonly subject: string; readonly fact: string; readonly at: number }[] {
  if (!isRecord(value)) return [];
  const { subject, fact, at } = value;
  return typeof subject === "string" && typeof fact === "string" ? [{ subject, fact, at: Number(at) || 0 }] : [];
}
