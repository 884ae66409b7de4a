import { readNote, toDigestPrompt, toNote } from "../../core/agent/between-agents.ts";
import { toDigest } from "../../core/agent/digest.ts";
import type { HistoryMessage } from "../../core/call/message.ts";

export interface SidekickPorts {
  /** The agent that looks on; null while none does. */
  readonly agent: () => string | null;
  readonly history: () => readonly HistoryMessage[];
  /** Runs it; what it says, or null where it fails. */
  readonly ask: (agent: string, prompt: string, about: string) => Promise<string | null>;
  /** For the main agent to read at its next request. */
  readonly leave: (text: string) => void;
}

/**
 * An agent beside the main one: after each turn it reads what happened since it last looked, and may add one note to the
 * next request (B5). Nobody waits for it; while it still looks, turns pass it by.
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
