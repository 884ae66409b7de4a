import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { brotliDecompressSync } from "node:zlib";
import type { Parser, Tree } from "web-tree-sitter";

/**
 * The grammar tries several readings at once, and takes long to recover from errors: a line and all texts in it have this
 * time, twice. First by the clock, which costs nothing to look at; then of the processor, because a process that waits for
 * its turn has not read for too long. An ordinary line of 10 KB takes a fifth of it.
 */
const PATIENT_S = 0.06;

/** How long one line has been read. */
export interface ReadingTime {
  /** Seconds by the clock. */
  taken: number;
  /** What the process had used when these were over. */
  cpuThen: number | null;
}

export const newReadingTime = (): ReadingTime => ({ taken: 0, cpuThen: null });

/** Room for the whole grammar, so that it is unpacked in one piece. */
const UNPACKED_BYTES = 2 ** 21;

/**
 * What V8 lets run before it optimizes. The lexer is one function of a third of a megabyte: to optimize it takes nearly a
 * second of the processor, which a process waits for at its end, and only who reads some hundred lines gains by it.
 */
const LATE_BUDGET = 2 ** 31 - 1;
/** What V8 has by itself, for everything else that is loaded. */
const USUAL_BUDGET = Number.parseInt(process.versions.v8, 10) < 12 ? 1_800_000 : 13_000_000;

let loading: Promise<Parser> | null = null;

/** The bash grammar, loaded when the first command line is read. */
export function loadGrammar(): Promise<Parser> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Parser> {
  const { Language, Parser } = await import("web-tree-sitter");
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  const setBudget = (budget: number): void => setFlagsFromString(`--wasm-tiering-budget=${budget}`);
  setBudget(LATE_BUDGET);
  try {
    await Parser.init();
    const bash = await Language.load(await readGrammar());
    const parser = new Parser();
    parser.setLanguage(bash);
    return parser;
  } finally {
    setBudget(USUAL_BUDGET);
  }
}

/**
 * The build puts the grammar beside the code, so that whoever installs the package need not install one whose other
 * half is native; in a checkout it is that development dependency itself.
 */
async function readGrammar(): Promise<Uint8Array> {
  const built = new URL("../../grammar/tree-sitter-bash.wasm.br", import.meta.url);
  if (existsSync(built)) return brotliDecompressSync(await readFile(built), { chunkSize: UNPACKED_BYTES });
  return readFile(createRequire(import.meta.url).resolve("tree-sitter-bash/tree-sitter-bash.wasm"));
}

/** Trees hold memory outside of the garbage collector's reach, so they live only inside `use`; null once the time is over. */
export function withTree<T>(parser: Parser, text: string, time: ReadingTime, use: (tree: Tree) => T): T | null {
  // Not `performance`: what it loads takes as long as reading a line.
  const start = process.uptime();
  const isOver = (): boolean => time.taken + process.uptime() - start > PATIENT_S && isUsedUp(time);
  if (isOver()) return null;
  const tree = parser.parse(text, null, { progressCallback: isOver });
  time.taken += process.uptime() - start;
  if (tree === null) {
    parser.reset();
    return null;
  }
  try {
    return use(tree);
  } finally {
    tree.delete();
  }
}

function isUsedUp(time: ReadingTime): boolean {
  const { user, system } = process.cpuUsage();
  const now = (user + system) / 1_000_000;
  time.cpuThen ??= now;
  return now - time.cpuThen > PATIENT_S;
}
