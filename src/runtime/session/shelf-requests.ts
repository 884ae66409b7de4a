import { hostname } from "node:os";
import {
  createRequestFile,
  type RequestShelf,
  readWrittenTool,
  type WrittenRequests,
  type WrittenTool,
} from "../../system/written-requests.ts";
import type { Shelf } from "../store/store.ts";

/** Counts changes, so that all is read again only after one. No signature is called so. */
const CHANGED = "changed";

/** Requests on a shelf that machines share; what this one kept in a file before is taken over once (S8). */
export function createShelfRequests(shelf: Shelf, path: string): RequestShelf {
  const file = createRequestFile(path);
  const taken = `taken over from ${hostname()}:${path}`;
  let known: { readonly stamp: unknown; readonly written: WrittenRequests } | null = null;
  let ready: Promise<void> | null = null;
  const change: RequestShelf["change"] = async (changes) => {
    for (const [signature, tool] of changes) await shelf.change(signature, () => tool ?? undefined);
    if (changes.size > 0) await shelf.change(CHANGED, (count) => (typeof count === "number" ? count : 0) + 1);
  };
  const takeOver = async (): Promise<void> => {
    if ((await shelf.get(taken)) !== undefined) return;
    const [older, there] = await Promise.all([file.load(), shelf.entries()]);
    await change(new Map([...older].filter(([signature]) => !there.has(signature))));
    await shelf.change(taken, () => true);
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
      const stamp = (await shelf.get(CHANGED)) ?? null;
      if (known?.stamp !== stamp) known = { stamp, written: readEntries(await shelf.entries()) };
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
