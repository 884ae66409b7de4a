import { readFileSync } from "node:fs";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { toReadProblem } from "../../system/paths/read-problem.ts";

/** One object of a file of JSON lines, with its location for messages. */
export interface EvalLine {
  readonly value: object;
  readonly where: string;
}

/** Throws `eval.invalid` with file and line. Empty lines are skipped. */
export function readJsonLines(path: string, shown: string): readonly EvalLine[] {
  return readEvalFile(path, shown)
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap((text, at) => (text.trim() === "" ? [] : [parseLine(text, `${shown}:${at + 1}`)]));
}

/** A string field, or `eval.invalid`; the fallback if it is absent and there is one. */
export function stringIn({ value, where }: EvalLine, field: string, fallback?: string): string {
  const found: unknown = Reflect.get(value, field);
  if (typeof found === "string") return found;
  if (fallback !== undefined && (found === undefined || found === null)) return fallback;
  throw invalid(`${where}: "${field}" must be a string`);
}

export function toStrings(list: unknown, where: string, field: string): readonly string[] {
  if (Array.isArray(list) && list.every((item) => typeof item === "string")) return list;
  throw invalid(`${where}: "${field}" must be a list of strings`);
}

export function invalid(text: string): ToolcribError {
  return new ToolcribError("eval.invalid", text);
}

export function readEvalFile(path: string, shown: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw invalid(`cannot read ${shown}: ${toReadProblem(error)}`);
  }
}

function parseLine(text: string, where: string): EvalLine {
  const value = parseJson(text);
  if (isRecord(value)) return { value, where };
  throw invalid(`${where}: every line must be a JSON object`);
}
