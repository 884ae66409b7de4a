/** One section of a patch: what happens to one file. */
export type FilePatch =
  | { readonly kind: "add"; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "update"; readonly path: string; readonly moveTo: string | null; readonly hunks: readonly Hunk[] };

/** A run of lines: where to look for it, and its lines as context, removed and added. */
export interface Hunk {
  /** Texts after `@@`: lines to find first, one after the other. */
  readonly headers: readonly string[];
  readonly lines: readonly PatchLine[];
  /** The run ends where the file ends. */
  readonly atEnd: boolean;
}

export interface PatchLine {
  readonly kind: "context" | "remove" | "add";
  readonly text: string;
}

/** What is wrong with a patch, for the model to put right. */
export class PatchProblem extends Error {
  override readonly name = "PatchProblem";
}

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const SECTION = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

interface Lines {
  readonly all: readonly string[];
  at: number;
}

/** Reads the `*** Begin Patch` format. */
export function parsePatch(input: string): readonly FilePatch[] {
  const all = input.trim().split(/\r?\n/);
  if (all[0]?.trim() !== BEGIN) throw new PatchProblem(`The patch must start with "${BEGIN}".`);
  if (all.at(-1)?.trim() !== END) throw new PatchProblem(`The patch must end with "${END}".`);
  const lines: Lines = { all: all.slice(0, -1), at: 1 };
  const patches: FilePatch[] = [];
  while (lines.at < lines.all.length) {
    if (current(lines).trim() === "") lines.at += 1;
    else patches.push(readSection(lines));
  }
  if (patches.length === 0) throw new PatchProblem("The patch names no file.");
  return patches;
}

function readSection(lines: Lines): FilePatch {
  const [, kind, name] = SECTION.exec(current(lines).trimEnd()) ?? [];
  if (kind === undefined || name === undefined) {
    throw new PatchProblem(
      `Line ${lines.at + 1} of the patch must be "*** Add File: ", "*** Delete File: " or "*** Update File: " with a path.`,
    );
  }
  const path = name.trim();
  lines.at += 1;
  switch (kind) {
    case "Delete":
      return { kind: "delete", path };
    case "Add":
      return { kind: "add", path, lines: readAdded(lines, path) };
    default:
      return readUpdate(lines, path);
  }
}

function readAdded(lines: Lines, path: string): string[] {
  const added: string[] = [];
  while (inSection(lines)) {
    const line = current(lines);
    if (!line.startsWith("+")) {
      if (line.trim() === "" && onlyBlankUntilSection(lines)) break;
      throw new PatchProblem(`Add File ${path}: line ${lines.at + 1} of the patch must start with "+".`);
    }
    added.push(line.slice(1));
    lines.at += 1;
  }
  return added;
}

function readUpdate(lines: Lines, path: string): FilePatch {
  const moveTo = inFile(lines) ? (MOVE.exec(current(lines).trimEnd())?.[1]?.trim() ?? null) : null;
  if (moveTo !== null) lines.at += 1;
  const hunks: Hunk[] = [];
  while (inSection(lines)) {
    if (current(lines).trim() === "" && onlyBlankUntilSection(lines)) break;
    hunks.push(readHunk(lines, path, hunks.length + 1));
  }
  if (hunks.length === 0 && moveTo === null) throw new PatchProblem(`Update File ${path}: there is no hunk in it.`);
  return { kind: "update", path, moveTo, hunks };
}

function readHunk(lines: Lines, path: string, number: number): Hunk {
  const headers: string[] = [];
  for (; inSection(lines) && current(lines).startsWith("@@"); lines.at += 1) {
    const header = current(lines)
      .slice(2)
      .trim()
      .replace(/^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/, "");
    if (header !== "") headers.push(header);
  }
  const found: PatchLine[] = [];
  let atEnd = false;
  while (inSection(lines) && !current(lines).startsWith("@@") && !atEnd) {
    const line = current(lines);
    if (line.trimEnd() === END_OF_FILE) atEnd = true;
    else if (line === "" && onlyBlankUntilSection(lines)) break;
    else found.push(readLine(line, path, number, lines.at + 1));
    lines.at += 1;
  }
  if (!found.some(({ kind }) => kind !== "context")) {
    throw new PatchProblem(`Update File ${path}, hunk ${number}: it neither adds nor removes a line.`);
  }
  return { headers, lines: found, atEnd };
}

function readLine(line: string, path: string, hunk: number, at: number): PatchLine {
  // Editors and models drop the space of an empty context line.
  if (line === "") return { kind: "context", text: "" };
  const text = line.slice(1);
  switch (line[0]) {
    case " ":
      return { kind: "context", text };
    case "-":
      return { kind: "remove", text };
    case "+":
      return { kind: "add", text };
    default:
      throw new PatchProblem(
        `Update File ${path}, hunk ${hunk}: line ${at} of the patch must start with a blank, "-", "+" or "@@".`,
      );
  }
}

function current(lines: Lines): string {
  return lines.all[lines.at] ?? "";
}

function inFile(lines: Lines): boolean {
  return lines.at < lines.all.length;
}

function inSection(lines: Lines): boolean {
  return inFile(lines) && !SECTION.test(current(lines).trimEnd());
}

/** Empty lines between sections belong to none of them. */
function onlyBlankUntilSection(lines: Lines): boolean {
  let at = lines.at;
  while (at < lines.all.length && lines.all[at]?.trim() === "") at += 1;
  return at >= lines.all.length || SECTION.test(lines.all[at]?.trimEnd() ?? "");
}
