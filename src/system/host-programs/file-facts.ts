import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import { isStandIn } from "../../core/rules/stand-in.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { findImports, findPackages } from "./imports.ts";

/** What is known of a file that may be part of a host program; computed once as long as it does not change. */
export interface FileFacts {
  readonly kind: "program" | "manifest" | "named";
  /** Digest of what decides the program's behaviour; null if it cannot be read or is too large. */
  readonly digest: () => string | null;
  /** Files that it may load, as far as its text says; absolute, and mostly non-existent. */
  readonly imports: (entry: string) => readonly string[];
  /** Names of packages that it loads. */
  readonly packages: () => readonly string[];
}

/** Follows links. Null if there is no regular file. */
export function readFacts(path: string): FileFacts | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (found === undefined || !found.isFile() || isStandIn({ mtimeMs: Number(found.mtimeMs) })) return null;
  const { dev, ino, size, mtimeNs, ctimeNs, mode } = found;
  const stamp = `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  const known = cached.get(path);
  if (known?.stamp === stamp) return known.facts;
  if (cached.size >= MOST_CACHED) cached.clear();
  const facts = toFacts(path, Number(size), (Number(mode) & 0o111) !== 0);
  cached.set(path, { stamp, facts });
  return facts;
}

const cached = new Map<string, { readonly stamp: string; readonly facts: FileFacts }>();
const MOST_CACHED = 20_000;
/** Nobody writes more by hand, and what a bundle imports is inside it. */
const MOST_SCANNED = 1_048_576;
/** No program that a person could review is larger. */
const MOST_HASHED = 256 * 1_048_576;

function toFacts(path: string, size: number, isExecutable: boolean): FileFacts {
  const kind = basename(path) === MANIFEST ? "manifest" : isProgram(path, isExecutable) ? "program" : "named";
  const isScanned = kind === "program" && size <= MOST_SCANNED;
  const scan = <T>(look: (text: string) => readonly T[]): readonly T[] =>
    (isScanned ? readWith(path, (content) => look(content.toString())) : null) ?? [];
  let digest: string | null = null;
  let packages: readonly string[] | null = null;
  const imports = new Map<string, readonly string[]>();
  return {
    kind,
    digest() {
      if (size <= MOST_HASHED) digest ??= readWith(path, kind === "manifest" ? digestManifest : digestOf);
      return digest;
    },
    imports(entry) {
      const found = imports.get(entry) ?? scan((text) => findImports(path, text, entry));
      imports.set(entry, found);
      return found;
    },
    packages() {
      packages ??= scan((text) => findPackages(path, text));
      return packages;
    },
  };
}

const MANIFEST = "package.json";

/** The fields of a package that decide which code runs. Others, such as dependencies, change for their own reasons. */
const DECIDING = ["type", "main", "module", "exports", "imports", "bin", "browser"];

function digestManifest(content: Buffer): string {
  const manifest = parseJson(content.toString());
  return digestOf(isRecord(manifest) ? JSON.stringify(DECIDING.map((key) => manifest[key] ?? null)) : content);
}

function readWith<T>(path: string, use: (content: Buffer) => T): T | null {
  try {
    return use(readFileSync(path));
  } catch {
    return null;
  }
}

function digestOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

const CODE = new Set(
  "js mjs cjs jsx ts mts cts tsx py pyw rb pl pm php lua sh bash zsh ksh fish ps1 psm1 bat cmd r jl tcl awk groovy jar class wasm node so dylib dll exe"
    .split(" ")
    .map((ending) => `.${ending}`),
);
/** Not executable, whatever their mode: some file systems mark every file. */
const DATA = new Set(
  "json jsonc json5 yaml yml toml ini cfg conf env log txt md csv tsv xml html css db sqlite sqlite3 lock pem key crt pid sock"
    .split(" ")
    .map((ending) => `.${ending}`),
);

/** Whether the name is that of a code file. */
export function isCodeName(path: string): boolean {
  return CODE.has(extname(path).toLowerCase());
}

function isProgram(path: string, isExecutable: boolean): boolean {
  if (isCodeName(path)) return true;
  if (DATA.has(extname(path).toLowerCase())) return false;
  return isExecutable || readStart(path) === "#!";
}

function readStart(path: string): string {
  try {
    const descriptor = openSync(path, "r");
    try {
      const start = Buffer.alloc(2);
      return start.subarray(0, readSync(descriptor, start, 0, 2, 0)).toString("latin1");
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}
