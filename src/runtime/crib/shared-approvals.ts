import { randomUUID } from "node:crypto";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { createChangeListeners } from "../../sources/parts/change-listeners.ts";
import { type PermissionRequest, readAnswer } from "../permissions/permission-request.ts";
import type { SharedStore } from "../store/late-store.ts";
import type { StoredQuestion } from "../store/store.ts";
import { type LocalApprovals, refusal } from "./approvals.ts";
import type { PendingApproval } from "./crib.ts";

/** Where machines in front of the same clients meet. */
export interface SharedPlace {
  readonly store: SharedStore;
  /** The same for all of them, and for nobody else. */
  readonly scope: string;
}

/** What stands in the store about a call that waits. */
interface StoredApproval {
  readonly since: number;
  readonly client: string;
  readonly machine: string;
  readonly request: Omit<PermissionRequest, "signal">;
}

/** Milliseconds after which those of other machines are looked at again, as a machine that ends abruptly tells nobody. */
const LOOK_AGAIN = 10_000;
const { signal: NEVER } = new AbortController();

/** One queue for all machines: whatever waits anywhere is shown everywhere, and the first answer counts (S4). */
export function createSharedApprovals(local: LocalApprovals, { store, scope }: SharedPlace): LocalApprovals {
  const place = `gateway:${scope}:approvals`;
  const listeners = createChangeListeners();
  const stopLocal = local.changes(listeners.tell);
  let elsewhere: readonly PendingApproval[] = [];
  let isClosed = false;
  const look = async (): Promise<void> => {
    const [questions, machines] = await Promise.all([store.questions({ sessionId: place }), store.machines()]);
    const names = new Map(machines.map(({ id, name }) => [id, name]));
    const next = questions.flatMap((question) => toPending(question, names, store.machine));
    const isSame = next.map(({ id }) => id).join() === elsewhere.map(({ id }) => id).join();
    elsewhere = next;
    if (!isSame && !isClosed) listeners.tell();
  };
  const lookSoon = (): void => void look().catch(() => {}); // Away: looked at again by the next message or later.
  const stopFollowing = store.follow(place, 0, lookSoon);
  const again = setInterval(() => {
    if (elsewhere.length > 0) lookSoon();
  }, LOOK_AGAIN);
  again.unref();
  const tell = async (): Promise<void> => void (await store.post(place, "changed"));
  const end = async (id: string): Promise<void> => {
    await store.ask(place, { closed: [id] });
    await tell();
  };
  return {
    get pending() {
      return [...local.pending, ...elsewhere].sort((a, b) => a.since - b.since);
    },
    async ask(request, client, signal, id = randomUUID()) {
      const { signal: _, ...plain } = request;
      const asked: StoredApproval = { since: Date.now(), client, machine: store.machine, request: plain };
      try {
        await store.ask(place, { asked: [{ id, kind: "permission", asked }] });
      } catch (error) {
        if (!isToolcribError(error)) throw error;
        return refusal(`nobody can be asked now: ${error.message}`);
      }
      tell().catch(() => {}); // Others look by themselves.
      const over = new AbortController();
      store.answerTo(id, AbortSignal.any([signal, over.signal])).then(
        (found) => found && local.answer(id, { ...readAnswer(found.answer), by: found.by }),
        () => {},
      );
      try {
        return await local.ask(request, client, signal, id);
      } finally {
        over.abort();
        end(id).catch(() => {}); // Questions end by age too.
      }
    },
    async answer(id, answer) {
      const outcome = await store.answer(id, answer, answer.by ?? "the user");
      if (outcome !== "answered") return false;
      await local.answer(id, answer);
      lookSoon();
      return true;
    },
    changes: listeners.add,
    close() {
      isClosed = true;
      clearInterval(again);
      stopFollowing();
      stopLocal();
      local.close();
      listeners.clear();
    },
  };
}

/** One of a living machine; what a machine that ended has asked leads to nothing any more. */
function toPending(
  { id, asked }: StoredQuestion,
  names: ReadonlyMap<string, string>,
  self: string,
): readonly PendingApproval[] {
  const { since, client, machine, request } = asked as StoredApproval; // As `ask` stored it.
  const name = names.get(machine);
  if (machine === self || name === undefined) return [];
  return [{ id, since, client, machine: name, request: { ...request, signal: NEVER } }];
}
