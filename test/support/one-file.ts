import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const MAKER = fileURLToPath(new URL("bundle-server.mjs", import.meta.url));
/** What npm has installed, by version. */
const INSTALLED = join(MODULES, ".package-lock.json");

const found = new Map<string, string>();

/**
 * A server and all that it imports, as one file: of the time that such a process takes to start, three fifths go into
 * looking for some hundred modules. It is made once, and again when the server or a package changes.
 */
export function oneFile(server: string): string {
  const known = found.get(server);
  if (known !== undefined) return known;
  const hash = createHash("sha256").update(server);
  for (const path of [server, MAKER, INSTALLED]) hash.update(readFileSync(path));
  const folder = join(MODULES, ".cache", "test-servers");
  const file = join(folder, `${hash.digest("hex").slice(0, 16)}-${basename(server).replace(/\.c?js$/, ".mjs")}`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    execFileSync(process.execPath, [MAKER, server, file], { stdio: ["ignore", "ignore", "inherit"] });
  }
  found.set(server, file);
  return file;
}
