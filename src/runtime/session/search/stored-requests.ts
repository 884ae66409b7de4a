import { hostname } from "node:os";
import {
  createRequestFile,
  type RequestStore,
  readWrittenTool,
  type WrittenRequests,
  type WrittenTool,
} from "../../../system/written-requests.ts";
import type { KeyValues } from "../../store/store.ts";

/** Counts changes, so that all is read again only after one. No signature is called so. */
const CHANGED = "changed";

/** Requests that machines share in a store. Those in a file of this machine are copied once (S8). */
export function createStoredRequests(stored: KeyValues, path: string): RequestStore {
  const file = createRequestFile(path);
  const taken = `taken over from ${hostname()}:${path}`;
  let known: { readonly stamp: unknown; readonly written: WrittenRequests } | null = null;
  let ready: Promise<void> | null = null;
  const change: RequestStore["change"] = async (changes) => {
    for (const [signature, tool] of changes) await stored.change(signature, () => tool ?? undefined);
    if (changes.size > 0) await stored.change(CHANGED, (count) => (typeof count === "number" ? count : 0) + 1);
  };
  const takeOver = async (): Promise<void> => {
    if ((await stored.get(taken)) !== undefined) return;
    const [older, there] = await Promise.all([file.load(), stored.entries()]);
    await change(new Map([...older].filter(([signature]) => !there.has(signature))));
    await stored.change(taken, () => true);
  };
  const beReady = (): Promise<void> => {
    ready ??= takeOver().catch((error: unknown) => {
      ready = null;
      throw error;
    });
    return ready;
  };
  return {
    async load() {
      await beReady();
      const stamp = (await stored.get(CHANGED)) ?? null;
      if (known?.stamp !== stamp) known = { stamp, written: readEntries(await stored.entries()) };
      return known?.written ?? new Map();
    },
    async change(changes) {
      await beReady();
      await change(changes);
    },
  };
}

function readEntries(entries: ReadonlyMap<string, unknown>): WrittenRequests {
  return new Map(
    [...entries].flatMap(([signature, value]): (readonly [string, WrittenTool])[] => {
      const tool = readWrittenTool(value);
      return tool === null ? [] : [[signature, tool]];
    }),
  );
}
