import type { Approvals } from "../../../runtime/crib/crib.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import type { Io } from "../terminal/io.ts";
import { describeRequest, readTypedAnswer } from "../terminal/permission-question.ts";

const JUST_NOW = 1_500;

/** Asks on the terminal about calls that wait, one at a time; the first answer, here or elsewhere, decides. */
export function askOnTerminal(approvals: Approvals, io: Io): () => void {
  let shown: Approvals["pending"][number] | null = null;
  /** When a question took the place of another that somebody may have been typing an answer to. */
  let replacedAt = Number.NEGATIVE_INFINITY;
  const show = (): void => {
    // Of four eyes, none is at the terminal: nobody there is known by name.
    const pending = approvals.pending.filter(({ fourEyes }) => !fourEyes);
    if (shown !== null && !pending.some(({ id }) => id === shown?.id)) {
      io.err("\n(answered elsewhere, or given up)\n");
      shown = null;
      replacedAt = performance.now();
    }
    const [next] = pending;
    if (shown !== null || next === undefined) return;
    shown = next;
    io.err(`\n${escapeText(next.client)}: ${describeRequest(next.request)}`);
  };
  const stopListening = approvals.changes(show);
  const stopReading = io.onLine((line) => {
    const asked = shown;
    if (asked === null) return;
    if (performance.now() - replacedAt < JUST_NOW) {
      io.err("(the question changed while you typed; please answer again) ");
      return;
    }
    shown = null;
    approvals
      .answer(asked.id, { ...readTypedAnswer(line, asked.request), by: "the user at the terminal" })
      .catch((error: unknown) => io.err(`\n${escapeText(error instanceof Error ? error.message : String(error))}\n`));
    show();
  });
  return () => {
    stopListening();
    stopReading();
  };
}
