import { readFile } from "node:fs/promises";
import { writeWhole } from "../../system/files/write-whole.ts";

/** The last row of one run, kept beside the log: without it nobody could tell that the end of the log is gone. */
export interface Head {
  readonly run: string;
  readonly seq: number;
  readonly hash: string;
}

const MOST_HEADS = 50;

function headPath(path: string): string {
  return `${path}.head`;
}

/** Newest last. One that cannot be read knows of nothing. */
export async function loadHeads(path: string): Promise<readonly Head[]> {
  const text = await readFile(headPath(path), "utf8").catch(() => "[]");
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isHead) : [];
  } catch {
    return [];
  }
}

export async function saveHead(path: string, head: Head): Promise<void> {
  const others = (await loadHeads(path)).filter(({ run }) => run !== head.run);
  await writeWhole(headPath(path), `${JSON.stringify([...others.slice(1 - MOST_HEADS), head])}\n`);
}

function isHead(value: unknown): value is Head {
  if (typeof value !== "object" || value === null) return false;
  const { run, seq, hash } = { run: null, seq: null, hash: null, ...value };
  return typeof run === "string" && typeof hash === "string" && Number.isSafeInteger(seq);
}
