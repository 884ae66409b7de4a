import type { ToolResult } from "../../../core/call/tool-result.ts";
import { changeFiles } from "../../../system/paths/change-files.ts";
import { loadFile } from "../../../system/paths/open-inside.ts";
import { fail, succeed } from "../parts/results.ts";
import { flagOf, textArgument } from "./arguments.ts";
import { explainMismatch } from "./explain-mismatch.ts";
import type { FileTool } from "./file-handler.ts";
import { nearestPaths } from "./nearest-paths.ts";
import { countEndings, replaceText } from "./replace-text.ts";

export const MAX_EDITED_BYTES = 20 * 1024 * 1024;
const MAX_LINES_NAMED = 20;

/** `edit`: replaces a text that occurs exactly once, or says why it cannot and what would help. */
export const edit: FileTool = async (args, { disk, place: placeOf }) => {
  const place = await placeOf(textArgument(args, "path"));
  const [oldText, newText, all] = [
    textArgument(args, "old_str"),
    textArgument(args, "new_str"),
    flagOf(args, "replace_all"),
  ];
  if (oldText === "") return fail("old_str is empty. Send the text to replace, or use create for a new file.");
  if (oldText === newText) return fail("old_str and new_str are the same, so there is nothing to change.");
  if (place.missing.length > 0) {
    return fail(`${place.shown} does not exist.${await nearestPaths(disk, place)} Use create for a new file.`);
  }
  const { bytes, version } = await loadFile(disk, place, MAX_EDITED_BYTES);
  const replaced = replaceText(bytes, oldText, newText, all);
  switch (replaced.kind) {
    case "missing":
      return notFound(place.shown, bytes, oldText);
    case "several":
      return fail(
        `old_str occurs ${replaced.lines.length} times in ${place.shown}, at lines ${nameLines(replaced.lines)}. ` +
          "Add lines around it until it is unique, or send replace_all: true.",
      );
    case "done":
      await changeFiles(disk, [{ kind: "replace", place, bytes: replaced.bytes, version }]);
      return succeed(
        replaced.lines.length === 1
          ? `Edited ${place.shown} at line ${replaced.lines[0]}.`
          : `Edited ${place.shown} in ${replaced.lines.length} places, at lines ${nameLines(replaced.lines)}.`,
      );
  }
};

function notFound(shown: string, bytes: Buffer, oldText: string): ToolResult {
  const { crlf, lf } = countEndings(bytes);
  const mixed =
    crlf > 0 && lf > 0 ? ` The file mixes line endings (${crlf} CRLF, ${lf} LF), which must match too.` : "";
  return fail(`old_str was not found in ${shown}.${mixed} ${explainMismatch(bytes.toString("utf8"), oldText)}`);
}

function nameLines(lines: readonly number[]): string {
  const named = lines.slice(0, MAX_LINES_NAMED).join(", ");
  return lines.length > MAX_LINES_NAMED ? `${named} and ${lines.length - MAX_LINES_NAMED} more` : named;
}
