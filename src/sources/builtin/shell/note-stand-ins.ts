import { basename, relative, sep } from "node:path";
import type { Launch } from "../../host.ts";

/** One name may occur in any text; several of them are a listing. */
const LISTED = 2;
const MOST_NAMED = 3;

/**
 * The note for output that lists the sandbox's placeholders. Only an existing file can be covered, so placeholders
 * cannot be hidden, and a reader would take them for files of the project. Empty if there is nothing to say.
 */
export function noteStandIns(text: string, standIns: readonly string[]): string {
  if (standIns.length === 0) return "";
  const names = new Set(standIns.map((path) => basename(path)));
  const seen = new Set<string>();
  for (const word of text.split(/\s+/u)) {
    const name = basename(word);
    if (names.has(name)) seen.add(name);
  }
  if (seen.size < LISTED) return "";
  const some = [...seen].slice(0, MOST_NAMED).join(", ");
  return `\n[${seen.size} of these names are not files of the project: ${some}${seen.size > MOST_NAMED ? " and the like" : ""} stand in the places of files that commands may not make, while one runs]`;
}

const MOST_COVERED = 5;

/** The note for output of a command that could not read everything: which files it saw empty, and why. */
export function noteCovered({ covered = [] }: Launch, workspace: string | null): string {
  if (covered.length === 0) return "";
  const shown = covered.slice(0, MOST_COVERED).map((path) => {
    const inside = workspace === null ? path : relative(workspace, path);
    return inside.startsWith(`..${sep}`) ? path : inside;
  });
  const more = covered.length > MOST_COVERED ? ` and ${covered.length - MOST_COVERED} more` : "";
  return `\n[empty to this command, because rules deny reading them: ${shown.join(", ")}${more}]`;
}
