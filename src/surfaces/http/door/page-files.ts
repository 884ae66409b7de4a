import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the built page is. */
export const PAGE_FOLDER = fileURLToPath(new URL("../../../inspector", import.meta.url));

interface PageFile {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** Files of the inspector's page, by the path they are asked for. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".ico", "image/x-icon"],
  [".woff2", "font/woff2"],
]);

/** The page contains no data and needs no token; what it may load and who may frame it is decided here. */
const SAFE = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** Files that the build puts into this folder have their hash in their name. */
const HASHED = "/assets/";
const MAX_FILES = 200;

/**
 * Reads the whole page once. A request is then looked up and never becomes a path, so there is nothing to climb out of.
 * Links are left out. Empty if the page was not built.
 */
export async function loadPageFiles(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && TYPES.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .slice(0, MAX_FILES);
  const pages = new Map(
    await Promise.all(
      files.map(async (file) => {
        const path = posix.join("/", relative(folder, file).split(sep).join("/"));
        return [path, toPageFile(path, await readFile(file))] as const;
      }),
    ),
  );
  const index = pages.get("/index.html");
  return index === undefined ? pages : pages.set("/", index);
}

function toPageFile(path: string, body: Buffer): PageFile {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const kept = path.startsWith(HASHED) ? "public, max-age=31536000, immutable" : "no-cache";
  const type = TYPES.get(extname(path)) ?? "application/octet-stream";
  return { body, headers: { ...SAFE, "content-type": type, "cache-control": kept, etag } };
}

/** Node omits the body for a HEAD request. */
export function sendPageFile(request: IncomingMessage, response: ServerResponse, { body, headers }: PageFile): void {
  const isKnown = request.headers["if-none-match"] === headers.etag;
  response.writeHead(isKnown ? 304 : 200, isKnown ? headers : { ...headers, "content-length": body.length });
  response.end(isKnown ? undefined : body);
}
