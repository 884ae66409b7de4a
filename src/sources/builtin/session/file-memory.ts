import { mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoOf } from "../../../system/paths/path-refusal.ts";
import type { Memory } from "../../people-port.ts";
import { rankByWords } from "./rank-by-words.ts";

interface Fact {
  readonly subject: string;
  readonly fact: string;
}

const NEWLINE = 0x0a;

/**
 * Facts in one file, one JSON object per line. Each is added by a single append, so several processes can share the
 * file; a line torn by a crash is skipped, and the next fact starts on its own line.
 */
export function createFileMemory(path: string): Memory {
  let last: Promise<unknown> = Promise.resolve();
  return {
    store(subject, fact, signal) {
      const stored = last.then(async () => {
        signal.throwIfAborted();
        const known = await loadFacts(path);
        if (!known.some((other) => other.subject === subject && other.fact === fact))
          await append(path, { subject, fact });
      });
      last = stored.catch(() => undefined);
      return stored;
    },
    async recall(query, signal) {
      signal.throwIfAborted();
      const facts = [
        ...new Map((await loadFacts(path)).map((fact) => [JSON.stringify(fact), fact])).values(),
      ].reverse();
      return findFacts(facts, query);
    },
  };
}

/** The facts that match a query, best first; all facts if it is null or empty. */
export function findFacts(facts: readonly Fact[], query: string | null): readonly Fact[] {
  if (query === null || query.trim() === "") return facts;
  const ranked = rankByWords(
    facts.map(({ subject, fact }) => ({ title: subject, text: fact })),
    query,
  );
  return ranked.map(({ title, text }) => ({ subject: title, fact: text }));
}

async function append(path: string, fact: Fact): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(1);
    if (size > 0) await file.read(tail, 0, 1, size - 1);
    const isTorn = size > 0 && tail[0] !== NEWLINE;
    await file.appendFile(`${isTorn ? "\n" : ""}${JSON.stringify(fact)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function loadFacts(path: string): Promise<Fact[]> {
  try {
    return (await readFile(path, "utf8")).split("\n").flatMap(readFact);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

function readFact(line: string): Fact[] {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || !("subject" in value) || !("fact" in value)) return [];
    const { subject, fact } = value;
    return typeof subject === "string" && typeof fact === "string" ? [{ subject, fact }] : [];
  } catch {
    return [];
  }
}
