import { join } from "node:path";
import { productFolder, showPath } from "../layers/find-files.ts";
import type { Readers } from "../layers/readers.ts";
import type { ForeignPlaces } from "./find-foreign.ts";
import type { ImportedSetting } from "./import-servers.ts";

/** Folders in which other products store skills, the person's first: later ones beat earlier ones. */
export async function findSkillFolders(places: ForeignPlaces, readers: Readers): Promise<readonly ImportedSetting[]> {
  const { cwd } = places;
  const own = ([".copilot", ".claude"] as const).map((name) => productFolder(name, places));
  const folders = [...own, join(cwd, ".github"), join(cwd, ".claude")];
  const settings: ImportedSetting[] = [];
  for (const folder of new Set(folders.map((parent) => join(parent, "skills")))) {
    const names = await readers.listFolder(folder).catch(() => []);
    const found = await Promise.all(names.map((name) => readers.exists(join(folder, name, "SKILL.md"))));
    if (!found.includes(true)) continue;
    const value = showPath(folder, places);
    settings.push({ path: ["skillDirectories"], value, origin: { kind: "file", file: value, line: null } });
  }
  return settings;
}
