import type { ShellCommand, ShellWord } from "./command-line.ts";
import { baseName } from "./command-pattern.ts";

/** What a command does with one file that its words name. */
export interface FileUse {
  readonly effect: "read" | "write";
  readonly word: ShellWord;
  /** A guess that only deny and ask rules look at: `-f.env`, `@.env`, `if=.env`. */
  readonly guessed: boolean;
  /** The whole folder below it. */
  readonly recursive: boolean;
  /** Writing is all that the command is for, so that it needs a `Write` rule as a redirection does. */
  readonly needsRule: boolean;
  /** What it names must stay inside the workspace, as the target of a link. */
  readonly mustStayInside: boolean;
}

interface Files {
  /** Short options with a value, as letters. */
  readonly valued?: string;
  /** Of these, the ones whose value is a file. */
  readonly files?: string;
  /** Operands that are no files: a pattern, a script, a mode. */
  readonly skip?: number;
  /** Options that give what `skip` stands for, so that all operands are files. */
  readonly unless?: readonly string[];
  readonly operands?: "read" | "write" | "copy" | "link";
  /** Letters that make it go through folders; `always` where it does so anyway. */
  readonly recursive?: string;
  readonly needsRule?: boolean;
}

const READ: Files = { operands: "read" };
const WRITE: Files = { operands: "write" };
const SUM: Files = { operands: "read" };

