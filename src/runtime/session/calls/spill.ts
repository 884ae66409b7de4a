import { constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnchoredFolder, openFolder } from "../../../system/paths/anchored-folder.ts";
import { NODE_DISK } from "../../../system/paths/disk.ts";
import { type FileVersion, isSameVersion, toVersion, withFolder } from "../../../system/paths/open-inside.ts";
import type { Spill } from "../../executor/ports.ts";

export interface SpillPlace {
  readonly newId: () => string;
  readonly workspace: string | null;
  readonly sessionId: string;
  /** A result was kept; answers whether `read_result` is there to read it. */
  readonly onKept?: (path: string) => boolean;
  /** Where the session is stored: results belong to it, and go with it. */
  readonly stored?: StoredResults | undefined;
}

/** Long results of a stored session. */
export interface StoredResults {
  /** Keeps one; returns its id. */
  keep(toolCallId: string, text: string): string;
  /** Null for an id that the session never gave out. */
  read(id: string): Promise<string | null>;
}

/** A part of a result that was kept. */
interface KeptPart {
  readonly text: string;
  readonly size: number;
  /** Where the next part starts, in bytes. */
  readonly next: number;
}

export interface SessionSpill extends Spill {
  /** Null for an id that this session never gave out, and where another file stands in the place of what it kept. */
  read(id: string, offset: number, length: number): Promise<KeptPart | null>;
  close(): Promise<void>;
}

/**
 * Keeps long results in files that nobody else can read, inside the workspace so that file tools can read them. They go
 * when the session does.
 */
export function createSpill({ newId, workspace, sessionId, stored, onKept = () => false }: SpillPlace): SessionSpill {
  let folder: Promise<AnchoredFolder> | null = null;
  /** Only what is named here is ever read, as it was written: no path of a model's comes near a file. */
  const kept = new Map<string, FileVersion>();
  return {
    async write(call, text) {
      folder ??= makeFolder(workspace, sessionId);
      const id = stored?.keep(call.id, text) ?? newId();
      const made = await folder;
      if (!kept.has(id)) kept.set(id, await writeNew(made, toName(id), text));
      const path = join(made.path, toName(id));
      // A file is gone when the session is resumed; what reads the store is not.
      return onKept(stored === undefined ? path : "") ? `${path} (read_result reads it by the id "${id}")` : path;
    },
    async read(id, offset, length) {
      const version = kept.get(id);
      if (version !== undefined && folder !== null) return readPart(await folder, id, version, offset, length);
      const text = (await stored?.read(id)) ?? null;
      if (text === null) return null;
      const all = Buffer.from(text);
      return toPart(all.subarray(offset, offset + length), offset, all.length);
    },
    async close() {
      const made = await folder?.catch(() => null);
      kept.clear();
      if (!made) return;
      await made.close();
      await rm(made.path, { recursive: true, force: true });
    },
  };
}

function toName(id: string): string {
  return `${id}.txt`;
}

async function writeNew(folder: AnchoredFolder, name: string, text: string): Promise<FileVersion> {
  const file = await folder.openEntry(name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await file.writeFile(text);
    return toVersion(await file.stat());
  } finally {
    await file.close();
  }
}

async function readPart(
  folder: AnchoredFolder,
  id: string,
  version: FileVersion,
  offset: number,
  length: number,
): Promise<KeptPart | null> {
  const file = await folder.openEntry(toName(id), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await file.stat();
    if (!isSameVersion(version, toVersion(stats))) return null;
    const { size } = stats;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return toPart(buffer.subarray(0, bytesRead), offset, size);
  } finally {
    await file.close();
  }
}

function toPart(bytes: Buffer, offset: number, size: number): KeptPart {
  const isLast = offset + bytes.length >= size;
  const part = bytes.subarray(wholeStart(bytes), isLast ? bytes.length : wholeEnd(bytes));
  return { text: part.toString("utf8"), size, next: isLast ? size : offset + wholeEnd(bytes) };
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

async function makeFolder(workspace: string | null, sessionId: string): Promise<AnchoredFolder> {
  if (workspace === null) return makeAside();
  try {
    return await withFolder(NODE_DISK, await NODE_DISK.realpath(workspace), (root) =>
      within(root, ".toolcrib", (own) =>
        within(own, "results", async (results) => {
          await writeNew(results, ".gitignore", "*\n").catch(() => {});
          const name = sessionId.replace(/[^\w-]/g, "_");
          await NODE_DISK.mkdir(results.at(name), 0o700);
          return results.openFolder(name);
        }),
      ),
    );
  } catch {
    return makeAside();
  }
}

/** Makes the folder if it is missing. A link here would let the workspace's author choose where results go. */
async function within<T>(
  parent: AnchoredFolder,
  name: string,
  use: (folder: AnchoredFolder) => Promise<T>,
): Promise<T> {
  await NODE_DISK.mkdir(parent.at(name), 0o700).catch(() => {});
  const folder = await parent.openFolder(name);
  try {
    return await use(folder);
  } finally {
    await folder.close();
  }
}

async function makeAside(): Promise<AnchoredFolder> {
  return openFolder(NODE_DISK, await NODE_DISK.realpath(await mkdtemp(join(tmpdir(), "toolcrib-results-"))));
}
