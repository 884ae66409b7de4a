import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { Notice } from "../../core/codes/reason.ts";
import { listNode, type MapNode, mapNode, scalarNode } from "../../core/shape/node.ts";
import type { Readers } from "../layers/readers.ts";

/** Below the workspace: a script each, or a folder each with `extension.json`. */
const EXTENSIONS_FOLDER = ".toolcrib/extensions";
const SCRIPTS: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs"]);
const MOST_FILES = 5_000;
const MOST_BYTES = 64 * 1_048_576;

interface FoundExtensions {
  /** As if the file had listed them, each with the hash of its content, so that they are trusted like any other entry. */
  readonly root: MapNode;
  /** By the name of the script or folder. */
  readonly digests: ReadonlyMap<string, string>;
  readonly notices: readonly Notice[];
}

/** What lies in the workspace's folder of extensions. Nothing is started, and nothing counts before it is trusted. */
export async function findExtensionFiles(workspace: string, readers: Readers): Promise<FoundExtensions> {
  const folder = join(workspace, EXTENSIONS_FOLDER);
  const digests = new Map<string, string>();
  const notices: Notice[] = [];
  // Read through `readers` as well, so that whoever follows changes learns of these.
  for (const name of await readers.listFolder(folder).catch(() => [])) {
    const kind = await kindOf(join(folder, name), name);
    if (kind === null) continue;
    await readers.readText(join(folder, name, ...(kind === "folder" ? ["extension.json"] : []))).catch(() => null);
    const digest = await hashContent(workspace, name);
    if (digest !== null) digests.set(name, digest);
    else notices.push(cannotBeTrusted(name));
  }
  const nodes = [...digests].map(([name, digest]) => {
    const origin = { kind: "file", file: `${EXTENSIONS_FOLDER}/${name}`, line: null } as const;
    const fields = { name, content: digest };
    return mapNode(
      Object.entries(fields).map(([key, value]) => [key, scalarNode(value, origin)] as const),
      origin,
    );
  });
  const origin = { kind: "file", file: EXTENSIONS_FOLDER, line: null } as const;
  return { root: mapNode([["extensions", listNode(nodes, origin)]], origin), digests, notices };
}

/** Of a script or of everything in a folder, names and modes included; null where it is too much, or leads outside. */
export async function hashContent(workspace: string, name: string): Promise<string | null> {
  const hash = createHash("sha256");
  const top = join(workspace, EXTENSIONS_FOLDER, name);
  let [files, bytes] = [0, 0];
  const add = async (path: string): Promise<boolean> => {
    files += 1;
    const found = await lstat(path);
    bytes += found.isFile() ? found.size : 0;
    if (files > MOST_FILES || bytes > MOST_BYTES) return false;
    const shown = relative(top, path);
    if (found.isDirectory()) {
      hash.update(JSON.stringify(["folder", shown]));
      for (const inner of (await readdir(path)).sort()) if (!(await add(join(path, inner)))) return false;
      return true;
    }
    if (found.isSymbolicLink()) {
      // What a link inside leads to is hashed where it is; what lies outside could change unseen.
      if (!(await realpath(path)).startsWith(join(await realpath(top), sep))) return false;
      hash.update(JSON.stringify(["link", shown, await readlink(path)]));
      return true;
    }
    if (!found.isFile()) return false;
    const content = createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
    hash.update(JSON.stringify(["file", shown, found.mode & 0o111, content]));
    return true;
  };
  return (await add(top).catch(() => false)) ? hash.digest("hex") : null;
}

/** Scripts and folders; everything else, links included, is none of ours. */
async function kindOf(path: string, name: string): Promise<"script" | "folder" | null> {
  if (name.startsWith(".") || name === "node_modules") return null;
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() === true) return "folder";
  return found?.isFile() === true && SCRIPTS.has(extname(name)) ? "script" : null;
}

function cannotBeTrusted(name: string): Notice {
  const file = `${EXTENSIONS_FOLDER}/${name}`;
  const text = `the extension "${name}" is left out: ${file} cannot be read, is larger than 64 MB or 5,000 files, or has a link that leads out of it; name its program under extensions in toolcrib.yaml`;
  return {
    level: "warning",
    code: "extension.invalid",
    text,
    names: [name],
    origin: { kind: "file", file, line: null },
  };
}
