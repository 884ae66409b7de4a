import { dirname, join } from "node:path";
import { productFolder, showPath } from "../layers/find-files.ts";
import type { Readers } from "../layers/readers.ts";
import { type FilePlace, type Folder, PRODUCTS, type Product } from "./products.ts";

export interface ForeignFile {
  readonly product: Product;
  readonly path: string;
  readonly side: "project" | "user";
  /** As the user would write it. */
  readonly file: string;
}

export interface ForeignPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Where other products store what can be imported, the project's own first; `*` stands for any name. */
export function foreignFiles(places: ForeignPlaces): readonly ForeignFile[] {
  // The keys are those of the table.
  const files = (Object.keys(PRODUCTS) as Product[]).flatMap((product) =>
    PRODUCTS[product].files.map((place) => ({ product, ...locate(place, places) })),
  );
  return [...files.filter(({ side }) => side === "project"), ...files.filter(({ side }) => side === "user")];
}

/** The same with every file that a name with `*` stands for. */
export async function listForeignFiles(
  places: ForeignPlaces,
  readers: Readers,
  wanted: ForeignFile["side"] | "both",
): Promise<readonly ForeignFile[]> {
  const files = foreignFiles(places).filter(({ side }) => wanted === "both" || side === wanted);
  return (await Promise.all(files.map((file) => expandName(file, places, readers)))).flat();
}

/** A file of a table on this machine. */
export function locate([side, folder, name]: FilePlace, places: ForeignPlaces): Omit<ForeignFile, "product"> {
  const path = join(foldersOf(places)[folder], name);
  return { path, side, file: showPath(path, places) };
}

/** Every file that a name with `*` stands for. */
export async function expandName<T extends Omit<ForeignFile, "product">>(
  file: T,
  places: ForeignPlaces,
  readers: Readers,
): Promise<readonly T[]> {
  const [folder, ending] = file.path.split("*", 2);
  if (folder === undefined || ending === undefined) return [file];
  const names = await readers.listFolder(dirname(`${folder}x`)).catch(() => []);
  return names
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => ({ ...file, path: folder + name, file: showPath(folder + name, places) }));
}

function foldersOf(places: ForeignPlaces): Readonly<Record<Folder, string>> {
  const { cwd, home, env, platform } = places;
  return {
    workspace: cwd,
    home,
    // Only if it is moved does Claude's file lie in its folder.
    claude: env.CLAUDE_CONFIG_DIR?.startsWith("/") ? productFolder(".claude", places) : home,
    claudeSettings: productFolder(".claude", places),
    copilot: productFolder(".copilot", places),
    codex: productFolder(".codex", places),
    claudeApp: appFolder("Claude", places),
    codeApp: appFolder("Code", places),
    config: env.XDG_CONFIG_HOME || join(home, ".config"),
    // On macOS it is where it is on Linux.
    zed: appFolder(
      platform === "win32" ? "Zed" : "zed",
      platform === "darwin" ? { ...places, platform: "linux" } : places,
    ),
  };
}

function appFolder(app: string, { home, env, platform }: ForeignPlaces): string {
  if (platform === "darwin") return join(home, "Library", "Application Support", app);
  if (platform === "win32") return join(env.APPDATA || join(home, "AppData", "Roaming"), app);
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), app);
}
