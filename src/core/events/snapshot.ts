import type { JournalState } from "./journal-state.ts";

/** Increase when folding the same events gives another state; snapshots with another number are ignored. */
const FORMAT = 5;

/** A state as JSON, so that a long journal need not be read from its start. */
export function toSnapshot({
  skills,
  results,
  grants,
  files,
  questions,
  calls,
  usage,
  ...plain
}: JournalState): string {
  const lists = {
    skills: [...skills],
    results: [...results],
    grants: [...grants],
    files: [...files],
    questions: [...questions],
    calls: [...calls],
  };
  return JSON.stringify({ format: FORMAT, ...plain, ...lists, usage: [...usage] });
}

/** Null if the snapshot cannot be used: the journal holds the same. */
export function fromSnapshot(text: string): JournalState | null {
  try {
    const { format, skills, results, grants, files, questions, calls, usage, ...plain } = JSON.parse(text);
    if (format !== FORMAT) return null;
    return {
      ...plain,
      skills: new Set(skills),
      results: new Set(results),
      grants: new Map(grants),
      files: new Map(files),
      questions: new Map(questions),
      calls: new Map(calls),
      usage: new Map(usage),
    };
  } catch {
    return null;
  }
}
