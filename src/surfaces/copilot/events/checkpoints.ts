import type { CopilotEvent, EventLog } from "../state/event-log.ts";
import type { SessionCore } from "../state/session-core.ts";
import { filesOf } from "../state/session-files.ts";
import { textOf } from "../wire/wire-values.ts";

/** The summary that a conversation was once shortened to. */
interface Checkpoint {
  readonly number: number;
  readonly title: string;
  readonly filename: string;
  readonly content: string;
}

const COMPLETE = "session.compaction_complete";

/** All of a session, the oldest first. */
export function checkpointsOf({ log }: EventLog): readonly Checkpoint[] {
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
export function writeCheckpoint(core: SessionCore, events: EventLog, { type, data }: CopilotEvent): void {
  if (type !== COMPLETE || data.success !== true) return;
  const all = checkpointsOf(events);
  const last = all.at(-1);
  if (last === undefined) return;
  const files = filesOf(core);
  const rows = all.map(({ number, title, filename }) => `${number}. [${title}](${filename})`);
  events.written = events.written
    .then(() => files.write(files.path("checkpoints", last.filename), last.content))
    .then(() => files.write(files.path("checkpoints", "index.md"), `# Checkpoints\n\n${rows.join("\n")}\n`))
    .catch((error: unknown) => core.server.note(`a checkpoint cannot be written: ${String(error)}`));
}
