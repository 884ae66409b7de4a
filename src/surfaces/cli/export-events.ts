import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { StoredEvent } from "../../core/events/envelope.ts";
import { usage } from "./arguments.ts";
import { toJson } from "./escape-text.ts";
import { toMarkdown } from "./session-markdown.ts";
import { summarizeEvents } from "./session-summary.ts";
import { toTimeline } from "./session-timeline.ts";

/** Writes a session to a file that is not there yet, for its owner alone; returns where that is. */
export async function exportEvents(
  id: string,
  events: readonly StoredEvent[],
  file: string,
  cwd: string,
): Promise<string> {
  const path = resolve(cwd, file);
  const text = formatEvents(id, events, path);
  if (text === null) throw usage(`a conversation is written to a file that ends with .md or .jsonl, not to ${file}`);
  await writeFile(path, text, { flag: "wx", mode: 0o600 }).catch((error: Error) => {
    const isThere = "code" in error && error.code === "EEXIST";
    throw usage(isThere ? `${path} exists; name a new file` : `${path} cannot be written: ${error.message}`);
  });
  return path;
}

function formatEvents(id: string, events: readonly StoredEvent[], path: string): string | null {
  if (path.endsWith(".jsonl")) return events.map((event) => toJson(event, false)).join("");
  if (!path.endsWith(".md")) return null;
  const now = Date.now();
  const session = { id, created: events[0]?.at ?? now, changed: events.at(-1)?.at ?? now };
  return toMarkdown(summarizeEvents(session, events), toTimeline(events));
}
