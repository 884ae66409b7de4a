import { changeFiles } from "../../../system/paths/change-files.ts";
import { statPlace, toVersion } from "../../../system/paths/open-inside.ts";
import { toResult } from "../parts/outcome.ts";
import { fail, succeed } from "../parts/results.ts";
import { flagOf, textArgument } from "./arguments.ts";
import type { FileTool } from "./file-handler.ts";

/** `create`: a new file with its folders; replaces one that exists only when asked to. */
export const create: FileTool = async (args, { disk, place: placeOf }) => {
  const place = await placeOf(textArgument(args, "path"));
  const bytes = Buffer.from(textArgument(args, "content"), "utf8");
  const stats = await statPlace(disk, place);
  const size = `${bytes.length} bytes`;
  if (stats === null) {
    await changeFiles(disk, [{ kind: "create", place, bytes }]);
    return succeed(`Created ${place.shown} (${size}).`);
  }
  if (!stats.isFile()) return fail(`${place.shown} exists and is not an ordinary file.`);
  if (!flagOf(args, "overwrite")) return toResult({ what: "exists", path: place.shown });
  await changeFiles(disk, [{ kind: "replace", place, bytes, version: toVersion(stats) }]);
  return succeed(`Replaced ${place.shown} (${size}).`);
};
