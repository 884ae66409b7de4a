import { readdir, rm, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { writeWhole } from "../../system/files/write-whole.ts";
import { fileReaders, type Readers } from "../layers/readers.ts";
import { fromApprovedText, toApprovedText } from "./approved-text.ts";
import type { Lock, PinnedDefinition, PinnedTool } from "./lock.ts";

/** What is known of the approved definition. */
export type Approved =
  | { readonly kind: "known"; readonly definition: PinnedDefinition }
  /** It was never written, or was removed. */
  | { readonly kind: "missing" }
  /** It exists and is not what was approved. */
  | { readonly kind: "damaged"; readonly file: string };

/** The folder beside a lock with the approved definitions, one file each, named by its hash. */
export function approvedFolder(lockPath: string): string {
  return `${lockPath}.d`;
}

const TEXT_NAME = /^[0-9a-f]{64}\.json$/;

/** Whether something was ever approved here. An unreadable folder may contain anything. */
export async function hasApproved(lockPath: string, listFolder: Readers["listFolder"]): Promise<boolean> {
  const names = await listFolder(approvedFolder(lockPath)).catch(() => null);
  return names === null || names.some((name) => TEXT_NAME.test(name));
}

/** Reads what was approved of a tool; a text that does not match its hash is ignored. */
export async function loadApproved(
  lockPath: string,
  { text, definition }: Pick<PinnedTool, "text" | "definition">,
  readText: Readers["readText"] = fileReaders.readText,
): Promise<Approved> {
  if (definition !== null) return { kind: "known", definition };
  if (text === null) return { kind: "missing" };
  const path = join(approvedFolder(lockPath), `${text}.json`);
  const file = join(basename(approvedFolder(lockPath)), `${text}.json`);
  const content = await readText(path).catch(() => "");
  if (content === null) return { kind: "missing" };
  const read = fromApprovedText(content, text);
  return read === null ? { kind: "damaged", file } : { kind: "known", definition: read };
}

/** Texts that do not match their hash, as the user would write them. */
export async function findDamaged(lockPath: string, { tools }: Lock): Promise<readonly string[]> {
  const found = await Promise.all([...tools.values()].map((tool) => loadApproved(lockPath, tool)));
  return [...new Set(found.flatMap((approved) => (approved.kind === "damaged" ? [approved.file] : [])))].sort();
}

/** Writes what is missing, before the lock that refers to it is written. */
export async function saveApproved(lockPath: string, { tools }: Lock): Promise<void> {
  for (const { definition } of tools.values()) {
    if (definition === null) continue;
    const { hash, content } = toApprovedText(definition);
    const path = join(approvedFolder(lockPath), `${hash}.json`);
    const there = await fileReaders.readText(path).catch(() => null);
    if (there === null || fromApprovedText(there, hash) === null) await writeWhole(path, content);
  }
}

/** Removes what the lock no longer refers to, after it is written. Other files are left alone. */
export async function dropUnused(lockPath: string, { tools }: Lock): Promise<void> {
  const folder = approvedFolder(lockPath);
  const used = new Set([...tools.values()].map(({ text }) => `${text}.json`));
  const names = await readdir(folder).catch((): string[] => []);
  const unused = names.filter((name) => TEXT_NAME.test(name) && !used.has(name));
  // What cannot be removed does no harm.
  for (const name of unused) await rm(join(folder, name), { force: true }).catch(() => undefined);
  if (names.length > 0 && unused.length === names.length) await rmdir(folder).catch(() => undefined);
}
