import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import { socketFolders } from "../../../config/layers/state-folder.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";

type Places = Parameters<typeof socketFolders>[0];

/** What an address of a socket may have in bytes on every system: 104 with the end on some, 108 on others. */
const MOST_BYTES = 103;
const PRIVATE = 0o700;
const TOO_OPEN = "can be entered by others";

/**
 * Where the socket of a workspace goes: in a folder that only this person can enter, outside the workspace, since
 * whatever runs sandboxed in there could speak to it otherwise. Throws `up.no-socket`.
 */
export async function prepareSocket(places: Places, workspace: string, key: string): Promise<string> {
  if (process.platform === "win32") return `\\\\.\\pipe\\toolcrib-${key}-${process.pid}`;
  const reasons: string[] = [];
  for (const folder of socketFolders(places, tmpdir(), process.getuid?.() ?? 0)) {
    const path = join(folder, `${key}.sock`);
    const problem = !fitsSocket(path)
      ? "is too long for a socket"
      : isInside(workspace, folder)
        ? "lies in the workspace"
        : await prepareFolder(folder);
    if (problem === null) return path;
    reasons.push(`${folder} ${problem}`);
  }
  const text = `there is no safe folder for the socket: ${reasons.join("; ")}. Set XDG_RUNTIME_DIR to a folder of your own`;
  throw new ToolcribError("up.no-socket", text, { names: [] });
}

/** Null when nobody else can enter the folder or put another one in its place. */
export async function findFolderProblem(folder: string): Promise<string | null> {
  if (process.platform === "win32") return null;
  const found = await lstat(folder).catch(() => null);
  if (found === null) return "cannot be made";
  if (found.isSymbolicLink()) return "is a symbolic link";
  if (!found.isDirectory()) return "is not a folder";
  if (found.uid !== process.getuid?.()) return "belongs to somebody else";
  return (found.mode & 0o077) === 0 ? null : TOO_OPEN;
}

export function fitsSocket(path: string): boolean {
  return Buffer.byteLength(path) <= MOST_BYTES;
}

/** Null when the folder is there and this person's alone. */
export async function prepareFolder(folder: string): Promise<string | null> {
  await mkdir(folder, { recursive: true, mode: PRIVATE }).catch(() => undefined);
  // Its own folder that has become too open is put right; anybody else's is refused.
  if ((await findFolderProblem(folder)) === TOO_OPEN) await chmod(folder, PRIVATE).catch(() => undefined);
  return findFolderProblem(folder);
}

function isInside(folder: string, path: string): boolean {
  return isAbsolute(path) && (path === folder || path.startsWith(folder === sep ? sep : folder + sep));
}
