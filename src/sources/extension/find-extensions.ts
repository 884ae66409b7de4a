import { readdir, readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { NoticeCode } from "../../core/codes/codes.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { errnoOf } from "../../system/paths/path-refusal.ts";
import type { ExtensionSpec } from "./extension-spec.ts";

export interface FindExtensionsOptions {
  /** Absolute path; null if there is no workspace. */
  readonly workspace: string | null;
  /** Extensions of the configuration; they come first and keep their names. */
  readonly configured: readonly ExtensionSpec[];
  /** Trusted scripts and folders, each with the hash of what was trusted. */
  readonly trusted: ReadonlyMap<string, string>;
}

export interface FoundExtensions {
  readonly extensions: readonly ExtensionSpec[];
  readonly notices: readonly Notice[];
}

/** In the workspace: one script or one folder with `extension.json` per extension. */
const EXTENSIONS_FOLDER = ".toolcrib/extensions";
const MANIFEST = "extension.json";
const SCRIPTS: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs"]);

/**
 * Configured extensions and those of a trusted workspace. Starts nothing; a broken extension does not affect others.
 */
export async function findExtensions(options: FindExtensionsOptions): Promise<FoundExtensions> {
  const { workspace, configured, trusted } = options;
  const entries = workspace === null ? [] : await listEntries(join(workspace, EXTENSIONS_FOLDER));
  if (workspace === null || entries.length === 0) return { extensions: configured, notices: [] };
  const extensions = [...configured];
  const notices: Notice[] = [];
  for (const { name: entry, isFolder } of entries) {
    const content = trusted.get(entry);
    // Extensions that wait for trust are reported together with everything else that does.
    if (content === undefined) continue;
    const shown = `${EXTENSIONS_FOLDER}/${entry}`;
    const found = isFolder ? await readFolder(workspace, shown) : toScript(workspace, shown);
    if ("notice" in found) notices.push(found.notice);
    else if (extensions.some(({ name }) => name === found.name)) notices.push(nameTaken(found));
    else extensions.push({ ...found, file: { name: entry, content } });
  }
  return { extensions, notices };
}

interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Scripts and folders in byte order; everything else is ignored. */
async function listEntries(folder: string): Promise<readonly FolderEntry[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.name.startsWith(".") && entry.name !== "node_modules")
    .filter((entry) => entry.isDirectory() || (entry.isFile() && SCRIPTS.has(extname(entry.name))))
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function toScript(workspace: string, shown: string): ExtensionSpec {
  return {
    name: basename(shown, extname(shown)),
    argv: [process.execPath, join(workspace, shown)],
    cwd: workspace,
    env: {},
    origin: originOf(shown),
  };
}

async function readFolder(workspace: string, shown: string): Promise<ExtensionSpec | { readonly notice: Notice }> {
  const file = `${shown}/${MANIFEST}`;
  const broken = (text: string) => ({ notice: invalid(basename(shown), `${file}: ${text}`, originOf(file)) });
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(join(workspace, file), "utf8"));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return broken("there is no such file; say in it which command to run");
    return broken(error instanceof SyntaxError ? `is not JSON: ${error.message}` : "cannot be read");
  }
  if (!isRecord(manifest)) return broken('must be an object such as { "command": "node", "args": ["main.js"] }');
  const { name = basename(shown), command, args = [], env = {} } = manifest;
  if (typeof name !== "string" || name === "") return broken("`name` must be a text");
  if (typeof command !== "string" || command === "") return broken("`command` must name a program");
  if (!Array.isArray(args) || !args.every(isText)) return broken("`args` must be a list of texts");
  if (!isRecord(env) || !Object.values(env).every(isText)) return broken("`env` must be a map of texts");
  const texts = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)]));
  return { name, argv: [command, ...args], cwd: join(workspace, shown), env: texts, origin: originOf(file) };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function originOf(file: string): Origin {
  return { kind: "file", file, line: null };
}

function invalid(name: string, text: string, origin: Origin): Notice {
  return warn("extension.invalid", `the extension "${name}" is left out: ${text}`, [name], origin);
}

function nameTaken({ name, origin }: ExtensionSpec): Notice {
  const text = `the extension "${name}" is left out: another one has that name already; rename it`;
  return warn("extension.name-taken", text, [name], origin);
}

function warn(code: NoticeCode, text: string, names: readonly string[], origin: Origin): Notice {
  return { level: "warning", code, text, names, origin };
}
