import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { type AnchoredFolder, openFolder } from "./anchored-folder.ts";
import type { Disk } from "./disk.ts";
import { type FileVersion, isSameVersion, toVersion } from "./open-inside.ts";
import { errnoOf, PathRefusal } from "./path-refusal.ts";
import type { Place } from "./resolve-inside.ts";

/** One file to create, to replace as it was read, or to delete as it was read. A move is a create and a delete. */
export type FileChange =
  | { readonly kind: "create"; readonly place: Place; readonly bytes: Uint8Array; readonly mode?: number }
  | { readonly kind: "replace"; readonly place: Place; readonly bytes: Uint8Array; readonly version: FileVersion }
  | { readonly kind: "delete"; readonly place: Place; readonly version: FileVersion };

/** A change whose new bytes are already on disk under another name, with its folder held open. */
interface Staged {
  readonly change: FileChange;
  readonly folder: AnchoredFolder;
  readonly name: string;
  /** Name of the file with the new bytes; null for a delete. */
  readonly fresh: string | null;
}

type Step = () => Promise<void>;

/** Work to do after the changes. */
interface Ledger {
  /** Reverts the changes, last first, if a step failed. */
  readonly undo: Step[];
  /** Cleans up, last first, in any case. */
  readonly tidy: ((failed: boolean) => Promise<void>)[];
}

/** Errors of file systems without hard links. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

/**
 * Makes all changes or none. Everything is written beside its target first and renamed at the end, so no file is ever
 * half-written; if a step fails, the earlier ones are undone. Modes stay, links are never followed, and a file that
 * changed since it was read is not overwritten.
 */
export async function changeFiles(disk: Disk, changes: readonly FileChange[]): Promise<void> {
  const ledger: Ledger = { undo: [], tidy: [] };
  let failed = false;
  try {
    const staged: Staged[] = [];
    for (const change of changes) staged.push(await stage(disk, change, ledger));
    for (const one of staged) await commit(disk, one, changes.length > 1, ledger);
  } catch (error) {
    failed = true;
    for (const step of ledger.undo.reverse()) await attempt(step);
    throw error;
  } finally {
    for (const step of ledger.tidy.reverse()) await attempt(() => step(failed));
  }
}

async function stage(disk: Disk, change: FileChange, ledger: Ledger): Promise<Staged> {
  const folder = await openParent(disk, change.place, ledger);
  const name = basename(change.place.real);
  const found = await statEntry(disk, folder, name);
  checkExpectation(change, found);
  if (change.kind === "delete") return { change, folder, name, fresh: null };
  // Renaming over a file needs no permission to write to it, so it is checked here.
  if (found !== null) await disk.access(folder.at(name), constants.W_OK);
  const fresh = spareName();
  ledger.tidy.push(() => remove(disk, folder, fresh));
  await writeFresh(disk, change, folder, fresh, found);
  return { change, folder, name, fresh };
}

async function commit(disk: Disk, staged: Staged, keepOld: boolean, { undo, tidy }: Ledger): Promise<void> {
  const { change, folder, name, fresh } = staged;
  await folder.confirm();
  checkExpectation(change, await statEntry(disk, folder, name));
  const target = folder.at(name);
  const old = spareName();
  const putBack = async () => {
    await disk.rename(folder.at(old), target);
    // Renaming a hard link over another link to the same file does nothing, and would leave this one behind.
    await remove(disk, folder, old);
  };
  // After a failure the old bytes are only ever removed by putting them back.
  const dropOld = (failed: boolean) => (failed ? Promise.resolve() : remove(disk, folder, old));
  switch (change.kind) {
    case "create":
      await createFrom(disk, folder.at(fresh ?? name), target, change.place);
      undo.push(() => remove(disk, folder, name));
      return;
    case "replace":
      if (keepOld) {
        await keepUnder(disk, target, folder.at(old));
        undo.push(putBack);
        tidy.push(dropOld);
      }
      return disk.rename(folder.at(fresh ?? name), target);
    case "delete":
      await disk.rename(target, folder.at(old));
      undo.push(putBack);
      tidy.push(dropOld);
      return;
  }
}

