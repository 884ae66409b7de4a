import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Live } from "./live.ts";

const PREVIEW = 500;

/** Keeps a long result in a file of the session, and says so in the words that these clients' models know. */
export async function keepLong(live: Live, folder: string, text: string): Promise<string> {
  const place = join(folder, "temp");
  const name = `${Date.now()}-copilot-tool-output-${live.server.around.newId().slice(0, 8)}.txt`;
  await mkdir(place, { recursive: true });
  await writeFile(join(place, name), text, { mode: 0o600 });
  return [
    `Output too large to read at once (${(text.length / 1024).toFixed(1)} KB). Saved to: ${join(place, name)}`,
    "Consider using tools like grep (for searching), head/tail (for viewing start/end), view with view_range (for specific sections), or jq (for JSON) to examine portions of the output.",
    "",
    `Preview (first ${PREVIEW} chars):`,
    text.slice(0, PREVIEW),
  ].join("\n");
}
