import { join } from "node:path";
import { type ForeignPlaces, locate } from "../../../config/import/find-foreign.ts";
import type { Folder, Product } from "../../../config/import/products.ts";
import { readForeign } from "../../../config/import/read-foreign.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { nodeAt } from "../../../core/shape/node.ts";
import { entriesAt, readText } from "../../../core/shape/read-node.ts";
import { PROGRAM } from "../running/own-program.ts";

/** Where a client keeps plugins of a person: `*` stands for any name. */
interface PluginPlace {
  readonly folder: Folder;
  readonly path: string;
  /** How the client calls a plugin's server; as the plugin does, if absent. */
  readonly prefix?: string;
}

const PLACES: Readonly<Partial<Record<Product, readonly PluginPlace[]>>> = {
  "claude-code": [
    {
      folder: "claudeSettings",
      path: `plugins/cache/*/${PROGRAM}/*/.mcp.json`,
      prefix: `plugin_${PROGRAM}_`,
    },
  ],
  codex: [{ folder: "codex", path: `plugins/cache/*/${PROGRAM}/*/.mcp.json` }],
  gemini: [{ folder: "home", path: `.gemini/extensions/${PROGRAM}/gemini-extension.json` }],
  copilot: [{ folder: "copilot", path: `installed-plugins/*/${PROGRAM}/.mcp.json` }],
};

/** A file that names the servers of a plugin with our name, which anybody may have made. */
export interface PluginFile {
  readonly path: string;
  readonly product: Product;
  readonly prefix: string;
}

export async function findPluginFiles(
  products: readonly Product[],
  places: ForeignPlaces,
): Promise<readonly PluginFile[]> {
  const found = products.map(async (product): Promise<readonly PluginFile[]> => {
    const rows = (PLACES[product] ?? []).map(async ({ folder, path, prefix = "" }) => {
      const paths = await expand(locate(["user", folder, ""], places).path, path.split("/"));
      return paths.map((one) => ({ path: one, product, prefix }));
    });
    const live = product === "copilot" ? await liveAtCopilot(places) : [];
    return [...(await Promise.all(rows)).flat(), ...live.map((path) => ({ path, product, prefix: "" }))];
  });
  return (await Promise.all(found)).flat();
}

/** Whether one of them is installed. */
export async function hasPlugin(products: readonly Product[], places: ForeignPlaces): Promise<boolean> {
  const files = await findPluginFiles(products, places);
  const there = await Promise.all(files.map(({ path }) => fileReaders.exists(path)));
  return there.includes(true);
}

async function expand(folder: string, [name, ...rest]: readonly string[]): Promise<readonly string[]> {
  if (name === undefined) return [folder];
  const names = name === "*" ? await fileReaders.listFolder(folder).catch(() => []) : [name];
  return (await Promise.all(names.map((one) => expand(join(folder, one), rest)))).flat();
}

/** Copilot CLI reads a plugin in a catalog on this machine where it lies. */
async function liveAtCopilot(places: ForeignPlaces): Promise<readonly string[]> {
  const { path, file } = locate(["user", "copilot", "settings.json"], places);
  const text = await fileReaders.readText(path).catch(() => null);
  const root = text === null ? null : await readForeign(text, file).catch(() => null);
  return entriesAt(root ?? undefined, "extraKnownMarketplaces").flatMap(([, catalog]) => {
    const folder = readText(nodeAt(catalog, "source", "path"))?.value;
    return folder === undefined ? [] : [join(folder, "plugins", "copilot-cli", ".mcp.json")];
  });
}
