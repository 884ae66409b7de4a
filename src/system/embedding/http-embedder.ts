import type { Embedder } from "../../core/search/vector-store.ts";

export interface EmbedderAddress {
  /** Base URL of an API compatible with OpenAI's, without `/embeddings`. */
  readonly url: string;
  readonly model: string;
  readonly key: string | null;
}

const TIMEOUT_MS = 20_000;
/** A batch of long vectors as text stays well below. */
const MAX_BYTES = 32_000_000;
const MAX_WIDTH = 16_384;

/** Requests vectors from an address. Follows no redirect, because the key is for this address alone. */
export function createHttpEmbedder({ url, model, key }: EmbedderAddress): Embedder {
  const target = `${url.replace(/\/+$/, "").replace(/\/embeddings$/, "")}/embeddings`;
  return {
    id: `${target} ${model}`,
    async embed(texts, signal) {
      const answer = await fetch(target, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      if (!answer.ok) {
        await answer.body?.cancel();
        throw new Error(`the embedder answered ${answer.status}`);
      }
      return readVectors(await readCapped(answer), texts.length);
    },
  };
}

async function readCapped(answer: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`the embedder's answer is larger than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return JSON.parse(text + decoder.decode());
}

function readVectors(answer: unknown, count: number): readonly Float32Array[] {
  const rows: unknown = typeof answer === "object" && answer !== null ? Reflect.get(answer, "data") : null;
  if (!Array.isArray(rows) || rows.length !== count)
    throw new Error(`the embedder gave ${Array.isArray(rows) ? rows.length : "no"} vectors for ${count} texts`);
  const vectors = rows.map((row: unknown, at) => {
    const place: unknown = typeof row === "object" && row !== null ? Reflect.get(row, "index") : null;
    const numbers: unknown = typeof row === "object" && row !== null ? Reflect.get(row, "embedding") : null;
    return { place: typeof place === "number" ? place : at, vector: toVector(numbers) };
  });
  const width = vectors[0]?.vector.length ?? 0;
  if (vectors.some(({ vector }) => vector.length !== width)) throw new Error("the embedder's vectors differ in length");
  return vectors.sort((a, b) => a.place - b.place).map(({ vector }) => vector);
}

function toVector(numbers: unknown): Float32Array {
  const isVector = Array.isArray(numbers) && numbers.length > 0 && numbers.length <= MAX_WIDTH;
  if (!isVector || !numbers.every((value) => Number.isFinite(value)))
    throw new Error("the embedder gave something that is no vector");
  return Float32Array.from(numbers);
}