/** Programs known to read or write the files that they are given. */
const FILES: ReadonlyMap<string, Files> = new Map<string, Files>(
  Object.entries({
    cat: READ,
    tac: READ,
    nl: READ,
    rev: READ,
    more: READ,
    most: READ,
    bat: READ,
    batcat: READ,
    zcat: READ,
    bzcat: READ,
    xzcat: READ,
    zless: READ,
    vim: READ,
    vi: READ,
    view: READ,
    nvim: READ,
    nano: READ,
    emacs: READ,
    ed: READ,
    code: READ,
    less: { operands: "read", valued: "bhjxyzPptToOkD" },
    head: { operands: "read", valued: "nc" },
    tail: { operands: "read", valued: "ncs" },
    grep: {
      operands: "read",
      files: "f",
      valued: "efmABCdD",
      skip: 1,
      unless: ["-e", "-f", "--regexp", "--file"],
      recursive: "rR",
    },
    egrep: { operands: "read", files: "f", valued: "efmABCdD", skip: 1, unless: ["-e", "-f"], recursive: "rR" },
    fgrep: { operands: "read", files: "f", valued: "efmABCdD", skip: 1, unless: ["-e", "-f"], recursive: "rR" },
    zgrep: { operands: "read", files: "f", valued: "efmABC", skip: 1, unless: ["-e", "-f"] },
    rg: {
      operands: "read",
      files: "f",
      valued: "efgtTmABCjMrEd",
      skip: 1,
      unless: ["-e", "-f", "--regexp", "--file", "--files"],
      recursive: "always",
    },
    ag: { operands: "read", valued: "ABCGgmp", skip: 1, recursive: "always" },
    ack: { operands: "read", valued: "ABCm", skip: 1, recursive: "always" },
    sed: { operands: "read", files: "f", valued: "efl", skip: 1, unless: ["-e", "-f", "--expression", "--file"] },
    awk: { operands: "read", files: "f", valued: "Fvf", skip: 1, unless: ["-f", "--file"] },
    gawk: { operands: "read", files: "f", valued: "Fvf", skip: 1, unless: ["-f", "--file"] },
    mawk: { operands: "read", files: "f", valued: "Fvf", skip: 1, unless: ["-f"] },
    jq: { operands: "read", files: "f", valued: "fL", skip: 1, unless: ["-f", "--from-file"] },
    yq: { operands: "read", skip: 1 },
    sort: { operands: "read", valued: "kotST" },
    uniq: { operands: "read", valued: "fsw" },
    cut: { operands: "read", valued: "dfbc" },
    wc: READ,
    paste: { operands: "read", valued: "d" },
    join: { operands: "read", valued: "12aejotv" },
    comm: READ,
    fold: { operands: "read", valued: "w" },
    fmt: { operands: "read", valued: "wpg" },
    expand: READ,
    unexpand: READ,
    column: { operands: "read", valued: "stcoNHRTO" },
    pr: READ,
    shuf: { operands: "read", valued: "ino" },
    split: READ,
    csplit: READ,
    iconv: { operands: "read", valued: "fto" },
    diff: { operands: "read", valued: "UCWxXFIL", recursive: "r" },
    cmp: READ,
    sdiff: READ,
    diff3: READ,
    colordiff: READ,
    vimdiff: READ,
    xxd: { operands: "read", valued: "clogsRn" },
    od: { operands: "read", valued: "AjNtwS" },
    hexdump: { operands: "read", valued: "efns" },
    hd: READ,
    strings: { operands: "read", valued: "nteT" },
    base64: { operands: "read", valued: "w" },
    base32: READ,
    uuencode: READ,
    file: { operands: "read", valued: "mfFPe" },
    stat: { operands: "read", valued: "cf" },
    md5sum: SUM,
    sha1sum: SUM,
    sha224sum: SUM,
    sha256sum: SUM,
    sha384sum: SUM,
    sha512sum: SUM,
    b2sum: SUM,
    cksum: SUM,
    sum: SUM,
    shasum: SUM,
    ls: { operands: "read", valued: "ITw" },
    dir: READ,
    tree: { operands: "read", valued: "LPIoHT", recursive: "always" },
    du: { operands: "read", valued: "dBtX" },
    find: { operands: "read", recursive: "always" },
    fd: { operands: "read", skip: 1, valued: "degtEScj", recursive: "always" },
    readlink: READ,
    realpath: READ,
    source: READ,
    ".": READ,
    mapfile: READ,
    openssl: READ,
    gpg: READ,
    curl: {},
    wget: {},
    dd: {},
    python: READ,
    python3: READ,
    node: READ,
    perl: READ,
    ruby: READ,
    bash: READ,
    sh: READ,
    zsh: READ,
    php: READ,
    tar: { operands: "read", valued: "fCTXbgKLNVHIF", recursive: "always" },
    zip: { operands: "read", valued: "bntxi", recursive: "r" },
    gzip: READ,
    bzip2: READ,
    xz: READ,
    zstd: READ,
    cpio: READ,
    cp: { operands: "copy", valued: "tS", recursive: "rRa" },
    install: { operands: "copy", valued: "tSmog" },
    rsync: { operands: "copy", valued: "eTfMB", recursive: "rab" },
    scp: { operands: "copy", valued: "cFiJloPSDX", recursive: "r" },
    ln: { operands: "link", valued: "tS" },
    mv: { operands: "write", valued: "tS" },
    tee: { operands: "write", needsRule: true },
    touch: { operands: "write", valued: "drt" },
    mkdir: { operands: "write", valued: "mZ" },
    rmdir: WRITE,
    rm: WRITE,
    unlink: WRITE,
    shred: { operands: "write", valued: "ns" },
    truncate: { operands: "write", valued: "sr", needsRule: true },
    mkfifo: WRITE,
    mknod: WRITE,
    sponge: { operands: "write", needsRule: true },
    chmod: { operands: "write", skip: 1, unless: ["--reference"] },
    chown: { operands: "write", skip: 1 },
    chgrp: { operands: "write", skip: 1 },
    chattr: { operands: "write", skip: 1 },
    setfacl: { operands: "write", valued: "mx" },
    patch: WRITE,
  }),
);

const GIT_READERS = new Set([
  "diff",
  "show",
  "blame",
  "grep",
  "log",
  "cat-file",
  "add",
  "archive",
  "hash-object",
  "stash",
]);

