import { appendFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { writeWhole } from "../../../system/files/write-whole.ts";
import { holdsSecret } from "../../../system/text/secret-forms.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOptionalFile } from "../configuration/edit-target.ts";
import { keyOfHere } from "../running/find-running.ts";

/** What was typed in conversations of one workspace, this one and earlier ones. */
export interface LineHistory {
  /** Newest first. */
  readonly lines: readonly string[];
  /** Keeps a line, also for the next conversation, unless it looks like a secret or begins with a space. */
  add(line: string): Promise<void>;
}

const MOST_LINES = 500;
const LONGEST_LINE = 5_000;
const OWNER_ONLY = 0o600;

/** In a file of the state folder that nobody else can read. What cannot be read or written is not kept. */
export async function loadLineHistory(input: CommandInput): Promise<LineHistory> {
  const { places, key } = await keyOfHere(input);
  const path = join(stateFolder(places), "history", `${key}.txt`);
  const kept = ((await readOptionalFile(path).catch(() => null)) ?? "").split("\n").filter((line) => line !== "");
  const lines = kept.slice(-MOST_LINES).reverse().map(fromKept);
  const onError = (error: unknown): void => input.log.failed("what is typed is not kept", error);
  if (kept.length > 2 * MOST_LINES)
    await writeWhole(path, `${kept.slice(-MOST_LINES).join("\n")}\n`, OWNER_ONLY).catch(onError);
  return {
    lines,
    async add(line) {
      if (!isWorthKeeping(line) || line === lines[0]) return;
      lines.unshift(line);
      lines.length = Math.min(lines.length, MOST_LINES);
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await appendFile(path, `${toKept(line)}\n`, { mode: OWNER_ONLY });
      } catch (error) {
        onError(error);
      }
    },
  };
}

/** What has several lines is one line of the file, in quotes as JSON has them. */
function toKept(line: string): string {
  return line.includes("\n") || line.startsWith('"') ? JSON.stringify(line) : line;
}

function fromKept(line: string): string {
  const value = line.startsWith('"') ? parseJson(line) : line;
  return typeof value === "string" ? value : line;
}

function isWorthKeeping(line: string): boolean {
  return line.trim() !== "" && !line.startsWith(" ") && line.length <= LONGEST_LINE && !holdsSecret(line);
}
