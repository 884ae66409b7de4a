import { basename, dirname, join, resolve } from "node:path";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Readers } from "../layers/readers.ts";

/** Where a person's own plugin was installed from. */
export interface PluginSource {
  /** The folder, the archive, or the address of the git repository. */
  readonly path: string;
  /** The commit of that repository; null if it is none. */
  readonly commit: string | null;
  /** The name of the marketplace that lists it; null if none does. */
  readonly marketplace: string | null;
}

/** The file that Toolcrib writes into a plugin that a person adds. */
export const SOURCE_FILE = ".toolcrib-source.json";
const MARKETPLACE_FILE = join(".claude-plugin", "marketplace.json");
/** Anything else is no name, and could pass for a message of Toolcrib. */
const PLAIN_NAME = /^\w[\w.-]{0,60}$/;

/** Null if it was not recorded. */
export async function readPluginSource(folder: string, readers: Readers): Promise<PluginSource | null> {
  const given = await readRecord(join(folder, SOURCE_FILE), readers);
  if (typeof given?.path !== "string") return null;
  const commit = typeof given.commit === "string" && FULL_COMMIT.test(given.commit) ? given.commit : null;
  return { path: given.path, commit, marketplace: toName(given.marketplace) };
}

/** The full hash of a commit. */
export const FULL_COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export interface Marketplace {
  readonly name: string | null;
  /** Its plugins; the folder is null if one is elsewhere. */
  readonly plugins: readonly { readonly name: string; readonly folder: string | null }[];
}

/** The marketplace of this folder; null if it is none. */
export async function readMarketplace(folder: string, readers: Readers): Promise<Marketplace | null> {
  const given = await readRecord(join(folder, MARKETPLACE_FILE), readers);
  if (given === null) return null;
  const plugins = Array.isArray(given.plugins) ? given.plugins.filter(isRecord) : [];
  return {
    name: toName(given.name),
    plugins: plugins.flatMap(({ name, source }) => {
      const place = typeof source === "string" ? resolve(folder, source) : null;
      const called = toName(name) ?? (place === null ? null : basename(place));
      return called === null ? [] : [{ name: called, folder: place }];
    }),
  };
}

/** The name of the nearest marketplace around a plugin, if that lists it. */
export async function findMarketplace(plugin: string, readers: Readers): Promise<string | null> {
  for (let folder = plugin; ; folder = dirname(folder)) {
    const found = await readMarketplace(folder, readers);
    if (found !== null) return found.plugins.some((one) => one.folder === plugin) ? found.name : null;
    if (dirname(folder) === folder) return null;
  }
}

function toName(value: unknown): string | null {
  return typeof value === "string" && PLAIN_NAME.test(value) ? value : null;
}

/** Unreadable content counts as empty. */
async function readRecord(path: string, readers: Readers): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse((await readers.readText(path)) ?? "null");
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
