import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { compileAsUsual, compileLater, withUsualOptions } from "../../system/late-compiling.ts";
import { compileKept, importFrom, loadKept, readAscii, versionOf } from "./guard/kept-code.ts";

/** Commands that are started often have code of their own kept; all others share theirs. */
const OWN = ["acp", "call", "chat", "connect", "list", "run", "search", "servers", "up", "why"];

/** Milliseconds after which the start of a process that goes on is over. */
const START = 5_000;

type Exports = Readonly<Record<string, unknown>>;
type Later = (to: string) => unknown;
type Part = (name: string) => Exports;
type Joined = (
  require: (name: string) => unknown,
  url: string,
  outside: Later,
  part: Part,
  later: (name: string) => Promise<Exports>,
) => Readonly<Record<string, (exports: Exports) => void>>;

type World = typeof import("./run-world.ts");

/** How much longer V8 then waits with compiling for speed: even a question about 10,000 tools is answered with little of it. */
const TIMES = 8;
const WHO = "start";

/** Loads what answers questions about a world file, with what V8 has compiled of it in an earlier process. */
export function requireWorld(file: string): World {
  const { exports, keep } = loadKept(file, keyOf(file));
  startLate(keep, true);
  return exports as World; // The build makes it of that file.
}

let part: Part | null = null;

/** What a part of the file that the build has joined exports; the process has one such file. */
export function requirePart(file: string, name: string): Exports {
  part ??= loadParts(file);
  return part(name);
}

function loadParts(file: string): Part {
  const text = readAscii(file);
  const { script, noted, keep } = compileKept(text, {
    file,
    key: keyOf(file),
    version: versionOf(file, text),
  });
  const done = new Map<string, Exports>();
  const find: Part = (name) => {
    const found = done.get(name);
    if (found !== undefined) return found;
    const exports = {};
    all[name]?.(exports);
    done.set(name, exports);
    return exports;
  };
  const joined = script.runInThisContext() as Joined; // The build makes it so.
  const later = async (name: string): Promise<Exports> => find(name);
  const require = createRequire(file);
  const load = (name: string): unknown => withUsualOptions(() => require(name));
  const all = joined(load, pathToFileURL(file).href, importFrom(file), find, later);
  const keepMore = (): void => {
    const ran = Object.keys(all).map((name, at) => noted?.[at] === 1 || done.has(name));
    // A command may need other parts another time, and what was kept is kept again with those.
    if (ran.some((has, at) => has && noted?.[at] !== 1)) keep?.(Uint8Array.from(ran, Number));
  };
  startLate(keep === null ? null : keepMore, noted === null);
  return find;
}

function keyOf(file: string): string {
  const [, , command = ""] = process.argv;
  return `${file} ${OWN.includes(command) ? command : ""}`;
}

/**
 * Has V8 compile little for speed while the process starts, and keeps what it has compiled when that is over or the process ends:
 * later, it has thrown away what ran only at the start. What is kept counts for processes whose V8 has the same options.
 */
function startLate(keep: (() => void) | null, isFirst: boolean): void {
  const keepsAll = keep !== null && isFirst;
  compileLater(WHO, TIMES);
  if (keepsAll) setFlagsFromString("--no-flush-bytecode");
  const once = (): void => {
    clearTimeout(timer);
    process.off("exit", once);
    compileAsUsual(WHO);
    if (keepsAll) setFlagsFromString("--flush-bytecode");
    if (keep !== null) withUsualOptions(keep);
  };
  const timer = setTimeout(once, START).unref();
  process.once("exit", once);
}
