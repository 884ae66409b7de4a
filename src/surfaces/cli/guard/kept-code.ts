import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire, Module } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
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
export function loadKept(file: string): Loaded {
  const source = readFileSync(file);
  // It is ASCII.
  const text = `(function(exports,require,module,__filename,__dirname){${source.toString("latin1")}\n})`;
  const path = join(keptFolder({ home: homeFolder(process.env), env: process.env }), `${digest(file)}.code`);
  const seal = sealFor(source);
  const cachedData = openKept(path, seal);
  const script = new Script(text, { filename: file, ...(cachedData === null ? {} : { cachedData }) });
  const require = createRequire(file);
  // Such code cannot import by itself.
  const later = (to: string): unknown => import(to.startsWith(".") ? new URL(to, pathToFileURL(file)).href : to);
  const module = Object.assign(new Module(file), { filename: file, import: later });
  // Who asks for the file in the ordinary way gets the same.
  require.cache[file] = module;
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  module.loaded = true;
  const keep = (): void => {
    const data = script.createCachedData();
    writeKept(path, Buffer.concat([seal(data), data]));
  };
  const isFound = cachedData !== null && script.cachedDataRejected !== true;
  return { exports: module.exports, keep: isFound || process.getuid === undefined ? null : keep };
}

type Seal = (data: Uint8Array) => Buffer;

/** V8 itself does not notice a byte that has changed. */
function sealFor(source: Uint8Array): Seal {
  const about = createHash("sha256").update(`${process.version} ${process.arch}\n`).update(source);
  return (data) => about.copy().update(data).digest();
}

const SEAL_BYTES = 32;

function openKept(path: string, seal: Seal): Buffer | null {
  const bytes = readKept(path);
  if (bytes === null) return null;
  const data = bytes.subarray(SEAL_BYTES);
  return seal(data).equals(bytes.subarray(0, SEAL_BYTES)) ? data : null;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 40);
}