/** The files that a command's words name, as far as they are known. */
export function filesOf(command: ShellCommand): readonly FileUse[] {
  const [first, ...rest] = command.words;
  if (first === undefined) return [];
  const name = baseName(first.text);
  if (name === "git") return gitFiles(rest);
  const files = FILES.get(name);
  if (files === undefined) return [];
  const { operands, attached, folder } = layOut(rest, files);
  const isRecursive = (): boolean =>
    files.recursive === "always" ||
    (files.recursive !== undefined && rest.some(({ text }) => isClusterWith(text, files.recursive ?? "")));
  const recursive = isRecursive();
  const use = (word: ShellWord, effect: "read" | "write", more: Partial<FileUse> = {}): FileUse => ({
    effect,
    word,
    guessed: false,
    recursive: recursive && effect === "read",
    needsRule: files.needsRule === true,
    mustStayInside: false,
    ...more,
  });
  const inPlace = (name === "sed" || name === "perl") && rest.some(({ text }) => /^-[a-zA-Z]*i|^--in-place/.test(text));
  const guesses = attached.map((word) => use(word, "read", { guessed: true, recursive: false }));
  const found = operandUses(files, operands, folder, use);
  const whole = recursive && operands.length === 0 ? [use(HERE, "read")] : [];
  return [
    ...found,
    ...whole,
    ...guesses,
    ...(inPlace ? operands.map((word) => use(word, "write")) : []),
    ...outputs(name, rest, use),
  ];
}

const HERE: ShellWord = { text: ".", isStatic: true, hasGlob: false, hasTilde: false };

type Use = (word: ShellWord, effect: "read" | "write", more?: Partial<FileUse>) => FileUse;

function operandUses(
  files: Files,
  operands: readonly ShellWord[],
  folder: ShellWord | null,
  use: Use,
): readonly FileUse[] {
  if (files.operands === undefined) return [];
  switch (files.operands) {
    case "read":
      return operands.map((word) => use(word, "read"));
    case "write":
      return [...operands, ...(folder === null ? [] : [folder])].map((word) => use(word, "write"));
    case "copy":
    case "link": {
      const target = folder ?? operands.at(-1);
      const sources = folder === null ? operands.slice(0, -1) : operands;
      const link = files.operands === "link" ? { mustStayInside: true } : {};
      return [
        ...sources.map((word) => use(word, "read", link)),
        ...(target === undefined ? [] : [use(target, "write")]),
        // Into a folder, the copy keeps its name.
        ...(target === undefined || !mayBeFolder(target)
          ? []
          : sources.map((word) => use(below(target, word), "write", { guessed: true }))),
      ];
    }
  }
}

function mayBeFolder({ text }: ShellWord): boolean {
  return /(?:^|\/)(?:\.{0,2}|~|[^./]+|\.[^./]+)\/?$/.test(text);
}

function below(folder: ShellWord, source: ShellWord): ShellWord {
  return {
    text: `${folder.text}/${baseName(source.text.replace(/\/+$/, ""))}`,
    isStatic: folder.isStatic && source.isStatic,
    hasGlob: folder.hasGlob || source.hasGlob,
    hasTilde: folder.hasTilde,
  };
}

interface Laid {
  readonly operands: readonly ShellWord[];
  /** Values that stand inside other words, and the values of options. */
  readonly attached: readonly ShellWord[];
  /** The value of `-t` or `--target-directory`. */
  readonly folder: ShellWord | null;
}

