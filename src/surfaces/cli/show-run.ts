import type { SessionEvent } from "../../core/events/envelope.ts";
import { escapeLines, escapeText } from "./escape-text.ts";
import type { Io } from "./io.ts";
import { createStyle } from "./style.ts";
import { cutText } from "./text-width.ts";

/**
 * Shows a run as it happens: what the model says on stdout, what it does on stderr. Where stdout is no terminal, the
 * answer alone goes there, once it is whole.
 */
export function createRunView(io: Io): (event: SessionEvent) => void {
  const style = createStyle({ env: io.env, isTTY: io.errIsTTY });
  let isOpen = false;
  const line = (text: string): void => {
    if (isOpen) io.out("\n");
    isOpen = false;
    io.err(`${style.dim(cutText(text, (io.columns ?? 100) - 1))}\n`);
  };
  return (event) => {
    switch (event.type) {
      case "assistant.message_delta":
        if (!io.isTTY) return;
        io.out(escapeLines(event.data.deltaContent));
        isOpen = event.data.deltaContent !== "" && !event.data.deltaContent.endsWith("\n");
        return;
      case "assistant.message":
        if (isOpen) io.out("\n");
        isOpen = false;
        return;
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
        return line(`! ${escapeText(event.data.text)}`);
    }
  };
}
