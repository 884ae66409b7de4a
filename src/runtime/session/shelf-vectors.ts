import { hash } from "node:crypto";
import type { VectorShelf } from "../../core/search/vector-store.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { MAX_VECTORS, pack, unpack } from "../../system/embedding/vector-file.ts";
import type { Shelf } from "../store/store.ts";

/** So many vectors are one value: each of its own would take a thousand trips to a database. */
const TOGETHER = 64;

/** Vectors on a shelf that machines share; those that this one kept in a file before are put there with the next ones. */
export function createShelfVectors(shelf: Shelf, file: VectorShelf): VectorShelf {
  const there = new Set<string>();
  return {
    async load() {
      const found = new Map(await file.load());
      for (const value of (await shelf.entries()).values())
        for (const [signature, packed] of isRecord(value) && isRecord(value.vectors)
          ? Object.entries(value.vectors)
          : []) {
          if (typeof packed !== "string") continue;
          there.add(signature);
          found.set(signature, unpack(packed));
        }
      return found;
    },
    async save(vectors) {
      const fresh = [...vectors].filter(([signature]) => !there.has(signature));
      for (let at = 0; at < fresh.length; at += TOGETHER) {
        const part = fresh.slice(at, at + TOGETHER).map(([signature, vector]) => [signature, pack(vector)] as const);
        const key = hash("sha256", part.map(([signature]) => signature).join());
        await shelf.change(key, () => ({ at: Date.now(), vectors: Object.fromEntries(part) }));
        for (const [signature] of part) there.add(signature);
      }
      if (there.size > MAX_VECTORS) await dropOldest(shelf);
    },
  };
}

/** Tools that were embedded longest ago go first. */
async function dropOldest(shelf: Shelf): Promise<void> {
  const rows = [...(await shelf.entries())].map(([key, value]) => ({
    key,
    at: isRecord(value) ? Number(value.at) : 0,
  }));
  const oldest = rows.sort((one, other) => other.at - one.at).slice(Math.floor(MAX_VECTORS / TOGETHER));
  for (const { key } of oldest) await shelf.change(key, () => undefined);
}
