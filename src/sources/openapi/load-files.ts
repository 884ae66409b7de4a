import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import { contains } from "../../system/paths/roots.ts";
import { type ApiFile, DocumentFault, parseApiFile } from "./api-file.ts";
import { type ApiSpec, isAddress } from "./api-spec.ts";
import { type ApiFiles, outsideOf } from "./references.ts";

/** How documents are read. */
export interface DocumentPorts {
  /** The workspace; files that a document in it refers to must be in it too. */
  readonly workspace: string;
  /** The text at a configured address, or under one. Throws an error that continues "the document …". */
  fetch(url: URL, signal: AbortSignal): Promise<string>;
}

const MOST_BYTES = 32 * 1024 * 1024;
const MOST_FILES = 200;

/** The text of the document itself. Throws an error that continues "the API …". */
export async function loadText(spec: string, ports: DocumentPorts, signal: AbortSignal): Promise<string> {
  return isAddress(spec) ? ports.fetch(new URL(spec), signal) : readText(spec);
}

/** The document with every file that it refers to. A file that cannot be read affects only what refers to it. */
export async function loadFiles(
  { spec, refs }: Pick<ApiSpec, "spec" | "refs">,
  text: string,
  ports: DocumentPorts,
  signal: AbortSignal,
): Promise<ApiFiles> {
  const shown = (address: string): string => (isAddress(address) ? address : relative(ports.workspace, address));
  const address = isAddress(spec) ? new URL(spec).href : spec;
  const root = await parseApiFile(address, isAddress(spec) ? hideQuery(address) : nameOf(spec, ports.workspace), text);
  const others = new Map<string, ApiFile | Error>();
  const waiting = [...outsideOf(root)];
  const mayRead = await toGuard(spec, refs, ports.workspace);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (others.has(next) || next === root.address) continue;
    const file = others.size < MOST_FILES ? await loadOther(next) : new Error("is one file too many");
    others.set(next, file);
    if (!(file instanceof Error)) waiting.push(...outsideOf(file));
  }
  return { root, others };

  async function loadOther(other: string): Promise<ApiFile | Error> {
    try {
      const real = await mayRead(other);
      const found = isAddress(real) ? await ports.fetch(new URL(real), signal) : await readText(real);
      return await parseApiFile(other, shown(other), found);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DocumentFault) return new Error(`cannot be read: ${error.at.file.name}: ${error.message}`);
      return error instanceof Error ? error : new Error("cannot be read");
    }
  }
}

/**
 * The real location of a referenced file, if it may be read: a file in the workspace, or next to a document elsewhere;
 * an address at the host of the document itself, or under one that its entry names.
 */
async function toGuard(
  spec: string,
  refs: readonly string[],
  workspace: string,
): Promise<(address: string) => Promise<string>> {
  const real = isAddress(spec) ? null : await realpath(spec);
  const home = await realpath(workspace).catch(() => workspace);
  const folder = real === null ? null : contains(home, real) ? home : dirname(real);
  return async (address) => {
    if (isAddress(address)) {
      const isNear = isAddress(spec) && new URL(spec).origin === new URL(address).origin;
      if (isNear || refs.some((prefix) => isBelow(address, prefix))) return address;
      throw new Error(`is at ${new URL(address).origin}, which the entry's \`refs\` does not name`);
    }
    if (folder === null || !address.startsWith("/")) throw new Error("is not a file that an address may refer to");
    const target = await realpath(address).catch(() => null);
    if (target === null) throw new Error("does not exist");
    if (!contains(folder, target)) throw new Error(`lies outside ${folder === home ? "the workspace" : "its folder"}`);
    return target;
  };
}

function isBelow(address: string, prefix: string): boolean {
  if (!URL.canParse(prefix)) return false;
  const [url, above] = [new URL(address), new URL(prefix)];
  const folder = above.pathname.endsWith("/") ? above.pathname : `${above.pathname}/`;
  return url.origin === above.origin && (url.pathname === above.pathname || url.pathname.startsWith(folder));
}

function nameOf(path: string, workspace: string): string {
  return contains(workspace, path) ? relative(workspace, path) || basename(path) : path;
}

function hideQuery(address: string): string {
  return address.replace(/[?#].*$/, "");
}

async function readText(path: string): Promise<string> {
  let file: FileHandle | null = null;
  try {
    if (!(await stat(path)).isFile()) throw new Error("is no file");
    file = await open(path);
    const { size } = await file.stat();
    if (size > MOST_BYTES) throw new Error(`is larger than ${MOST_BYTES / 1024 / 1024} MiB`);
    return await file.readFile("utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : null;
    if (code === null && error instanceof Error) throw error;
    throw new Error(code === "ENOENT" ? "does not exist" : `cannot be read (${code})`);
  } finally {
    await file?.close();
  }
}
