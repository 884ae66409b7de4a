import type { HistoryMessage } from "../../../core/call/message.ts";
import type { CompactionForm } from "../../../runtime/loop/loop-session.ts";
import type { SessionCore } from "../state/session-core.ts";
import { type ModelState, sizeOf } from "./model-state.ts";

const REQUEST = [
  "Please create a detailed summary of the conversation so far. The history is being compacted, so that all of it is replaced by what you write now.",
  "Use these parts: <overview> (what the user wants), <history> (what was done, in order), <work_done> (files and results), <technical_details> (facts worth keeping), <next_steps>, <checkpoint_title> (two to six words).",
].join("\n\n");

/** Compaction that replaces everything, in the form that models behind these clients know, and when they want it. */
export function createCompaction(core: SessionCore, models: ModelState): CompactionForm {
  return {
    get threshold() {
      const { enabled, backgroundCompactionThreshold = USUAL } = core.options.infiniteSessions ?? {};
      if (enabled === false) return Number.POSITIVE_INFINITY;
      // The first answer is never that long, whatever a client wants.
      return models.usage.turns === 0 ? FULL : backgroundCompactionThreshold;
    },
    get overhead() {
      return Math.ceil(sizeOf(models).overhead / 4);
    },
    request: REQUEST,
    toSummary,
  };
}

const USUAL = 0.8;
const FULL = 0.95;

function toSummary(gone: readonly HistoryMessage[], answer: string): string {
  const said = gone.flatMap(promptsOf).map((text) => `<user_message>\n${text}\n</user_message>`);
  return [
    "Some of the conversation history has been summarized to free up context.",
    `You were originally given instructions from a user over one or more turns. Here were the user messages:\n${said.join("\n")}`,
    `Here is a summary of the prior context:\n<summary>\n${answer}\n</summary>`,
  ].join("\n\n");
}

/** What the user wrote, without what was put around it. */
function promptsOf(message: HistoryMessage): readonly string[] {
  if (message.role !== "user") return [];
  const [first] = message.content;
  if (first?.type !== "text" || !first.text.includes("<current_datetime>")) return [];
  const bare = first.text
    .replace(
      /<(current_datetime|reminder|tools_changed_notice|ide_selection|tagged_files|github_references)>[\s\S]*?<\/\1>/g,
      "",
    )
    .trim();
  return [bare];
}
