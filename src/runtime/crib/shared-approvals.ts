import { randomUUID } from "node:crypto";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { createChangeListeners } from "../../sources/parts/change-listeners.ts";
import { type PermissionAnswer, readAnswer } from "../permissions/permission-request.ts";
import type { SharedStore } from "../store/late-store.ts";
import type { StoredAnswer } from "../store/store.ts";
import { createAnswerReceipts } from "./answer-receipts.ts";
import { isNamed, LEFT_TO_OTHERS, type LocalApprovals, refusal, toAsked } from "./approvals.ts";
import { createPendingElsewhere, type StoredApproval, toPendingApproval } from "./pending-elsewhere.ts";

/** What machines that serve the same clients share. */
export interface SharedPlace {
  readonly store: SharedStore;
  /** The same for all of them, and for nobody else. */
  readonly scope: string;
  /** Whether it is a file on this machine. */
  readonly isOwn?: boolean;
}

/** One queue for all machines: a question is shown everywhere, and the first answer counts (S4). */
export function createSharedApprovals(local: LocalApprovals, { store, scope }: SharedPlace): LocalApprovals {
  const place = `gateway:${scope}:approvals`;
  const listeners = createChangeListeners();
  const stopLocal = local.changes(listeners.emit);
  const announce = async (): Promise<void> => void (await store.post(place, "changed"));
  const end = async (id: string): Promise<void> => {
    await store.ask(place, { closed: [id] });
    await announce();
  };
  const elsewhere = createPendingElsewhere({ store, place, end, onChange: listeners.emit });
  const receipts = createAnswerReceipts(store, place);
  const isHere = (id: string): boolean => local.pending.some((one) => one.id === id);
  const findStored = (name: string) => findQuestion(store, place, name);
  const findElsewhere = async (id: string): Promise<StoredApproval | null> => (await findStored(id))?.asked ?? null;
  return {
    get pending() {
      return [...local.pending, ...elsewhere.all].sort((a, b) => a.since - b.since);
    },
    async find(id) {
      const here = await local.find(id);
      const found = here === null ? await findStored(id) : null;
      return found === null ? here : toPendingApproval(found.id, found.asked, found.asked.machine);
    },
    async ask(request, from, signal, given = { id: randomUUID() }) {
      const { id, earlier = null, window } = given;
      const { signal: _, ...plain } = request;
      const asked: StoredApproval = {
        ...{ ...toAsked(from, given, Date.now()), machine: store.machine, confirms: true, request: plain },
        ...(window === undefined ? {} : { window }),
      };
      const closed = earlier === null ? [] : [earlier];
      await store.ask(place, { asked: [{ id, kind: "permission", asked }], closed });
      // Closed by now, unless somebody had answered it before.
      const before = earlier === null ? null : await store.answerTo(earlier, signal);
      if (earlier !== null && before !== null && (await receipts.take(earlier, signal))) {
        end(id).catch(() => {}); // Questions expire too.
        return toAnswer(before);
      }
      announce().catch(() => {}); // Others poll.
      const over = new AbortController();
      const awaited = AbortSignal.any([signal, over.signal]);
      const takeAnswer = async (): Promise<void> => {
        const found = await store.answerTo(id, awaited);
        const isOurs = found !== null && isHere(id) && (await receipts.take(id, awaited));
        await local.answer(id, isOurs ? toAnswer(found) : found === null ? TAKEN : WITHDRAWN);
      };
      takeAnswer().catch(() => {}); // Nobody waits any longer.
      try {
        return await local.ask(request, from, signal, given);
      } finally {
        over.abort();
        const isLeft = signal.reason === LEFT_TO_OTHERS && window !== undefined;
        if (!isLeft) end(id).catch(() => {}); // Questions expire too.
      }
    },
    async answer(id, answer) {
      const asked = isHere(id) ? null : await findElsewhere(id);
      const outcome = await store.answer(id, answer, answer.by ?? "the user");
      if (outcome !== "answered") return false;
      await local.answer(id, answer);
      elsewhere.look();
      const isLost = asked?.confirms === true && (await receipts.confirm(id, asked)) === "lost";
      if (isLost) throw new ToolcribError("approval.lost", LOST);
      return true;
    },
    changes: listeners.add,
    close() {
      elsewhere.close();
      stopLocal();
      local.close();
      listeners.clear();
    },
  };
}

/** By either of its ids, as it was stored. */
async function findQuestion(
  store: SharedStore,
  place: string,
  name: string,
): Promise<{ readonly id: string; readonly asked: StoredApproval } | null> {
  const all = (await store.questions({ sessionId: place })).map(({ id, asked }) => ({
    ...{ id, asked: asked as StoredApproval }, // As `ask` stores it.
  }));
  // Of several that were asked under the same id first, the newest has taken the others over.
  const named = all.filter(({ id, asked: { root = id } }) => isNamed({ id, root }, name));
  return named.find(({ id }) => id === name) ?? named.at(-1) ?? null;
}

function toAnswer({ answer, by }: StoredAnswer): PermissionAnswer {
  return { ...readAnswer(answer), by };
}

const LOST =
  "nobody can receive this answer any more: the machine that asked has ended, and its client cannot come back to another. Nothing was run; a client that calls again is asked about again";
const WITHDRAWN = refusal("this machine was taken for ended, and the answer was withdrawn");
const TAKEN = refusal("another machine has taken the call over");
