import type { Live } from "../state/live.ts";
import { filesOf } from "../state/state-files.ts";
import type { CopilotEvent } from "../wire/copilot-event.ts";
import { textOf } from "../wire/wire-values.ts";

/** What a conversation came to when it was last shortened. */
export interface Checkpoint {
  readonly number: number;
  readonly title: string;
  readonly filename: string;
  readonly content: string;
}

const COMPLETE = "session.compaction_complete";

/** All of a session, the oldest first. */
export function checkpointsOf(log: readonly CopilotEvent[]): readonly Checkpoint[] {
  const summaries = log.flatMap(({ type, data }) =>
    type === COMPLETE && data.success === true ? [textOf(data.summaryContent) ?? ""] : [],
  );
  return summaries.map((content, at) => {
    const number = at + 1;
    const title = /<checkpoint_title>\s*([^<]*?)\s*<\/checkpoint_title>/.exec(content)?.[1] || `Checkpoint ${number}`;
    const slug = title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60);
    return { number, title, filename: `${String(number).padStart(3, "0")}-${slug}.md`, content };
  });
}

/** Writes the last one into the files of the session, and the list of all. */
export function keepCheckpoint(live: Live, { type, data }: CopilotEvent): void {
  if (type !== COMPLETE || data.success !== true) return;
  const all = checkpointsOf(live.log);
  const last = all.at(-1);
  if (last === undefined) return;
  const files = filesOf(live);
  const rows = all.map(({ number, title, filename }) => `${number}. [${title}](${filename})`);
  live.written = live.written
    .then(() => files.write(files.path("checkpoints", last.filename), last.content))
    .then(() => files.write(files.path("checkpoints", "index.md"), `# Checkpoints\n\n${rows.join("\n")}\n`))
    .catch((error: unknown) => live.server.note(`a checkpoint cannot be written: ${String(error)}`));
}