/** Opens the folder of a place, and creates the missing folders on the way, each inside the one before. */
async function openParent(disk: Disk, place: Place, { tidy }: Ledger): Promise<AnchoredFolder> {
  let folder = await openFolder(disk, place.missing.length === 0 ? dirname(place.real) : place.existing);
  const opened: AnchoredFolder[] = [folder];
  tidy.push(async () => {
    for (let one = opened.pop(); one !== undefined; one = opened.pop()) await one.close();
  });
  for (const name of place.missing.slice(0, -1)) {
    const inside = folder;
    if (await makeFolder(disk, inside, name)) {
      tidy.push((failed) => (failed ? disk.rmdir(inside.at(name)) : Promise.resolve()));
    }
    folder = await inside.openFolder(name);
    opened.push(folder);
  }
  return folder;
}

/** False if it exists: an earlier change of the same batch may have made it. */
async function makeFolder(disk: Disk, inside: AnchoredFolder, name: string): Promise<boolean> {
  try {
    await disk.mkdir(inside.at(name));
    return true;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    return false;
  }
}

async function writeFresh(
  disk: Disk,
  change: Exclude<FileChange, { readonly kind: "delete" }>,
  folder: AnchoredFolder,
  fresh: string,
  old: Stats | null,
): Promise<void> {
  const handle = await folder.openEntry(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
  try {
    const mode = old === null ? (change.kind === "create" ? change.mode : undefined) : old.mode & 0o7777;
    // Before the bytes are written, so that nobody can read them who could not read the old ones.
    if (old !== null) await keepOwner(disk, handle, old);
    if (mode !== undefined) await disk.chmod(handle, mode);
    await disk.write(handle, change.bytes);
    await disk.sync(handle);
  } finally {
    await handle.close();
  }
}

/** Only root can give files away; for others the owner is right already, or stays their own. */
async function keepOwner(disk: Disk, handle: Awaited<ReturnType<Disk["open"]>>, old: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  if (uid === old.uid && gid === old.gid) return;
  try {
    await disk.chown(handle, old.uid, old.gid);
  } catch (error) {
    if (errnoOf(error) !== "EPERM") throw error;
  }
}

/** A hard link fails if the name is taken, which a rename would overwrite. */
async function createFrom(disk: Disk, fresh: string, target: string, place: Place): Promise<void> {
  try {
    await disk.link(fresh, target);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "EEXIST") throw exists(place);
    if (code === null || !NO_LINKS.has(code)) throw error;
    await disk.rename(fresh, target);
  }
}

async function keepUnder(disk: Disk, target: string, old: string): Promise<void> {
  try {
    await disk.link(target, old);
  } catch (error) {
    const code = errnoOf(error);
    if (code === null || !NO_LINKS.has(code)) throw error;
    await disk.rename(target, old);
  }
}

function checkExpectation({ kind, place, ...change }: FileChange, found: Stats | null): void {
  if (kind === "create") {
    if (found !== null) throw exists(place);
    return;
  }
  const same = found?.isFile() && "version" in change && isSameVersion(change.version, toVersion(found));
  if (!same) throw new PathRefusal("changed", `${place.shown} changed since it was read. View it again, then repeat.`);
}

async function statEntry(disk: Disk, folder: AnchoredFolder, name: string): Promise<Stats | null> {
  try {
    return await disk.lstat(folder.at(name));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

async function remove(disk: Disk, folder: AnchoredFolder, name: string): Promise<void> {
  try {
    await disk.unlink(folder.at(name));
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

/** Cleaning up continues after a step that fails; each step is retried once, because the failure may be temporary. */
async function attempt(step: Step): Promise<void> {
  try {
    await step();
  } catch {
    await step().catch(() => undefined);
  }
}

function spareName(): string {
  return `.toolcrib-${randomBytes(9).toString("hex")}.tmp`;
}

function exists(place: Place): PathRefusal {
  return new PathRefusal("exists", `${place.shown} exists already.`);
}
