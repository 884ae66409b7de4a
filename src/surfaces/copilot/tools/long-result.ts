import { join, resolve } from "node:path";
import type { SessionCore } from "../state/session-core.ts";
import { filesOf } from "../state/session-files.ts";

const PREVIEW = 500;

/** Stores a long result in a file of the session; what the model reads instead, in words that it knows. */
export async function storeLong(core: SessionCore, text: string): Promise<string> {
  const files = filesOf(core);
  const name = `${Date.now()}-copilot-tool-output-${core.server.around.newId().slice(0, 8)}.txt`;
  const [given] = outputFolders(core);
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
export function outputFolders({ options, cwd, server }: SessionCore): readonly string[] {
  const given = options.largeOutput?.outputDir;
  if (given === undefined || given === "") return [];
  // The client's own file system has paths of its own.
  return [server.files === null ? resolve(cwd, given) : given];
}
