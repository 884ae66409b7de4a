import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createRequire, Module } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { keptFolder } from "../../../config/layers/state-folder.ts";
import { readKept, writeKept } from "./kept-file.ts";

type Alone = Pick<typeof import("./judge-alone.ts"), "judgeAlone" | "judgeSamples">;

/**
 * Loads what judges alone with what V8 has compiled of it in an earlier process: compiling takes longer than a judgement. A
 * process that finds nothing keeps it after its own answer.
 */
export function requireKept(file: string): Pick<Alone, "judgeAlone"> {
  const { exports, keep } = loadKept(file);
  const alone = exports as Alone; // The build makes it of that file.
  if (keep === null) return alone;
  return {
    async judgeAlone(argv, io) {
      const status = await alone.judgeAlone(argv, io);
      // Only what has run is compiled.
      if (status !== null && (await alone.judgeSamples())) keep();
      return status;
    },
  };
}

interface Loaded {
  readonly exports: unknown;
  /** Keeps what V8 has compiled so far for later processes; null where they find it already, or nothing can be kept. */
  readonly keep: (() => void) | null;
}

/** Runs a file of CommonJS, with what V8 has compiled of it in an earlier process where that was kept. */
export function loadKept(file: string, key = file): Loaded {
  const source = readAscii(file);
  const text = `(function(exports,require,module,__filename,__dirname){${source}\n})`;
  const { script, noted, keep } = compileKept(text, { file, key, version: versionOf(file, source) });
  const require = createRequire(file);
  const module = Object.assign(new Module(file), { filename: file, import: importFrom(file) });
  // Who asks for the file in the ordinary way gets the same.
  require.cache[file] = module;
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  module.loaded = true;
  return { exports: module.exports, keep: noted !== null || keep === null ? null : () => keep(new Uint8Array()) };
}

/** The build writes nothing else into what it joins. */
export function readAscii(file: string): string {
  return readFileSync(file, "latin1");
}

/** What other code of that file would differ in. */
export function versionOf(file: string, text: string): string {
  const { size, mtimeMs } = statSync(file);
  return `${text.slice(-MARK)} ${size} ${mtimeMs}`;
}

/** Hexadecimal digits at the end of a file, which the build makes of all that is before them. */
const MARK = 64;

/** Code that V8 has kept cannot import by itself. */
export function importFrom(file: string): (to: string) => unknown {
  return (to) => import(to.startsWith(".") ? new URL(to, pathToFileURL(file)).href : to);
}

interface Kept {
  readonly script: Script;
  /** What was noted beside the code that is in use; null where none was found. */
  readonly noted: Uint8Array | null;
  /** Keeps what V8 has compiled so far for later processes, and a note beside it; null where nothing can be kept. */
  readonly keep: ((note: Uint8Array) => void) | null;
}

/** Under `key` is what was kept of a file, and it counts for the same `version` of its code. */
interface Source {
  readonly file: string;
  readonly key: string;
  readonly version: string;
}

export function compileKept(text: string, { file, key, version }: Source): Kept {
  const path = keptFile(key);
  if (path === null) return { script: new Script(text, { filename: file }), noted: null, keep: null };
  const seal = sealFor(version);
  const found = openKept(path, seal);
  const script = new Script(text, { filename: file, ...(found === null ? {} : { cachedData: found.data }) });
  const keep = (note: Uint8Array): void => {
    const noteSize = Buffer.alloc(NOTE_SIZE_BYTES);
    noteSize.writeUInt32LE(note.length);
    const kept = Buffer.concat([noteSize, note, script.createCachedData()]);
    writeKept(path, Buffer.concat([seal(kept), kept]));
  };
  return { script, noted: found === null || script.cachedDataRejected === true ? null : found.note, keep };
}

/** Null where nothing is kept: without a home, on Windows, and where Node is told to keep none either. */
function keptFile(key: string): string | null {
  const { env, getuid } = process;
  if (getuid === undefined || env.NODE_DISABLE_COMPILE_CACHE) return null;
  try {
    return join(keptFolder({ home: homeFolder(env), env }), `${digest(key)}.code`);
  } catch {
    return null;
  }
}

type Seal = (kept: Uint8Array) => Buffer;

/** V8 itself does not notice a byte that has changed. Who could change one on purpose could change programs of that person too. */
function sealFor(version: string): Seal {
  const about = createHash("sha512").update(`${process.version} ${process.arch}\n`).update(version).digest();
  return (kept) => {
    const seal = Buffer.concat([about, Buffer.alloc(CHECKSUM_BYTES)]);
    seal.writeUInt32LE(crc32(kept), about.length);
    return seal;
  };
}

const CHECKSUM_BYTES = 4;
const SEAL_BYTES = 64 + CHECKSUM_BYTES;
const NOTE_SIZE_BYTES = 4;

function openKept(path: string, seal: Seal): { readonly note: Buffer; readonly data: Buffer } | null {
  const bytes = readKept(path);
  if (bytes === null) return null;
  const kept = bytes.subarray(SEAL_BYTES);
  if (!seal(kept).equals(bytes.subarray(0, SEAL_BYTES))) return null;
  const noteEnd = NOTE_SIZE_BYTES + kept.readUInt32LE();
  return { note: kept.subarray(NOTE_SIZE_BYTES, noteEnd), data: kept.subarray(noteEnd) };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 40);
}
