import { lstat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Notice } from "../../core/codes/reason.ts";
import type { Readers } from "../layers/readers.ts";
import { describeRuns, type FoundProgram, type FoundPrograms } from "./found-program.ts";
import { CANNOT_BE_HASHED, hashText, listHashes } from "./hash-files.ts";
import { readJsonRecord } from "./read-json-record.ts";

/** In the workspace: one script each, or one folder each with `extension.json`. */
const EXTENSIONS_FOLDER = ".toolcrib/extensions";
const SCRIPTS: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs"]);

/** The content of the workspace's folder of extensions. Nothing is started, and nothing counts before it is trusted. */
export async function findExtensionFiles(workspace: string, readers: Readers): Promise<FoundPrograms> {
  const folder = join(workspace, EXTENSIONS_FOLDER);
  const programs: FoundProgram[] = [];
  const notices: Notice[] = [];
  // Read through `readers` as well, so that a watcher of changes learns of these.
  for (const name of await readers.listFolder(folder).catch(() => [])) {
    const kind = await kindOf(join(folder, name), name);
    if (kind === null) continue;
    const file = `${EXTENSIONS_FOLDER}/${name}`;
    const text = await readers
      .readText(join(folder, name, ...(kind === "folder" ? ["extension.json"] : [])))
      .catch(() => null);
    const digest = await hashContent(workspace, name);
    if (digest === null) notices.push(cannotBeTrusted(name, file));
    else programs.push({ what: "extension", name, key: name, file, digest, runs: readRuns(kind, file, text) });
  }
  return { programs, notices };
}

/** Hash of a script or of everything in a folder; null if it cannot be trusted. */
export async function hashContent(workspace: string, name: string): Promise<string | null> {
  const listed = await listHashes(join(workspace, EXTENSIONS_FOLDER, name));
  return listed === null ? null : hashText(JSON.stringify(listed));
}

/** Scripts and folders; everything else, including links, is ignored. */
async function kindOf(path: string, name: string): Promise<"script" | "folder" | null> {
  if (name.startsWith(".") || name === "node_modules") return null;
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory() === true) return "folder";
  return found?.isFile() === true && SCRIPTS.has(extname(name)) ? "script" : null;
}

function readRuns(kind: "script" | "folder", file: string, text: string | null): FoundProgram["runs"] {
  if (kind === "script") return describeRuns({ words: ["node", file] });
  const { command, args, env } = readJsonRecord(text);
  return describeRuns({ words: [command, ...(Array.isArray(args) ? args : [])], env });
}

function cannotBeTrusted(name: string, file: string): Notice {
  const text = `the extension "${name}" is left out: ${file} ${CANNOT_BE_HASHED}; name its program under extensions in toolcrib.yaml`;
  return {
    level: "warning",
    code: "extension.invalid",
    text,
    names: [name],
    origin: { kind: "file", file, line: null },
  };
}
