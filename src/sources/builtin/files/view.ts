import type { Stats } from "node:fs";
import { statPlace, withFile } from "../../../system/paths/open-inside.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import { type BuiltinResult, toResult } from "../parts/outcome.ts";
import { fail } from "../parts/results.ts";
import { ArgumentProblem, textArgument } from "./arguments.ts";
import type { Files, FileTool } from "./file-handler.ts";
import { fileKindOf, KIND_BYTES } from "./file-kind.ts";
import { type LinesRead, readLines } from "./line-reader.ts";
import { nearestPaths } from "./nearest-paths.ts";
import { viewFolder } from "./view-folder.ts";

/** Below the limit of one result, so that a long file is cut here, where the text can say how to continue. */
const LIMITS = { lineLength: 2000, total: 40_000 } as const;

/** `view`: a file with line numbers, a range of it, or a folder two levels deep. */
export const view: FileTool = async (args, files) => {
  const place = await files.place(textArgument(args, "path"));
  const range = rangeOf(args.view_range);
  const stats = await statPlace(files.disk, place);
  if (stats === null)
    return toResult({ what: "missing", path: place.shown, hint: await nearestPaths(files.disk, place) });
  if (stats.isDirectory()) return viewFolder(place, files);
  return viewFile(place, range, files);
};

function rangeOf(value: unknown): readonly [number, number] {
  if (value === undefined || value === null) return [1, Number.POSITIVE_INFINITY];
  const [first, last] = Array.isArray(value) ? value : [];
  if (!Number.isInteger(first) || !Number.isInteger(last)) {
    throw new ArgumentProblem('"view_range" must be two whole numbers: first and last line.');
  }
  const end = last === -1 ? Number.POSITIVE_INFINITY : last;
  if (first < 1 || end < first) {
    throw new ArgumentProblem(
      `"view_range" [${first}, ${last}] is empty; lines count from 1, and -1 means to the end.`,
    );
  }
  return [first, end];
}

async function viewFile(place: Place, range: readonly [number, number], files: Files): Promise<BuiltinResult> {
  return withFile(files.disk, place, async ({ handle, stats }) => {
    const head = Buffer.alloc(KIND_BYTES);
    const { bytesRead } = await handle.read(head, 0, KIND_BYTES, 0);
    const kind = fileKindOf(head.subarray(0, bytesRead));
    switch (kind.kind) {
      case "image":
        return toResult({ what: "image", path: place.shown, mimeType: kind.mimeType, bytes: stats.size });
      case "binary":
        return fail(`${place.shown} is a binary file (${stats.size} bytes) and has no text to show.`);
      case "text":
        return showLines(place, range, stats, await readLines(handle, kind.encoding, range, LIMITS, files.signal));
    }
  });
}

function showLines(
  place: Place,
  [first, last]: readonly [number, number],
  stats: Stats,
  read: LinesRead,
): BuiltinResult {
  if (stats.size === 0) return toResult({ what: "empty", path: place.shown });
  const shownLast = read.lines.at(-1)?.number;
  if (shownLast === undefined) {
    return fail(`${place.shown} has ${read.total ?? "fewer"} lines; line ${first} is past its end.`);
  }
  const more = read.total === null || shownLast < read.total;
  const isCut = more && (read.full || last === Number.POSITIVE_INFINITY);
  return toResult({
    what: "lines",
    lines: read.lines,
    total: read.total,
    next: isCut ? [shownLast + 1, last === Number.POSITIVE_INFINITY ? -1 : last] : null,
    isWhole: !more && first === 1,
  });
}
