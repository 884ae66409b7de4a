import { cleanTexts } from "../../system/text/clean-texts.ts";
import type { PeerAnswer, PeerClient, PeerQuestion } from "../peer.ts";

/**
 * Asks a client, and waits no longer than the signal says, even for one that does not look at it. Whoever says yes to a
 * question has seen all that the model or the form will hold.
 */
export async function askClient(
  client: PeerClient,
  questions: ReadonlyMap<string, PeerQuestion>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PeerAnswer>> {
  signal.throwIfAborted();
  let onAbort = () => {};
  const ended = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([client.ask(cleanQuestions(questions), signal), ended]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function cleanQuestions(questions: ReadonlyMap<string, PeerQuestion>): ReadonlyMap<string, PeerQuestion> {
  return new Map(
    [...questions].map(([key, question]) => [key, { ...question, params: cleanTexts(question.params).value }]),
  );
}
