import type { SessionEvent } from "../../../core/events/envelope.ts";
import type { RunStopReason } from "../../../core/events/turn-events.ts";
import type { RunEnd } from "../../../runtime/loop/run-types.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import { escapeLines, escapeText } from "../../../system/text/escape-text.ts";
import type { Io } from "../terminal/io.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import { createTerminalMarkdown } from "../terminal/terminal-markdown.ts";
import { cutText } from "../terminal/text-width.ts";
import type { Screen } from "../terminal/typed-lines.ts";

/** Where the pieces of an answer go. */
interface AnswerView {
  push(text: string): void;
  /** Something else is shown now, or nothing more is said. */
  end(): void;
}

/** As the model writes it. */
function createPlainAnswer(io: Io): AnswerView {
  let isOpen = false;
  return {
    push(text) {
      io.out(escapeLines(text));
      isOpen = text !== "" && !text.endsWith("\n");
    },
    end() {
      if (isOpen) io.out("\n");
      isOpen = false;
    },
  };
}

/** With its Markdown laid out, line by line, and the line that is still written below. */
export function createScreenAnswer(io: Io, screen: Pick<Screen, "showUnfinished">, style: Style): AnswerView {
  const markdown = createTerminalMarkdown(style, () => io.columns ?? 80);
  return {
    push(text) {
      io.out(markdown.push(text));
      screen.showUnfinished(markdown.unfinished);
    },
    end() {
      io.out(markdown.end());
      screen.showUnfinished("");
    },
  };
}

/**
 * Shows a run as it happens: what the model says on stdout, what it does on stderr. Where stdout is no terminal, the
 * answer alone goes there, once it is whole. What agents below it say is for the model alone. What is odd about the
 * configuration, and names that nothing has, was reported when the session was opened.
 */
export function createRunView(
  io: Io,
  { config }: Pick<OpenSession, "config">,
  answer: AnswerView = createPlainAnswer(io),
): (event: SessionEvent) => void {
  const style = createStyle({ env: io.env, isTTY: io.errIsTTY });
  const line = (text: string): void => {
    answer.end();
    io.err(`${style.dim(cutText(text, (io.columns ?? 100) - 1))}\n`);
  };
  return (event) => {
    switch (event.type) {
      case "assistant.message_delta":
        if (!io.isTTY || event.agent !== null) return;
        return answer.push(event.data.deltaContent);
      case "assistant.message":
      case "session.idle":
        if (event.agent !== null) return;
        return answer.end();
      case "tool.execution_start":
        return line(`→ ${escapeText(event.data.toolName)} ${escapeText(JSON.stringify(event.data.arguments ?? {}))}`);
      case "tool.execution_complete":
        if (event.data.success) return;
        return line(`✗ ${escapeText(event.data.toolName)}: ${escapeText(event.data.content)}`);
      case "assistant.retry":
        return line(`… ${escapeText(event.data.message)}; asking again in ${Math.ceil(event.data.delay / 1_000)} s`);
      case "session.compaction_start":
        return line("… making room in the conversation");
      case "session.warning":
        if (isUnknownName(event.data.code) || config.notices.some(({ text }) => text === event.data.text)) return;
        return line(`! ${escapeText(event.data.text)}`);
    }
  };
}

export function isUnknownName(code: string): boolean {
  return code === "filter.unknown-name";
}

/** Says how a run ended, where that is not plain from what was shown. */
export function showEnd(io: Io, end: RunEnd): void {
  if (!io.isTTY && end.text !== "") io.out(`${escapeLines(end.text).replace(/\n*$/, "")}\n`);
  if (!isDone(end)) io.err(`toolcrib: ${ENDINGS[end.stopReason] ?? end.stopReason}\n`);
}

/** The model ended it, and nothing else did. */
export function isDone({ stopReason }: RunEnd): boolean {
  return stopReason === "end" || stopReason === "terminal-tool";
}

const ENDINGS: Partial<Record<RunStopReason, string>> = {
  aborted: "the run was stopped",
  rejected: "the run ended because a call was rejected",
  refusal: "the model refused to go on",
  length: "the model's answer was longer than it may be, and is cut",
  "max-turns": "the run ended at its limit of requests (--max-turns)",
  "max-tokens": "the run ended at its limit of tokens (--max-tokens)",
  "max-cost": "the run ended at its limit of cost (--max-cost), or the price of the model is not known",
  "max-time": "the run ended at its limit of time (--max-time)",
};
