import { join, resolve } from "node:path";
import type { Live } from "../state/live.ts";
import { filesOf } from "../state/state-files.ts";
import { recordOf, textOf } from "../wire/wire-values.ts";

const PREVIEW = 500;

/** Keeps a long result in a file of the session, and says so in the words that these clients' models know. */
export async function keepLong(live: Live, text: string): Promise<string> {
  const files = filesOf(live);
  const name = `${Date.now()}-copilot-tool-output-${live.server.around.newId().slice(0, 8)}.txt`;
  const [given] = outputFolders(live);
  const path = given === undefined ? files.path("temp", name) : join(given, name);
  await files.write(path, text);
  return [
    `Output too large to read at once (${(text.length / 1024).toFixed(1)} KB). Saved to: ${path}`,
    "Consider using tools like grep (for searching), head/tail (for viewing start/end), view with view_range (for specific sections), or jq (for JSON) to examine portions of the output.",
    "",
    `Preview (first ${PREVIEW} chars):`,
    text.slice(0, PREVIEW),
  ].join("\n");
}

/** Where the app wants long results, if it says so; models may read there. */
export function outputFolders({ wire, cwd, server }: Live): readonly string[] {
  const given = textOf(recordOf(wire.largeOutput).outputDir);
  if (given === undefined || given === "") return [];
  // The client's own file system has paths of its own.
  return [server.files === null ? resolve(cwd, given) : given];
}
