import { cp, lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CANNOT_BE_HASHED, listHashes } from "../../../config/trust/hash-files.ts";
import { readTar } from "../../../system/files/read-tar.ts";
import { usage } from "../command-line/arguments.ts";

/** Copies a plugin's folder, or unpacks its archive, to a folder that is not there yet. */
export async function unpackPlugin(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => null);
  if (found === null) throw usage(`there is no ${from}`);
  if (found.isDirectory()) {
    if ((await listHashes(from)) === null) throw usage(`${from} ${CANNOT_BE_HASHED}`);
    await cp(from, to, { recursive: true, verbatimSymlinks: true });
    return;
  }
  const files = await readArchive(from);
  const top = commonFolder(files.map(({ path }) => path));
  for (const { path, data, isExecutable } of files) {
    const place = join(to, path.slice(top.length));
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, data, { mode: isExecutable ? 0o755 : 0o644 });
  }
}

async function readArchive(path: string) {
  try {
    return readTar(await readFile(path));
  } catch (error) {
    throw usage(`${path} cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Archives of npm and of hosts of repositories have all their files in one folder. */
function commonFolder(paths: readonly string[]): string {
  const [first = ""] = paths;
  const top = first.slice(0, first.indexOf("/") + 1);
  const isWhole = top !== "" && top !== ".claude-plugin/" && paths.every((path) => path.startsWith(top));
  return isWhole ? top : "";
}
