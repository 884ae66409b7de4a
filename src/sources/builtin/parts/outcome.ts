import type { ToolResult } from "../../../core/call/tool-result.ts";

/**
 * What a built-in tool found or did, as data. Texts are rendered from it: ours by `toWords`, those of other dialects by
 * their own code.
 */
export type BuiltinOutcome =
  | { readonly what: "missing"; readonly path: string; readonly hint: string }
  | { readonly what: "exists"; readonly path: string }
  | { readonly what: "image"; readonly path: string; readonly mimeType: string; readonly bytes: number }
  | { readonly what: "empty"; readonly path: string }
  | FolderOutcome
  | LinesOutcome
  | PlacesOutcome
  | { readonly what: "exited"; readonly output: string; readonly code: number; readonly notes: string }
  | { readonly what: "answered"; readonly answer: string }
  | { readonly what: "plan-approved"; readonly remarks: string }
  | { readonly what: "skill-loaded"; readonly name: string; readonly folder: string; readonly prompt: string };

interface FolderOutcome {
  readonly what: "folder";
  readonly path: string;
  readonly levels: number;
  readonly entries: readonly FolderEntry[];
  /** Number of entries that were left out. */
  readonly left: number;
}

export interface FolderEntry {
  /** Relative to the folder. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  /** Bytes of a file. */
  readonly size: number;
}

/** A line of a file. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** Characters that were cut off at its end. */
  readonly cut: number;
}

interface LinesOutcome {
  readonly what: "lines";
  readonly lines: readonly Line[];
  /** Lines of the whole file; null if there are too many to count. */
  readonly total: number | null;
  /** The range that shows what was cut off; null if nothing is missing. */
  readonly next: readonly [number, number] | null;
  /** All lines of the file, from the first to the last. */
  readonly isWhole: boolean;
}

/** Locations that were found, with notes about the search. */
export interface PlacesOutcome {
  readonly what: "places";
  readonly lines: readonly PlacedLine[];
  /** The text if nothing was found. */
  readonly none: string;
  readonly notes: readonly string[];
}

/** A location and the rest of its line; without a location it is a separator. */
export interface PlacedLine {
  readonly place: string | null;
  readonly rest: string;
}

export interface BuiltinResult extends ToolResult {
  /** Absent if the text says everything. */
  readonly outcome?: BuiltinOutcome;
}

/** Drops the data: only texts leave a session. */
export function withoutOutcome({ outcome: _, ...result }: BuiltinResult): ToolResult {
  return result;
}

const FAILURES: ReadonlySet<BuiltinOutcome["what"]> = new Set(["missing", "exists", "image"]);

/** A result with this outcome, in our own words. */
export function toResult(outcome: BuiltinOutcome, structured?: unknown): BuiltinResult {
  const failed = outcome.what === "exited" ? outcome.code !== 0 : FAILURES.has(outcome.what);
  return {
    textResultForLlm: toWords(outcome),
    resultType: failed ? "failure" : "success",
    ...(structured === undefined ? {} : { structured }),
    outcome,
  };
}

function toWords(outcome: BuiltinOutcome): string {
  switch (outcome.what) {
    case "missing":
      return `${outcome.path} does not exist.${outcome.hint}`;
    case "exists":
      return `${outcome.path} exists already. Change a part of it, or send overwrite: true to replace all of it.`;
    case "image":
      return `${outcome.path} is an image (${outcome.mimeType}, ${outcome.bytes} bytes); see it with view_image.`;
    case "empty":
      return `${outcome.path} is empty.`;
    case "folder":
      return describeFolder(outcome);
    case "lines":
      return describeLines(outcome);
    case "places":
      return joinPlaces(outcome, ({ place, rest }) => `${place ?? ""}${rest}`);
    case "exited":
      return `${outcome.output}[exit code ${outcome.code}]${outcome.notes}`;
    case "answered":
      return outcome.answer.trim() === "" ? "The user gave no answer." : `The user answered: ${outcome.answer}`;
    case "plan-approved":
      return `The plan is approved and plan mode has ended; start with it.${outcome.remarks}`;
    case "skill-loaded":
      return `The skill "${outcome.name}" is active. Its files are in ${outcome.folder}.\n\n${outcome.prompt}`.trim();
  }
}

/** The lines of a search, each in the format of a dialect. */
export function joinPlaces({ lines, none, notes }: PlacesOutcome, write: (line: PlacedLine) => string): string {
  return [...(lines.length === 0 ? [none] : lines.map(write)), ...notes].join("\n");
}

function describeFolder({ path, levels, entries, left }: FolderOutcome): string {
  const head = path === "." ? "The workspace" : path;
  if (entries.length === 0) return `${head} is an empty folder.`;
  return [`${head}, ${levels} levels deep:`, ...entries.map(describeEntry), ...noteLeft(left)].join("\n");
}

export function noteLeft(left: number): readonly string[] {
  return left > 0 ? [`[${left} more entries; view a folder of it to see them.]`] : [];
}

function describeEntry({ path, kind, size }: FolderEntry): string {
  if (kind === "file") return `${path}  ${sizeText(size)}`;
  return kind === "link" ? `${path} ->` : `${path}/`;
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [value, unit] = bytes < 1024 ** 2 ? [bytes / 1024, "KB"] : [bytes / 1024 ** 2, "MB"];
  return `${value.toFixed(1)} ${unit}`;
}

function describeLines({ lines, total, next, isWhole }: LinesOutcome): string {
  const text = lines.map((line) => `${line.number}\t${lineText(line)}`).join("\n");
  if (isWhole) return text;
  const of = total === null ? "a very long file" : String(total);
  const more = next === null ? "" : ` Go on with view_range [${next.join(", ")}].`;
  return `${text}\n[Lines ${lines.at(0)?.number} to ${lines.at(-1)?.number} of ${of}.${more}]`;
}

export function lineText({ text, cut }: Line): string {
  return `${text}${cut > 0 ? ` [… ${cut} more characters in this line]` : ""}`;
}
