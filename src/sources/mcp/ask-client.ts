import { cleanTexts } from "../../system/text/clean-texts.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
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
  return untilAborted(client.ask(cleanQuestions(questions), signal), signal);
}

/** The line of code that all of some requests were made in; nothing where there are several, or none. */
export function lineOf(...clients: readonly (PeerClient | null)[]): Pick<PeerQuestion, "codeLine"> {
  const [codeLine, ...others] = clients.map((client) => client?.codeLine);
  const isClear = codeLine !== undefined && others.every((other) => other?.line === codeLine.line);
  return isClear ? { codeLine } : {};
}

function cleanQuestions(questions: ReadonlyMap<string, PeerQuestion>): ReadonlyMap<string, PeerQuestion> {
  return new Map(
    [...questions].map(([key, question]) => [key, { ...question, params: cleanTexts(question.params).value }]),
  );
}
