import { appendFileSync, fstatSync, writeSync } from "node:fs";
import { appendFile, type FileHandle, open, readFile } from "node:fs/promises";
import { parseJson } from "../../core/shape/parse-json.ts";
import { oneAtATime } from "../../system/files/one-at-a-time.ts";
import { writeWhole } from "../../system/files/write-whole.ts";

/**
 * The last row of one run, stored next to the log: without it, rows missing at the end of the log would not be noticed.
 */
export interface Head {
  readonly run: string;
  readonly seq: number;
  readonly hash: string;
}

/** One program's line among the heads of all: rewritten with every few rows, without touching the others. */
export interface HeadFile {
  save(head: Head): Promise<void>;
  /** For the end of the process, when nothing asynchronous can be done any longer. */
  saveNow(head: Head): void;
  close(): Promise<void>;
}

export interface Heads {
  /** Newest last. */
  readonly heads: readonly Head[];
  /** Null if all of it can be read. */
  readonly flaw: string | null;
}

/** Lines have a fixed length, so that each can be overwritten in its place. */
const WIDTH = 128;
/** If there are more, the older half is deleted; most of their rows are gone too. */
const MOST_HEADS = 1_000;
/** How many remain then. */
export const FEWEST_HEADS = MOST_HEADS / 2;

function headPath(path: string): string {
  return `${path}.head`;
}

export async function loadHeads(path: string): Promise<Heads> {
  const text = await readFile(headPath(path), "utf8").catch(() => "");
  const lines = linesOf(text);
  if (lines.length === 0) return { heads: [], flaw: "there is no head beside the log" };
  const read = lines.map(readLine);
  const flaw = read.includes(null) ? "the head beside the log cannot be read" : null;
  return { heads: read.flatMap((heads) => heads ?? []), flaw };
}

export function openHead(path: string): HeadFile {
  const own = headPath(path);
  let slot: { readonly file: FileHandle; readonly at: number } | null = null;
  /** Another program that deleted older ones has replaced the file. */
  const isThere = (): boolean => slot !== null && fstatSync(slot.file.fd).nlink > 0;

  const claim = async (head: Head): Promise<void> => {
    await slot?.file.close();
    slot = null;
    const before = await readFile(own, "utf8").catch(() => "");
    if (linesOf(before).length > MOST_HEADS) await dropOlder(own);
    const line = toLine(head);
    await appendFile(own, before === "" || before.endsWith("\n") ? line : `\n${line}`, { mode: 0o600 });
    const file = await open(own, "r+");
    slot = { file, at: (await file.readFile()).lastIndexOf(line) };
  };

  return {
    async save(head) {
      if (slot === null || !isThere()) await claim(head);
      else await slot.file.write(toLine(head), slot.at);
    },
    saveNow(head) {
      if (slot !== null && isThere()) writeSync(slot.file.fd, toLine(head), slot.at);
      else appendFileSync(own, `\n${toLine(head)}`, { mode: 0o600 });
    },
    async close() {
      await slot?.file.close();
      slot = null;
    },
  };
}

async function dropOlder(own: string): Promise<void> {
  await oneAtATime(own, async () => {
    const lines = linesOf(await readFile(own, "utf8"));
    if (lines.length > MOST_HEADS) await writeWhole(own, `${lines.slice(-FEWEST_HEADS).join("\n")}\n`, 0o600);
  });
}

function toLine(head: Head): string {
  return `${JSON.stringify({ run: head.run, seq: head.seq, hash: head.hash }).padEnd(WIDTH - 1)}\n`;
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** Null if it is not a head. An earlier version stored all heads in one list. */
function readLine(line: string): readonly Head[] | null {
  const value = parseJson(line);
  const heads: readonly unknown[] = Array.isArray(value) ? value : [value];
  return heads.every(isHead) ? heads : null;
}

function isHead(value: unknown): value is Head {
  if (typeof value !== "object" || value === null) return false;
  const { run, seq, hash } = { run: null, seq: null, hash: null, ...value };
  return typeof run === "string" && typeof hash === "string" && Number.isSafeInteger(seq);
}
