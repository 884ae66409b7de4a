import { isRecord } from "../../core/shape/is-record.ts";
import { type LineChange, toLineChanges } from "../../core/trust/line-changes.ts";

/** A change that a call would make to a file, according to its arguments. */
export interface TextChange {
  readonly path: string;
  /** The text that would be replaced; null if the whole file is written. */
  readonly before: string | null;
  readonly after: string;
}

/** The change that a call would make to one file, by the argument names of file tools; null if it makes none. */
export function toFileChange(args: unknown): TextChange | null {
  if (!isRecord(args) || typeof args.path !== "string") return null;
  const { path } = args;
  const whole = [args.content, args.file_text].find((text) => typeof text === "string");
  if (typeof whole === "string") return { path, before: null, after: whole };
  const { old_str: before, new_str: after } = args;
  return typeof before === "string" && typeof after === "string" ? { path, before, after } : null;
}

/** Longer texts are shown as arguments only. */
const LONGEST = 100_000;

/** The same line by line, a patch as it is written; empty if the call changes no known text. */
export function toChangedLines(args: unknown): readonly LineChange[] {
  const patch = isRecord(args) ? Object.values(args).find(isPatch) : undefined;
  if (patch !== undefined && patch.length <= LONGEST) return linesOf(patch).map(fromPatch);
  const change = toFileChange(args);
  if (change === null || (change.before?.length ?? 0) + change.after.length > LONGEST) return [];
  return toLineChanges(change.before === null ? [] : linesOf(change.before), linesOf(change.after));
}

/** The arguments that the lines do not show already. */
export function withoutChange(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { before = null, after = null } = toFileChange(args) ?? {};
  const isShown = (value: unknown): boolean =>
    value !== null && (value === before || value === after || isPatch(value));
  return Object.fromEntries(Object.entries(args).filter(([, value]) => !isShown(value)));
}

function isPatch(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("*** Begin Patch");
}

function fromPatch(line: string): LineChange {
  const mark = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
  return { mark, text: mark === " " ? line : line.slice(1) };
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, "").split("\n");
}
