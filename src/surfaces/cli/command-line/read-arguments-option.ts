import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { findJsonError } from "../../../core/shape/find-json-error.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { toReadProblem } from "../../../system/paths/read-problem.ts";
import { usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";

/** `--args JSON|@FILE|-`: the arguments of a call; none are an empty object. */
export async function readArgumentsOption({ args, io }: CommandInput): Promise<Readonly<Record<string, unknown>>> {
  const given = args.value("args");
  if (given === null) return {};
  const text = given === "-" ? await io.readInput("end") : given.startsWith("@") ? readFile(given.slice(1), io) : given;
  const value = parseJson(text);
  if (value === undefined) {
    const { line, column, text: problem } = findJsonError(text);
    throw usage(`--args is not valid JSON: line ${line}, column ${column}: ${problem}`);
  }
  if (!isRecord(value)) throw usage("--args has to be a JSON object");
  return Object.fromEntries(Object.entries(value));
}

function readFile(path: string, { cwd }: CommandInput["io"]): string {
  try {
    return readFileSync(resolve(cwd, path), "utf8");
  } catch (error) {
    throw usage(`--args: cannot read ${path}: ${toReadProblem(error)}`);
  }
}
