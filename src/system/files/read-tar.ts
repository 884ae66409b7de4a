import { gunzipSync } from "node:zlib";

/** A file of an archive. */
export interface ArchivedFile {
  /** Relative, separated by `/`, and never out of the archive. */
  readonly path: string;
  readonly data: Buffer;
  readonly isExecutable: boolean;
}

const NO_ARCHIVE = "it is no tar archive, or a broken one";
const BLOCK = 512;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_FILES = 5_000;

/**
 * The files of a tar archive, compressed or not; folders are implied. Throws for what could lead out of the archive
 * (links, absolute paths, `..`), for more than 64 MB or 5,000 files, and for anything that is no archive.
 */
export function readTar(archive: Buffer): readonly ArchivedFile[] {
  const isPacked = archive[0] === 0x1f && archive[1] === 0x8b;
  const tar = isPacked ? gunzipSync(archive, { maxOutputLength: MOST_BYTES }) : archive;
  if (tar.length < BLOCK) throw new Error(NO_ARCHIVE);
  const files: ArchivedFile[] = [];
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    if (!isHeader(header)) throw new Error(NO_ARCHIVE);
    const size = octal(header, 124, 12);
    const data = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (data.length < size) throw new Error("the archive is cut off");
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "x") longName = readLongName(data) ?? longName;
    else if (type === "L") longName = text(data, 0, data.length);
    else if (type !== "g") {
      const path = toSafePath(longName ?? nameIn(header));
      longName = null;
      if (type === "5") continue;
      if (type !== "0" && type !== "\0")
        throw new Error(`${JSON.stringify(path)} is no plain file; links are not taken`);
      files.push({ path, data, isExecutable: (octal(header, 100, 8) & 0o100) !== 0 });
      if (files.length > MOST_FILES) throw new Error(`the archive has more than ${MOST_FILES} files`);
    }
  }
  return files;
}

function isHeader(header: Buffer): boolean {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  return octal(header, 148, 8) === sum;
}

function nameIn(header: Buffer): string {
  const prefix = text(header, 257, 5) === "ustar" ? text(header, 345, 155) : "";
  return prefix === "" ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`;
}

/** The `path` of an extended header: lines of length, name and value. */
function readLongName(data: Buffer): string | null {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(data.toString("utf8"))?.[1] ?? null;
}

function toSafePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || parts.includes("..") || path.includes("\\") || path.includes("\0"))
    throw new Error(`${JSON.stringify(path)} leads out of the archive`);
  return parts.join("/");
}

function octal(header: Buffer, from: number, length: number): number {
  const value = Number.parseInt(text(header, from, length).trim() || "0", 8);
  return Number.isSafeInteger(value) && value >= 0 ? value : Number.MAX_SAFE_INTEGER;
}

function text(bytes: Buffer, from: number, length: number): string {
  const part = bytes.subarray(from, from + length);
  const end = part.indexOf(0);
  return part.toString("utf8", 0, end === -1 ? part.length : end);
}
