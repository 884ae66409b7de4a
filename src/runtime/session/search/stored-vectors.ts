import { hash } from "node:crypto";
import type { VectorStorage } from "../../../core/search/vector-store.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import { MAX_VECTORS, pack, unpack } from "../../../system/embedding/vector-file.ts";
import type { KeyValues } from "../../store/store.ts";

/** So many vectors are one value: each of its own would take a thousand trips to a database. */
const TOGETHER = 64;

/** Vectors that machines share in a store. Those in a file of this machine are copied with the next save. */
export function createStoredVectors(stored: KeyValues, file: VectorStorage): VectorStorage {
  const there = new Set<string>();
  return {
    async load() {
      const found = new Map(await file.load());
      for (const value of (await stored.entries()).values())
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
        await stored.change(key, () => ({ at: Date.now(), vectors: Object.fromEntries(part) }));
        for (const [signature] of part) there.add(signature);
      }
      if (there.size > MAX_VECTORS) await dropOldest(stored);
    },
  };
}

/** Tools that were embedded longest ago go first. */
async function dropOldest(stored: KeyValues): Promise<void> {
  const rows = [...(await stored.entries())].map(([key, value]) => ({
    key,
    at: isRecord(value) ? Number(value.at) : 0,
  }));
  const oldest = rows.sort((one, other) => other.at - one.at).slice(Math.floor(MAX_VECTORS / TOGETHER));
  for (const { key } of oldest) await stored.change(key, () => undefined);
}
