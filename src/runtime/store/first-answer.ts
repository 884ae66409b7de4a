import type { Store, StoredAnswer } from "./store.ts";

/**
 * Somebody is asked here, and anybody may answer through the store: the first answer counts (S4). The answer given here
 * also goes through the store, so that everybody agrees on which was first.
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
