import { cleanTexts } from "../../system/text/clean-texts.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import type { PeerAnswer, PeerClient, PeerQuestion } from "../peer.ts";

/**
 * Asks a client, and stops waiting when the signal is aborted, even if the client ignores it. The question is cleaned
 * first, so a person who agrees has seen everything that the model or the form gets.
 */
export async function askBehind(
  client: PeerClient,
  questions: ReadonlyMap<string, PeerQuestion>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PeerAnswer>> {
  signal.throwIfAborted();
  return untilAborted(client.ask(cleanQuestions(questions), signal), signal);
}

/** The code line that all of these requests came from; nothing if they came from several lines or none. */
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