function layOut(rest: readonly ShellWord[], files: Files): Laid {
  const operands: ShellWord[] = [];
  const attached: ShellWord[] = [];
  let folder: ShellWord | null = null;
  let ended = false;
  let skip = files.skip ?? 0;
  if (files.unless?.some((option) => rest.some(({ text }) => hasOption(text, option))) === true) skip = 0;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (word === undefined) break;
    const { text } = word;
    if (!ended && text === "--") ended = true;
    else if (ended || text === "-" || !text.startsWith("-")) {
      if (skip > 0) skip -= 1;
      else operands.push(word);
      const [, value] = /^(?:\w+=|@|\w+=@)(.+)$/s.exec(text) ?? [];
      if (value !== undefined) attached.push({ ...word, text: value });
    } else {
      const [, long, value] = /^--([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
      const next = rest[at + 1];
      if (value !== undefined && files.files !== undefined && (long === "file" || long === "from-file"))
        operands.push({ ...word, text: value });
      else if (value !== undefined) attached.push({ ...word, text: value }, { ...word, text: value.replace(/^@/, "") });
      else if (long === undefined && text.length > 2) attached.push({ ...word, text: text.slice(2).replace(/^@/, "") });
      const takes = long === undefined && files.valued?.includes(text.at(-1) ?? "") === true;
      const isFile = files.files?.includes(text.at(-1) ?? "") === true && long === undefined;
      if (next !== undefined && takes && isFile) operands.push(next);
      else if (next !== undefined && (takes || files.operands === undefined))
        attached.push({ ...next, text: next.text.replace(/^(?:\w+=)?@/, "") });
      if (/^--target-directory=/.test(text)) folder = { ...word, text: text.slice(19) };
      else if (files.operands !== "read" && /^-[a-zA-Z]*t$|^--target-directory$/.test(text) && next !== undefined)
        folder = next;
      if (takes || long === "target-directory") at += 1;
    }
  }
  return { operands, attached, folder };
}

function hasOption(text: string, option: string): boolean {
  if (option.startsWith("--")) return text === option || text.startsWith(`${option}=`);
  return isClusterWith(text, option.slice(1));
}

function isClusterWith(text: string, letters: string): boolean {
  if (text === "--recursive" || text === "--archive") return /[rRa]/.test(letters);
  return /^-[A-Za-z]/.test(text) && [...text.slice(1)].some((letter) => letters.includes(letter));
}

/** Files that options name as outputs. */
const OUTPUTS: ReadonlyMap<string, RegExp> = new Map([
  ["curl", /^(?:-[a-zA-Z]*o|--output|-c|--cookie-jar|-D|--dump-header)$/],
  ["wget", /^(?:-[a-zA-Z]*O|--output-document|-o|-P|--directory-prefix)$/],
  ["sort", /^(?:-[a-zA-Z]*o|--output)$/],
  ["tree", /^-o$/],
  ["tar", /^(?:-?[a-zA-Z]*[cru][a-zA-Z]*f|-C|--directory)$/],
]);

function outputs(name: string, rest: readonly ShellWord[], use: Use): readonly FileUse[] {
  if (name === "dd")
    return rest
      .filter(({ text }) => text.startsWith("of="))
      .map((word) => use({ ...word, text: word.text.slice(3) }, "write"));
  const option = OUTPUTS.get(name);
  if (option === undefined) return [];
  return rest.flatMap(({ text }, at) => {
    const next = rest[at + 1];
    return option.test(text) && next !== undefined && next.text !== "-"
      ? [use(next, "write", { recursive: false })]
      : [];
  });
}

/** Only operands behind the sub-command, and only for deny and ask rules: git reads its own files besides. */
function gitFiles(rest: readonly ShellWord[]): readonly FileUse[] {
  const at = rest.findIndex(({ text }) => GIT_READERS.has(text));
  if (at === -1) return [];
  const outside = rest.some(({ text }) => text === "--no-index");
  return rest
    .slice(at + 1)
    .filter(({ text }) => !text.startsWith("-"))
    .map((word) => ({ ...word, text: word.text.replace(/^[^/]*:(?=.)/, "") }))
    .map((word) => ({
      effect: "read",
      word,
      guessed: !outside,
      recursive: false,
      needsRule: false,
      mustStayInside: false,
    }));
}
