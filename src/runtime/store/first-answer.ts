import type { Store, StoredAnswer } from "./store.ts";

/**
 * Somebody is asked here, and anybody may answer in the store: the first of them counts (S4). Whoever is asked here
 * answers through the store too, so that all agree on which was first.
 */
export async function firstAnswer(
  store: Store,
  questionId: string,
  mine: Promise<unknown>,
  signal: AbortSignal,
): Promise<StoredAnswer> {
  const stopping = new AbortController();
  const either = AbortSignal.any([signal, stopping.signal]);
  const theirs = store.answerTo(questionId, either).then((found) => {
    if (found === null) throw new Error("the question was closed");
    return found;
  });
  const own = mine.then(async (answer) => {
    const by = typeof answer === "object" && answer !== null && "by" in answer ? String(answer.by) : "the user";
    return (await store.answer(questionId, answer, by)) === "already_answered" ? theirs : { answer, by };
  });
  try {
    return await Promise.race([theirs, own]);
  } finally {
    stopping.abort();
    theirs.catch(() => {});
    own.catch(() => {});
  }
}
