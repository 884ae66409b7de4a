import type { Stats } from "node:fs";
import { changeFiles } from "../../../system/paths/change-files.ts";
import { statPlace, toVersion } from "../../../system/paths/open-inside.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import { type BuiltinResult, toResult } from "../parts/outcome.ts";
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
  const misfit = whyNot(stats, place, args);
  if (misfit !== null) return misfit;
  await changeFiles(disk, [{ kind: "replace", place, bytes, version: toVersion(stats) }]);
  return succeed(`Replaced ${place.shown} (${size}).`);
};

/** A file that is there already. One that may not be read, or lies outside, is not given away before somebody agrees. */
export async function foreseeCreate(...[args, { disk, place: placeOf, mayRead }]: Parameters<FileTool>) {
  const place = await placeOf(textArgument(args, "path")).catch(() => null);
  const stats = place === null ? null : await statPlace(disk, place);
  return place === null || stats === null || mayRead?.(place.real) === false ? null : whyNot(stats, place, args);
}

function whyNot(stats: Stats, { shown }: Place, args: Parameters<FileTool>[0]): BuiltinResult | null {
  if (!stats.isFile()) return fail(`${shown} exists and is not an ordinary file.`);
  return flagOf(args, "overwrite") ? null : toResult({ what: "exists", path: shown });
}
