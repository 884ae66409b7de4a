import { readNote, toDigestPrompt, toNote } from "../../core/agent/between-agents.ts";
import { toDigest } from "../../core/agent/digest.ts";
import type { HistoryMessage } from "../../core/call/message.ts";

export interface SidekickPorts {
  /** The agent that looks on; null while there is none. */
  readonly agent: () => string | null;
  readonly history: () => readonly HistoryMessage[];
  /** Runs it; returns its answer, or null if it fails. */
  readonly ask: (agent: string, prompt: string, about: string) => Promise<string | null>;
  /** A note for the main agent's next request. */
  readonly leave: (text: string) => void;
}

/**
 * An agent next to the main one: after each turn it reads what happened since it last looked, and may add one note to
 * the next request (B5). Nobody waits for it; turns that end while it is still working are skipped.
 */
export function createSidekick({ agent, history, ask, leave }: SidekickPorts): (about: string) => void {
  let isLooking = false;
  let seen = 0;
  return (about) => {
    const name = agent();
    if (name === null || isLooking) return;
    const messages = history();
    const digest = toDigest(messages.slice(Math.min(seen, messages.length - 1)));
    seen = messages.length;
    isLooking = true;
    ask(name, toDigestPrompt(digest), about)
      .then((answer) => {
        const note = answer === null ? null : readNote(answer);
        if (note !== null) leave(toNote(name, note));
      })
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  };
}
