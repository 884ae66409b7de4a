import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";

const MAX_SUBJECT = 200;
const MAX_FACT = 2000;
const MAX_RECALLED = 30;

const NO_MEMORY = "There is no memory in this session.";

/** `store_memory`: one fact for later sessions. Storing it again changes nothing. */
export const storeMemory: BuiltinHandler = async ({ subject, fact }, { signal }, { memory }) => {
  if (memory === null) return fail(NO_MEMORY);
  if (!isFilled(subject) || !isFilled(fact)) return fail("A memory needs a subject and a fact, both not empty.");
  if (subject.length > MAX_SUBJECT || fact.length > MAX_FACT) {
    return fail(
      `A subject has at most ${MAX_SUBJECT} characters and a fact ${MAX_FACT}. Say it shorter, or in several.`,
    );
  }
  await memory.store(subject.trim(), fact.trim(), signal);
  return succeed(`Remembered: ${subject.trim()}.`);
};

/** `recall_memory`: facts by their words, or the newest ones. */
export const recallMemory: BuiltinHandler = async ({ query }, { signal }, { memory }) => {
  if (memory === null) return fail(NO_MEMORY);
  const wanted = isFilled(query) ? query : null;
  const facts = await memory.recall(wanted, signal);
  if (facts.length === 0)
    return succeed(wanted === null ? "Nothing is remembered yet." : `Nothing is remembered about "${wanted}".`);
  const shown = facts.slice(0, MAX_RECALLED).map(({ subject, fact }) => `- ${subject}: ${fact}`);
  const left = facts.length - shown.length;
  return succeed(
    [...shown, ...(left > 0 ? [`[${left} more; ask with other words to see them.]`] : [])].join("\n"),
    facts.slice(0, MAX_RECALLED),
  );
};

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
