import type { TypedLines } from "./typed-lines.ts";

/**
 * Lines of a terminal with editing keys; the arrow keys bring back what `history` holds, newest first, and nothing else
 * that was typed: what answers a question is no part of it.
 */
export function openEditedLines(history: readonly string[]): TypedLines {
  // Loaded here, for most commands read no lines.
  const { createInterface } = process.getBuiltinModule("node:readline");
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: true,
    prompt: "",
    history: [...history],
    historySize: Math.max(1, history.length + 1_000),
  });
  // It adds every line by itself, and does not know which of them was an answer.
  lines.on("history", (kept: string[]) => void kept.splice(0, kept.length, ...history));
  // Keys come as they are, so this one has to be made what it is elsewhere.
  lines.on("SIGINT", () => void process.kill(process.pid, "SIGINT"));
  return {
    prompt(text) {
      const end = text.lastIndexOf("\n") + 1;
      process.stderr.write(text.slice(0, end));
      lines.setPrompt(text.slice(end));
      lines.prompt(true);
    },
    onLine(listener, onEnd = () => {}) {
      lines.on("line", (line) => {
        // What comes until the next prompt is written nobody has asked for.
        lines.setPrompt("");
        listener(line);
      });
      lines.on("close", onEnd);
      return () => {
        lines.off("close", onEnd);
        lines.close();
        process.stdin.pause();
      };
    },
  };
}
