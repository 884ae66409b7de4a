import { isRecord } from "../../../core/shape/is-record.ts";
import type { SharedStore } from "../../../runtime/store/late-store.ts";
import type { StoredQuestion } from "../../../runtime/store/store.ts";

/** How long after its machine has ended a question can still be useful, in milliseconds. */
interface UseOfLeft {
  readonly window: number;
  /** For a question of an unknown machine, since it was asked. */
  readonly unclaimed: number;
}

/**
 * Closes the questions of machines that ended abruptly, once nobody can come back for an answer (M2). Every machine
 * does so for all others, by the store's clock: one that was only suspended for a moment finds its questions unchanged.
 */
export async function closeLeftQuestions(store: SharedStore, place: string, use: UseOfLeft): Promise<void> {
  const questions = await store.questions({ sessionId: place });
  if (questions.length === 0) return;
  const living = new Set((await store.machines()).map(({ id }) => id)).add(store.machine);
  const silences = new Map<string | null, number | null>();
  for (const machine of new Set(questions.map(machineOf)))
    silences.set(machine, machine === null ? null : await store.silence(machine));
  const isLeft = (question: StoredQuestion): boolean => {
    const machine = machineOf(question);
    if (machine !== null && living.has(machine)) return false;
    const silence = silences.get(machine) ?? null;
    return silence === null ? Date.now() - question.created >= use.unclaimed : silence >= use.window;
  };
  const closed = questions.filter(isLeft).map(({ id }) => id);
  if (closed.length > 0) await store.ask(place, { closed });
}

function machineOf({ asked }: StoredQuestion): string | null {
  return isRecord(asked) && typeof asked.machine === "string" ? asked.machine : null;
}
