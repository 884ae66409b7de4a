import { dirname, join, resolve } from "node:path";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Readers } from "../layers/readers.ts";

/** Where a person's own plugin was taken from. */
export interface PluginSource {
  /** The folder or archive. */
  readonly path: string;
  /** The name of the marketplace that lists it; null where none does. */
  readonly marketplace: string | null;
}

/** What Toolcrib writes into a plugin that a person adds. */
export const SOURCE_FILE = ".toolcrib-source.json";
const MARKETPLACE_FILE = join(".claude-plugin", "marketplace.json");
/** Anything else is no name, and could pass for something that Toolcrib says. */
const PLAIN_NAME = /^\w[\w.-]{0,60}$/;

/** Null where nobody wrote it down. */
export async function readPluginSource(folder: string, readers: Readers): Promise<PluginSource | null> {
  const given = await readRecord(join(folder, SOURCE_FILE), readers);
  if (typeof given?.path !== "string") return null;
  return { path: given.path, marketplace: toName(given.marketplace) };
}

export interface Marketplace {
  readonly name: string | null;
  /** Folders of its plugins. */
  readonly folders: readonly string[];
}

/** The marketplace whose folder this is; null where it is none. */
export async function readMarketplace(folder: string, readers: Readers): Promise<Marketplace | null> {
  const given = await readRecord(join(folder, MARKETPLACE_FILE), readers);
  if (given === null) return null;
  const plugins = Array.isArray(given.plugins) ? given.plugins.filter(isRecord) : [];
  const folders = plugins.flatMap(({ source }) => (typeof source === "string" ? [resolve(folder, source)] : []));
  return { name: toName(given.name), folders };
}

/** The name of the nearest marketplace around a plugin, where that lists it. */
export async function findMarketplace(plugin: string, readers: Readers): Promise<string | null> {
  for (let folder = plugin; ; folder = dirname(folder)) {
    const found = await readMarketplace(folder, readers);
    if (found !== null) return found.folders.includes(plugin) ? found.name : null;
    if (dirname(folder) === folder) return null;
  }
}

function toName(value: unknown): string | null {
  return typeof value === "string" && PLAIN_NAME.test(value) ? value : null;
}

/** What cannot be read says nothing. */
async function readRecord(path: string, readers: Readers): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse((await readers.readText(path)) ?? "null");
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
