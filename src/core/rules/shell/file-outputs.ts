import type { ShellWord } from "./command-line.ts";

/** Options that name outputs: short ones as letters, long ones as words. */
interface Outputs {
  readonly short?: string;
  readonly long?: string;
  /** Other short options with a value: what follows them in a cluster is that value. */
  readonly valued?: string;
  /** Its operands may be written as well. */
  readonly operands?: boolean;
}

const OUTPUTS: ReadonlyMap<string, Outputs> = new Map<string, Outputs>(
  Object.entries({
    curl: { short: "ocD", valued: "AbdeEFHKmPQrtTuUwxXyYz", long: "output cookie-jar dump-header output-dir" },
    wget: { short: "OoP", valued: "aAbBDeEGiIlmnQRtTUwX", long: "output-document output-file directory-prefix" },
    sort: { short: "o", valued: "kStT", long: "output" },
    tree: { short: "o", valued: "LPIHT", long: "output" },
    tar: { short: "C", valued: "fTXbgKLNVHIF", long: "directory" },
    split: { operands: true },
    csplit: { short: "f", valued: "bn", long: "prefix" },
    unzip: { short: "d" },
    ...Object.fromEntries(
      "vim vi nvim ex ed nano emacs gzip gunzip bzip2 bunzip2 xz unxz zstd sqlite3"
        .split(" ")
        .map((name) => [name, { operands: true }]),
    ),
  }),
);

export interface Output {
  readonly word: ShellWord;
  /** Only deny and ask rules look at it. */
  readonly guessed: boolean;
}

/** The files that a program is told to write, in the next word, behind `=` or stuck to the option. */
export function outputsOf(name: string, rest: readonly ShellWord[], operands: readonly ShellWord[]): readonly Output[] {
  if (name === "dd")
    return rest
      .filter(({ text }) => text.startsWith("of="))
      .map((word) => ({ word: { ...word, text: word.text.slice(3) }, guessed: false }));
  const outputs = OUTPUTS.get(name);
  if (outputs === undefined) return [];
  const certain = rest.flatMap((word, at) => [
    ...outputIn(word, rest[at + 1], outputs),
    ...(name === "tar" ? archiveOf(word, rest[at + 1]) : []),
  ]);
  const written = outputs.operands === true ? operands : [];
  return [
    ...certain.filter(({ text }) => text !== "-").map((word) => ({ word, guessed: false })),
    ...written.map((word) => ({ word, guessed: true })),
  ];
}

function outputIn(
  word: ShellWord,
  next: ShellWord | undefined,
  { short = "", long = "", valued = "" }: Outputs,
): readonly ShellWord[] {
  const { text } = word;
  const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (name !== undefined) {
    if (!long.split(" ").some((one) => one !== "" && one.startsWith(name))) return [];
    if (value !== undefined) return [{ ...word, text: value }];
    return next === undefined ? [] : [next];
  }
  if (!/^-[A-Za-z]/.test(text)) return [];
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    const stuck = text.slice(at + 1);
    if (short.includes(letter)) return stuck !== "" ? [{ ...word, text: stuck }] : next === undefined ? [] : [next];
    if (valued.includes(letter)) return [];
  }
  return [];
}

function archiveOf({ text }: ShellWord, next: ShellWord | undefined): readonly ShellWord[] {
  return /^-?[a-zA-Z]*[cru][a-zA-Z]*f$/.test(text) && next !== undefined ? [next] : [];
}

/** Of a program that nobody here knows: what stands behind `-o`, `--output` and their like. */
export function guessOutputs(rest: readonly ShellWord[]): readonly ShellWord[] {
  return rest.flatMap((word, at) => {
    const { text } = word;
    const next = rest[at + 1];
    const [, , value] = /^--?(o|out\w*(?:-\w+)*)(?:=(.*))?$/s.exec(text) ?? /^-(o)(.+)$/s.exec(text) ?? [];
    if (value !== undefined) return [{ ...word, text: value }];
    return /^--?(?:o|out\w*(?:-\w+)*)$/.test(text) && next !== undefined ? [next] : [];
  });
}

/** The folder of `-t` and `--target-directory`, however it is written; GNU programs take the start of a long name. */
export function targetFolder(word: ShellWord, next: ShellWord | undefined): ShellWord | null {
  const [, stuck] = /^--t[a-z-]*=(.*)$/s.exec(word.text) ?? /^-(?!-)[a-zA-Z]*?t(.+)$/s.exec(word.text) ?? [];
  if (stuck !== undefined) return { ...word, text: stuck };
  return /^-[a-zA-Z]*t$|^--t[a-z-]*$/.test(word.text) ? (next ?? null) : null;
}
