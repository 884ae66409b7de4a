import { join } from "node:path";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import type { Covered } from "../../core/shape/shape.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import { type Places, userFolder } from "../layers/find-files.ts";
import type { Readers } from "../layers/readers.ts";
import { readCovered } from "./trust-guards.ts";
import type { WrittenItem } from "./trust-items.ts";

export type Home = Pick<Places, "home" | "env">;

/** What was trusted, as it was then. */
export interface TrustedItem extends Pick<WrittenItem, "what" | "name" | "path" | "hash"> {
  /** The folder that it speaks for, with all below; the workspace if absent. */
  readonly folder?: string;
}
export interface TrustedGuard extends TrustedItem {
  readonly covers: Covered;
}

export interface TrustRecord {
  readonly items: readonly TrustedItem[];
  readonly guards: readonly TrustedGuard[];
  /** Of a version that kept bare hashes, and nothing about guards. */
  readonly isOld: boolean;
}

/** What is trusted in each workspace, by its real path. */
export type TrustStore = ReadonlyMap<string, TrustRecord>;

/** The list of trusted workspaces. One that cannot be read trusts nothing. */
export async function loadTrust(places: Home, readers: Readers): Promise<TrustStore> {
  const text = await readers.readText(storePath(places)).catch(() => null);
  const store = new Map<string, TrustRecord>();
  const workspaces = memberOf(parseJson(text ?? ""), "workspaces");
  for (const [path, entry] of Object.entries(isRecord(workspaces) ? workspaces : {})) {
    const record = readRecord(entry);
    if (record !== null) store.set(path, record);
  }
  return store;
}

export async function saveTrust(store: TrustStore, places: Home): Promise<void> {
  const workspaces = Object.fromEntries(
    [...store].map(([folder, { items, guards, isOld }]) => [
      folder,
      isOld
        ? { trusted: items.map(({ hash }) => hash) }
        : { items: items.map(toPlainItem), guards: guards.map(toPlainGuard) },
    ]),
  );
  await writeWhole(storePath(places), `${JSON.stringify({ version: 2, workspaces }, null, 2)}\n`, 0o600);
}

export function storePath(places: Home): string {
  return join(userFolder(places), "trusted.json");
}

/** Null, and so nothing trusted, where any part of it cannot be read: a guard that is not known cannot be missed. */
function readRecord(entry: unknown): TrustRecord | null {
  const old = memberOf(entry, "trusted");
  if (Array.isArray(old)) {
    const hashes = old.filter((hash) => typeof hash === "string");
    return { items: hashes.map((hash) => ({ what: "", name: "", path: "", hash })), guards: [], isOld: true };
  }
  const [items, guards] = [memberOf(entry, "items"), memberOf(entry, "guards")];
  if (!Array.isArray(items) || !Array.isArray(guards)) return null;
  const readItems = items.map(readItem);
  const readGuards = guards.map((guard) => {
    const [item, covers] = [readItem(guard), readCovered(memberOf(guard, "covers"))];
    return item === null || covers === null ? null : { ...item, covers };
  });
  if (readItems.includes(null) || readGuards.includes(null)) return null;
  return {
    items: readItems.filter((item) => item !== null),
    guards: readGuards.filter((guard) => guard !== null),
    isOld: false,
  };
}

function readItem(value: unknown): TrustedItem | null {
  const [what, name, path, hash] = ["what", "name", "path", "hash"].map((key) => memberOf(value, key));
  const folder = memberOf(value, "folder");
  const isWhole = [what, name, path, hash, folder ?? ""].every((text) => typeof text === "string");
  if (!isWhole) return null;
  const item = { what: String(what), name: String(name), path: String(path), hash: String(hash) };
  return folder === null ? item : { ...item, folder: String(folder) };
}

function toPlainItem({ what, name, path, hash, folder }: TrustedItem): TrustedItem {
  return { what, name, path, hash, ...(folder === undefined ? {} : { folder }) };
}

function toPlainGuard(guard: TrustedGuard): TrustedGuard {
  return { ...toPlainItem(guard), covers: guard.covers };
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : null;
}
