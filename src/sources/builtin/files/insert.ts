import { changeFiles } from "../../../system/paths/change-files.ts";
import { loadFile } from "../../../system/paths/open-inside.ts";
import { fail, succeed } from "../parts/results.ts";
import { ArgumentProblem, textArgument } from "./arguments.ts";
import { MAX_EDITED_BYTES } from "./edit.ts";
import type { FileTool } from "./file-handler.ts";
import { fileKindOf, KIND_BYTES } from "./file-kind.ts";
import { insertLines } from "./insert-lines.ts";
import { nearestPaths } from "./nearest-paths.ts";

/** The command `insert` of the combined editor: whole lines after a line of a text file. */
export const insert: FileTool = async (args, { disk, place: placeOf }) => {
  const place = await placeOf(textArgument(args, "path"));
  const text = textArgument(args, "insert_text");
  const line = args.insert_line;
  if (typeof line !== "number" || !Number.isInteger(line) || line < 0)
    throw new ArgumentProblem('"insert_line" must be a whole number: the line to insert behind, or 0 for the start.');
  if (text === "") return fail("insert_text is empty, so there is nothing to change.");
  if (place.missing.length > 0) {
    return fail(`${place.shown} does not exist.${await nearestPaths(disk, place)} Use create for a new file.`);
  }
  const { bytes, version } = await loadFile(disk, place, MAX_EDITED_BYTES);
  const kind = fileKindOf(bytes.subarray(0, KIND_BYTES));
  if (kind.kind !== "text" || kind.encoding !== "utf8")
    return fail(`${place.shown} is not UTF-8 text, so no lines can be inserted.`);
  const inserted = insertLines(bytes, line, text);
  if (inserted.kind === "past-end")
    return fail(`${place.shown} has ${inserted.lines} lines; there is nothing behind line ${line}.`);
  await changeFiles(disk, [{ kind: "replace", place, bytes: inserted.bytes, version }]);
  return succeed(`Edited ${place.shown}: inserted ${inserted.added} lines behind line ${line}.`);
};
