import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../core/shape/is-record.ts";

export type PackageEntry =
  | { readonly found: "file"; readonly path: string }
  /** No folder on the way up has the package. */
  | { readonly found: "nothing" }
  /** The package exists but has no such part. */
  | { readonly found: "package"; readonly folder: string };

/** In the order in which Node tries them for `import`. */
const CONDITIONS: ReadonlySet<string> = new Set(["node", "import", "module-sync", "default"]);

/**
 * The file that `import` of a package resolves to for a module in `base`. Node resolves only for a module that is
 * already loaded, which a configuration file never is.
 */
export function findPackageEntry(specifier: string, base: string): PackageEntry {
  const [name, part] = splitSpecifier(specifier);
  for (let folder = base; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    const manifest = readManifest(join(place, "package.json"));
    if (manifest !== null) {
      const target = targetOf(manifest, part, place);
      const path = target === null ? null : join(place, target);
      return path !== null && isFile(path) ? { found: "file", path } : { found: "package", folder: place };
    }
    if (dirname(folder) === folder) return { found: "nothing" };
  }
}

/** `@a/b/c/d` is the part `./c/d` of the package `@a/b`. */
function splitSpecifier(specifier: string): readonly [name: string, part: string] {
  const parts = specifier.split("/");
  const size = specifier.startsWith("@") ? 2 : 1;
  return [parts.slice(0, size).join("/"), ["." as string, ...parts.slice(size)].join("/")];
}

function targetOf(manifest: object, part: string, place: string): string | null {
  const stated: unknown = Reflect.get(manifest, "exports");
  if (stated !== undefined && stated !== null) return fromExports(stated, part);
  if (part !== ".") return part;
  const main: unknown = Reflect.get(manifest, "main");
  const start = typeof main === "string" && main !== "" ? main : "index.js";
  return [start, `${start}.js`, join(start, "index.js"), "index.js"].find((name) => isFile(join(place, name))) ?? null;
}

function fromExports(stated: unknown, part: string): string | null {
  const isTable = isRecord(stated) && Object.keys(stated).some((key) => key.startsWith("."));
  if (!isTable) return part === "." ? pickTarget(stated, "") : null;
  if (Object.hasOwn(stated, part)) return pickTarget(Reflect.get(stated, part), "");
  const patterns = Object.keys(stated).filter((key) => key.includes("*"));
  patterns.sort((a, b) => b.indexOf("*") - a.indexOf("*"));
  for (const pattern of patterns) {
    const [before = "", after = ""] = pattern.split("*");
    const fits = part.length >= pattern.length && part.startsWith(before) && part.endsWith(after);
    if (fits) return pickTarget(Reflect.get(stated, pattern), part.slice(before.length, part.length - after.length));
  }
  return null;
}

function pickTarget(target: unknown, star: string): string | null {
  if (typeof target === "string") return target.startsWith("./") ? target.replaceAll("*", star) : null;
  if (Array.isArray(target)) return target.map((each) => pickTarget(each, star)).find((each) => each !== null) ?? null;
  if (!isRecord(target)) return null;
  for (const [condition, inner] of Object.entries(target)) {
    const picked = CONDITIONS.has(condition) ? pickTarget(inner, star) : null;
    if (picked !== null) return picked;
  }
  return null;
}

function readManifest(path: string): object | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isRecord(manifest) ? manifest : null;
  } catch {
    return null;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
