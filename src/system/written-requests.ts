import { readFileSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { isRecord } from "../core/shape/is-record.ts";
import { parseJson } from "../core/shape/parse-json.ts";
import { oneAtATime } from "./files/one-at-a-time.ts";
import { writeWhole } from "./files/write-whole.ts";

/** Requests that a model wrote for one definition of a tool. */
export interface WrittenTool {
  /** Its identity when they were written, for people. */
  readonly tool: string;
  readonly requests: readonly string[];
  /** The model that wrote them. */
  readonly model: string;
}

/** By the signature of a definition: a changed tool has none. */
export type WrittenRequests = ReadonlyMap<string, WrittenTool>;

/** Storage for such requests. */
export interface RequestStore {
  load(): Promise<WrittenRequests>;
  /** Null removes a tool. */
  change(changes: ReadonlyMap<string, WrittenTool | null>): Promise<void>;
}

const OWNER_ONLY = 0o600;
const MOST_BYTES = 50_000_000;
const MOST_TOOLS = 50_000;
const NONE: WrittenRequests = new Map();

const read = new Map<string, { readonly stamp: string; readonly written: WrittenRequests }>();

/** Stored in one file of the person. */
export function createRequestFile(path: string): RequestStore {
  return { load: async () => loadWritten(path), change: (changes) => changeWritten(path, changes) };
}

/** The content of the file; read again only after a change. Unreadable content counts as absent. */
function loadWritten(path: string): WrittenRequests {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const known = read.get(path);
    if (known?.stamp === stamp) return known.written;
    const written = size > MOST_BYTES ? NONE : parse(readFileSync(path, "utf8"));
    read.set(path, { stamp, written });
    return written;
  } catch {
    return NONE;
  }
}

/** Changes the file while no other process does. */
async function changeWritten(path: string, changes: ReadonlyMap<string, WrittenTool | null>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await oneAtATime(path, async () => {
    const next = new Map(loadWritten(path));
    for (const [signature, tool] of changes) {
      next.delete(signature);
      if (tool !== null) next.set(signature, tool);
    }
    const lines = [...next].slice(-MOST_TOOLS).map(([signature, tool]) => JSON.stringify({ signature, ...tool }));
    await writeWhole(path, lines.map((line) => `${line}\n`).join(""), OWNER_ONLY);
    read.delete(path);
  });
}

/** Requests were scanned before they were stored, and no agent's tool works in their folder. */
function parse(text: string): WrittenRequests {
  const found = new Map<string, WrittenTool>();
  for (const line of text.split("\n")) {
    const said = line === "" ? null : parseJson(line);
    const tool = readWrittenTool(said);
    if (tool !== null && isRecord(said) && typeof said.signature === "string") found.set(said.signature, tool);
  }
  return found;
}

/** Null if this program did not store it. */
export function readWrittenTool(said: unknown): WrittenTool | null {
  if (!isRecord(said) || !Array.isArray(said.requests)) return null;
  const requests = said.requests.filter((one): one is string => typeof one === "string");
  return { tool: String(said.tool), requests, model: String(said.model) };
}
