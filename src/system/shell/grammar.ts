import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { brotliDecompressSync } from "node:zlib";
import type { Parser, Tree } from "web-tree-sitter";

/**
 * The grammar tries several readings at once, and recovers slowly from errors: a line and all texts in it have this
 * time, twice. First by the clock, which is cheap to read; then in processor time, because waiting for the processor is
 * not reading. An ordinary line of 10 KB takes a fifth of it.
 */
const PATIENT_S = 0.06;

/** How long one line has been read. */
export interface ReadingTime {
  /** Seconds by the clock. */
  taken: number;
  /** The processor time used when these were over. */
  cpuThen: number | null;
}

export const newReadingTime = (): ReadingTime => ({ taken: 0, cpuThen: null });

/** Room for the whole grammar, so that it is unpacked in one piece. */
const UNPACKED_BYTES = 2 ** 21;

/**
 * How much V8 runs before it optimises. The lexer is one function of a third of a megabyte: optimising it takes nearly
 * a second of processor time, which a process waits for at its end, and pays off only after some hundred lines.
 */
const LATE_BUDGET = 2 ** 31 - 1;
/** V8's default, for everything else that is loaded. */
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
 * The build puts the grammar beside the code, so that users need not install a package whose other half is native; in a
 * checkout it comes from that development dependency.
 */
async function readGrammar(): Promise<Uint8Array> {
  const built = new URL("../../grammar/tree-sitter-bash.wasm.br", import.meta.url);
  if (existsSync(built)) return brotliDecompressSync(await readFile(built), { chunkSize: UNPACKED_BYTES });
  return readFile(createRequire(import.meta.url).resolve("tree-sitter-bash/tree-sitter-bash.wasm"));
}

/** Trees hold memory outside the garbage collector, so they live only inside `use`; null once the time is over. */
export function withTree<T>(parser: Parser, text: string, time: ReadingTime, use: (tree: Tree) => T): T | null {
  // Not `performance`: loading it takes as long as reading a line.
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
