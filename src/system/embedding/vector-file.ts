import { readFile } from "node:fs/promises";
import type { VectorStorage } from "../../core/search/vector-store.ts";
import { writeWhole } from "../files/write-whole.ts";

/** The tools embedded longest ago are dropped first. */
export const MAX_VECTORS = 20_000;
const MAX_BYTES = 200_000_000;
const OWNER_ONLY = 0o600;

/** One file per embedder. Each number of a vector is stored as a small integer, which is enough for comparing. */
export function createVectorFile(path: string): VectorStorage {
  return {
    async load() {
      const text = await readFile(path, "utf8").catch(() => "");
      const vectors = new Map<string, Float32Array>();
      if (text.length > MAX_BYTES) return vectors;
      for (const line of text.split("\n")) {
        const [signature = "", packed = ""] = line.split(" ");
        if (signature !== "" && packed !== "") vectors.set(signature, unpack(packed));
      }
      return vectors;
    },
    async save(vectors) {
      const lines = [...vectors].slice(-MAX_VECTORS).map(([signature, vector]) => `${signature} ${pack(vector)}\n`);
      await writeWhole(path, lines.join(""), OWNER_ONLY);
    },
  };
}

/** As text, for files and stores. */
export function pack(vector: Float32Array): string {
  const most = vector.reduce((sum, value) => Math.max(sum, Math.abs(value)), 0) || 1;
  return Buffer.from(Int8Array.from(vector, (value) => Math.round((127 * value) / most)).buffer).toString("base64");
}

export function unpack(packed: string): Float32Array {
  return Float32Array.from(new Int8Array(Buffer.from(packed, "base64")));
}
