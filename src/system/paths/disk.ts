import { constants, existsSync, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import * as fs from "node:fs/promises";

/**
 * How a folder, once checked, is held while its entries are used.
 * - `descriptor` (Linux): entries are reached through `/proc/self/fd/<n>/`, so no swap of a parent can redirect them.
 * - `path` (elsewhere): entries are reached by name. On macOS every open refuses a link anywhere in the path
 *   (`O_NOFOLLOW_ANY`), which is as tight for opening; only making an empty folder keeps a window. On other systems an
 *   opened file is compared with what its path leads to afterwards, which a well-timed double swap could pass.
 */
type Anchoring = "descriptor" | "path";

/** The file system as the path code uses it: a seam where tests let single steps fail. */
export interface Disk {
  readonly anchoring: Anchoring;
  /** Added to the flags of every open. */
  readonly noFollow: number;
  open(path: string, flags: number, mode?: number): Promise<FileHandle>;
  write(handle: FileHandle, bytes: Uint8Array): Promise<void>;
  sync(handle: FileHandle): Promise<void>;
  chmod(handle: FileHandle, mode: number): Promise<void>;
  chown(handle: FileHandle, uid: number, gid: number): Promise<void>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  lstat(path: string): Promise<Stats>;
  readdir(path: string): Promise<string[]>;
  access(path: string, mode: number): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string, mode?: number): Promise<void>;
  rmdir(path: string): Promise<void>;
}

/** From `sys/fcntl.h` of macOS 11 and later; Node passes flags through unchanged. */
const MACOS_O_NOFOLLOW_ANY = 0x20000000;

export const NODE_DISK: Disk = {
  anchoring: process.platform === "linux" && existsSync("/proc/self/fd") ? "descriptor" : "path",
  // Windows has no such flag, and the constant is missing there.
  noFollow: process.platform === "darwin" ? MACOS_O_NOFOLLOW_ANY : (constants.O_NOFOLLOW ?? 0),
  open: (path, flags, mode) => fs.open(path, flags, mode),
  write: (handle, bytes) => handle.writeFile(bytes),
  sync: (handle) => handle.sync(),
  chmod: (handle, mode) => handle.chmod(mode),
  chown: (handle, uid, gid) => handle.chown(uid, gid),
  readlink: (path) => fs.readlink(path),
  realpath: (path) => fs.realpath(path),
  lstat: (path) => fs.lstat(path),
  readdir: (path) => fs.readdir(path),
  access: (path, mode) => fs.access(path, mode),
  link: (existing, path) => fs.link(existing, path),
  rename: (from, to) => fs.rename(from, to),
  unlink: (path) => fs.unlink(path),
  mkdir: async (path, mode) => {
    await fs.mkdir(path, mode);
  },
  rmdir: (path) => fs.rmdir(path),
};
