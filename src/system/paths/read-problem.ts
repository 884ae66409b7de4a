import { errnoOf } from "./path-refusal.ts";

const PROBLEMS = new Map([
  ["ENOENT", "it does not exist"],
  ["ENOTDIR", "it does not exist"],
  ["EISDIR", "it is a directory"],
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
]);

/** Why a file that a person named cannot be read, in words, without repeating the name. */
export function toReadProblem(error: unknown): string {
  return PROBLEMS.get(errnoOf(error) ?? "") ?? (error instanceof Error ? error.message : String(error));
}
