import { join } from "node:path";
import { defaultOrigin } from "../../core/codes/origin.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { plainNode } from "../../core/shape/plain-node.ts";
import { readData } from "../../core/shape/read.ts";
import { type Covered, list, map, record, text, to } from "../../core/shape/shape.ts";
import { writeShape } from "../../core/shape/write.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import { type Places, userFolder } from "../layers/find-files.ts";
import type { Readers } from "../layers/readers.ts";
import { coveredShape } from "../shape/covered-shape.ts";
import type { WrittenItem } from "./trust-items.ts";

export type Home = Pick<Places, "home" | "env">;

/** What was trusted, as it was then. */
export interface TrustedItem extends Pick<WrittenItem, "what" | "name" | "path" | "hash"> {
  /** The folder that it applies to, with all below; the workspace if absent. */
  readonly folder?: string;
}
export interface TrustedGuard extends TrustedItem {
  readonly covers: Covered;
}

export interface TrustRecord {
  readonly items: readonly TrustedItem[];
  readonly guards: readonly TrustedGuard[];
  /** From a version that stored bare hashes, and nothing about guards. */
  readonly isOld: boolean;
}

/** Files that entries run outside the sandbox: by name, the trusted hash. */
export type TrustedFiles = ReadonlyMap<string, string>;

/** What is trusted in each workspace, by its real path. */
export type TrustStore = ReadonlyMap<string, TrustRecord>;

const said = text({ required: true });
const fields = { what: said, name: said, path: said, hash: said, folder: text() };
const item = to(
  record(fields, { brief: ["folder"] }),
  ({ folder, ...rest }): TrustedItem => (folder === null ? rest : { ...rest, folder }),
  (kept) => kept,
);
const guard = to(
  record({ ...fields, covers: coveredShape }, { brief: ["folder"] }),
  ({ folder, ...rest }): TrustedGuard => (folder === null ? rest : { ...rest, folder }),
  (kept) => kept,
);

/** Null if it records neither what is trusted now nor what was. */
const workspaceShape = to(
  record({ trusted: list(text()), items: list(item), guards: list(guard) }),
  ({ trusted, items, guards }): TrustRecord | null => {
    if (trusted === null) return items === null || guards === null ? null : { items, guards, isOld: false };
    return { items: trusted.map((hash) => ({ what: "", name: "", path: "", hash })), guards: [], isOld: true };
  },
  (kept) => (kept?.isOld ? { trusted: kept.items.map(({ hash }) => hash) } : kept),
);

/**
 * The list of trusted workspaces. An unreadable list trusts nothing, and a workspace with an unreadable part is not
 * trusted: an unknown guard could disappear unnoticed.
 */
export async function loadTrust(places: Home, readers: Readers): Promise<TrustStore> {
  const text = await readers.readText(storePath(places)).catch(() => null);
  const store = new Map<string, TrustRecord>();
  const root = parseJson(text ?? "");
  const workspaces = isRecord(root) && isRecord(root.workspaces) ? root.workspaces : {};
  for (const [path, entry] of Object.entries(workspaces)) {
    const { value, problems } = readData(
      plainNode(entry, () => defaultOrigin),
      workspaceShape,
    );
    if (problems.count === 0 && value !== null) store.set(path, value);
  }
  return store;
}

export async function saveTrust(store: TrustStore, places: Home): Promise<void> {
  const workspaces = writeShape(store, map(workspaceShape));
  await writeWhole(storePath(places), `${JSON.stringify({ version: 2, workspaces }, null, 2)}\n`, 0o600);
}

export function storePath(places: Home): string {
  return join(userFolder(places), "trusted.json");
}
