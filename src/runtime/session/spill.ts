import { randomUUID } from "node:crypto";
import { lstat, mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Spill } from "../executor/ports.ts";

export interface SpillPlace {
  readonly workspace: string | null;
  readonly sessionId: string;
  /** A result was kept; answers whether `read_result` is there to read it. */
  readonly onKept?: (path: string) => boolean;
}

/** A part of a result that was kept. */
interface KeptPart {
  readonly text: string;
  readonly size: number;
  /** Where the next part starts, in bytes. */
  readonly next: number;
}

export interface SessionSpill extends Spill {
  /** Null for an id that this session never gave out. */
  read(id: string, offset: number, length: number): Promise<KeptPart | null>;
  close(): Promise<void>;
}

/**
 * Keeps long results in files that nobody else can read, inside the workspace so that file tools can read them. They go
 * when the session does.
 */
export function createSpill({ workspace, sessionId, onKept = () => false }: SpillPlace): SessionSpill {
  let folder: Promise<string> | null = null;
  /** Only what is named here is ever read: no path of a model's comes near a file. */
  const kept = new Map<string, string>();
  return {
    async write(_call, text) {
      folder ??= makeFolder(workspace, sessionId);
      const id = randomUUID();
      const path = join(await folder, `${id}.txt`);
      await writeFile(path, text, { flag: "wx", mode: 0o600 });
      kept.set(id, path);
      return onKept(path) ? `${path} (read_result reads it by the id "${id}")` : path;
    },
    async read(id, offset, length) {
      const path = kept.get(id);
      return path === undefined ? null : readPart(path, offset, length);
    },
    async close() {
      const made = await folder?.catch(() => null);
      kept.clear();
      if (made) await rm(made, { recursive: true, force: true });
    },
  };
}

async function readPart(path: string, offset: number, length: number): Promise<KeptPart> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    const bytes = buffer.subarray(0, bytesRead);
    const isLast = offset + bytesRead >= size;
    const part = bytes.subarray(wholeStart(bytes), isLast ? bytesRead : wholeEnd(bytes));
    return { text: part.toString("utf8"), size, next: isLast ? size : offset + wholeEnd(bytes) };
  } finally {
    await file.close();
  }
}

const CONTINUES = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Behind what is left of a character that began before. */
function wholeStart(bytes: Buffer): number {
  let at = 0;
  while (at < 3 && CONTINUES(bytes[at])) at += 1;
  return at;
}

/** In front of a character that does not end here; never in front of everything. */
function wholeEnd(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at > 0 && at > bytes.length - 4 && CONTINUES(bytes[at])) at -= 1;
  const first = bytes[at] ?? 0;
  const needed = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return at + needed <= bytes.length || at <= 0 ? bytes.length : at;
}

async function makeFolder(workspace: string | null, sessionId: string): Promise<string> {
  const aside = () => mkdtemp(join(tmpdir(), "toolcrib-results-"));
  if (workspace === null) return aside();
  const [own, results] = [join(workspace, ".toolcrib"), join(workspace, ".toolcrib", "results")];
  try {
    for (const path of [own, results]) {
      await mkdir(path, { mode: 0o700 }).catch(() => {});
      // A link here would let whoever wrote the workspace choose where results go.
      if (!(await lstat(path)).isDirectory()) return aside();
    }
    await writeFile(join(results, ".gitignore"), "*\n", { flag: "wx" }).catch(() => {});
    const folder = join(results, sessionId.replace(/[^\w-]/g, "_"));
    await mkdir(folder, { mode: 0o700 });
    return folder;
  } catch {
    return aside();
  }
}
