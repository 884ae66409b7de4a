import { mkdir, readdir, readFile, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Catalog } from "../../core/catalog/catalog.ts";
import { DEFAULT_SCENE } from "../../core/scene/default-scene.ts";
import { readWorld, toWorld } from "../../core/scene/world.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import type { Emitter } from "../events/emitter.ts";
import type { KeyValues, Store } from "../store/store.ts";

/** A list of tools as it once was, under the hash that rows of calls name. */
export interface KeptList {
  readonly hash: string;
  readonly tools: readonly Tool[];
  /** Which tool each name of a call meant, by its identity. */
  readonly names: ReadonlyMap<string, string>;
  /** When it was last in use, in milliseconds since 1970. */
  readonly used: number;
}

/** A session whose lists are kept. */
interface ListedSession {
  readonly on: Emitter["on"];
  readonly toolset: { readonly catalog: Catalog };
}

export interface ListKeeper {
  /** Keeps each list under which a call is made, once. */
  watch(session: ListedSession): void;
  /** Resolves when all of them are written. */
  flush(): Promise<void>;
}

/** Beside the log. */
export function folderOfLists(path: string): string {
  return `${path}.lists`;
}

/** Where lists are: beside the log of this machine, and in the store that machines share. */
export interface ListPlace {
  readonly folder: string;
  readonly values: KeyValues | null;
}

interface ListReporting {
  readonly onError: (text: string, error: unknown) => void;
}

/** The key-value entries that hold lists, by hash. */
export function sharedLists(store: Pick<Store, "keyValues">, scope: string): KeyValues {
  return store.keyValues({ name: "audit.lists", person: "", project: scope });
}

/** Lists are a hundred times as large as rows, and few of them differ. */
export function createListKeeper({ folder, values, onError }: ListPlace & ListReporting): ListKeeper {
  const known = new Set<string>();
  let writing: Promise<void> = Promise.resolve();
  return {
    watch(session) {
      session.on("tool.execution_start", () => {
        const { catalog } = session.toolset;
        if (known.has(catalog.hash)) return;
        known.add(catalog.hash);
        writing = writing
          .then(() => keep({ folder, values }, catalog))
          .catch((error: unknown) => {
            known.delete(catalog.hash);
            onError("a list of tools cannot be kept beside the log of calls, so calls cannot be rehearsed", error);
          });
      });
    },
    flush: () => writing,
  };
}

/** Each list that is kept there, the newest first. */
export async function readLists({ folder, values }: ListPlace): Promise<ReadonlyMap<string, KeptList>> {
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(ENDING));
  const own = files.map(async (name) => {
    const path = join(folder, name);
    const [bytes, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    return readList(bytes, mtimeMs);
  });
  const shared = [...((await values?.entries()) ?? [])].map(async ([, value]) =>
    isRecord(value) && typeof value.list === "string" && typeof value.at === "number"
      ? readList(value.list, value.at)
      : null,
  );
  const lists = (await Promise.allSettled([...shared, ...own])).flatMap((one) =>
    // What cannot be read is as good as gone, and the rows that name it are counted.
    one.status === "fulfilled" && one.value !== null ? [one.value] : [],
  );
  return new Map(lists.sort((one, other) => other.used - one.used).map((list) => [list.hash, list]));
}

const ENDING = ".list";
/** A list is marked as used again at most so often. */
const REMARK = 3_600_000;
/** Larger ones stay on their machine. */
const MOST_SHARED = 4 * 1024 * 1024;
const MOST_BYTES = 256 * 1024 * 1024;

async function keep({ folder, values }: ListPlace, { hash, entries, style }: Catalog): Promise<void> {
  const path = join(folder, `${hash}${ENDING}`);
  const found = await stat(path).catch(() => null);
  if (found !== null) {
    const now = new Date();
    if (now.getTime() - found.mtimeMs > REMARK) await utimes(path, now, now);
    return;
  }
  const tools = entries.map(({ tool }) => tool.original ?? tool);
  const names = entries.map(({ wireName, identity }) => [wireName, identity]);
  const text = JSON.stringify({ version: 1, hash, names, world: toWorld(tools, DEFAULT_SCENE, style) });
  const list = (await promisify(gzip)(text)).toString("base64");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeWhole(path, list);
  if (list.length <= MOST_SHARED) await values?.change(hash, (known) => known ?? { list, at: Date.now() });
}

async function readList(list: string, used: number): Promise<KeptList | null> {
  const bytes = await promisify(gunzip)(Buffer.from(list, "base64"), { maxOutputLength: MOST_BYTES });
  const value = parseJson(bytes.toString("utf8"));
  if (!isRecord(value) || value.version !== 1 || typeof value.hash !== "string" || !Array.isArray(value.names))
    return null;
  const names = new Map(value.names.filter(isPair));
  return { hash: value.hash, tools: readWorld(value.world, value.hash).tools, names, used };
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");
}
