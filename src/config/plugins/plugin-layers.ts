import type { Notice } from "../../core/codes/reason.ts";
import { type FoundFiles, type Places, showPath } from "../layers/find-files.ts";
import type { Layer } from "../layers/read-layers.ts";
import type { Readers } from "../layers/readers.ts";
import { CANNOT_BE_HASHED, hashText, listHashes } from "../trust/hash-files.ts";
import { findPlugins, type PluginPlace } from "./find-plugins.ts";
import { type PluginSource, readPluginSource } from "./plugin-source.ts";
import { type Plugin, readPlugin } from "./read-plugin.ts";

/** An existing plugin, and its layer. */
export interface FoundPlugin extends Plugin, PluginPlace {
  /** Null if unknown. */
  readonly source: PluginSource | null;
  readonly layer: Layer;
}

export interface FoundPlugins {
  readonly plugins: readonly FoundPlugin[];
  readonly notices: readonly Notice[];
}

/**
 * The plugins of the workspace and of the person, each a layer below the others of its side. What a workspace's plugin
 * provides is trusted item by item, and only while everything in its folder is unchanged.
 */
export async function readPlugins(
  { workspace }: Pick<FoundFiles, "workspace">,
  places: Pick<Places, "cwd" | "home" | "env">,
  readers: Readers,
): Promise<FoundPlugins> {
  const plugins: FoundPlugin[] = [];
  const notices: Notice[] = [];
  for (const place of await findPlugins(workspace, places, readers)) {
    const file = showPath(place.folder, places);
    const leave = (why: string): void => void notices.push(leftOut(file, why));
    try {
      // A project may claim anything about itself; for a person's own plugin, Toolcrib recorded it.
      const source = place.side === "user" ? await readPluginSource(place.folder, readers) : null;
      const from = source === null ? {} : { marketplace: source.marketplace };
      const plugin = await readPlugin(place.folder, (path) => showPath(path, places), readers, from);
      if (plugin === null) continue;
      const listed = await listHashes(place.folder);
      if (listed === null) leave(`it ${CANNOT_BE_HASHED}`);
      else {
        plugins.push({
          ...plugin,
          ...place,
          source,
          layer: toLayer(plugin, place, workspace, hashText(JSON.stringify(listed))),
        });
        notices.push(...plugin.notices);
      }
    } catch (error) {
      leave(error instanceof Error ? error.message : String(error));
    }
  }
  return { plugins, notices };
}

function toLayer({ root, file, path }: Plugin, { side }: PluginPlace, workspace: string, seal: string): Layer {
  return { kind: side, root, source: { layer: side, path, file, named: false }, folder: workspace, seal };
}

function leftOut(file: string, why: string): Notice {
  const text = `the plugin in ${file} is left out: ${why}`;
  return { level: "warning", code: "plugin.invalid", text, names: [file], origin: { kind: "file", file, line: null } };
}
