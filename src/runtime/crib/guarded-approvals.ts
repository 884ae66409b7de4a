import { randomUUID } from "node:crypto";
import type { Config } from "../../config/config.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type Answerer, whyNotAnswer } from "../../core/people/may-answer.ts";
import { describePerson } from "../../core/people/person.ts";
import { createChangeListeners } from "../../sources/parts/change-listeners.ts";
import { describeTool, type PermissionAnswer, serverOfRequest } from "../permissions/permission-request.ts";
import { LEFT_TO_OTHERS, type LocalApprovals } from "./approvals.ts";
import type { Approvals, PendingApproval, SettledApproval } from "./crib.ts";
import { needsFourEyes } from "./view-approver.ts";
import { whoApproves } from "./who-approves.ts";

/** An answer that was refused, for the log. */
export interface RefusedAnswer {
  readonly text: string;
  /** As the log names the one who tried; absent for the owner of this Toolcrib. */
  readonly principal?: string;
}

export interface GuardedApprovals extends Approvals {
  close(): void;
}

interface GuardOptions {
  readonly onRefused: (refused: RefusedAnswer) => void;
  /** As it is now; what was asked for with a question is all if absent. */
  readonly config?: () => Pick<Config, "gateway">;
  readonly now?: () => number;
}

/** The owner, where nobody says who answers. */
const OWNER: Answerer = { by: "the user", person: null, approves: "all" };

/**
 * The one place that decides who may answer (O9), whatever way the answer came. Also what an answer can be: one of a
 * person counts once, and for these very arguments.
 */
export function guardApprovals(
  queue: LocalApprovals,
  { onRefused, config, now = Date.now }: GuardOptions,
): GuardedApprovals {
  /** Four eyes that the configuration asks for since the question was asked count too. */
  const strict = (asked: PendingApproval): PendingApproval => {
    if (asked.fourEyes || config === undefined) return asked;
    return needsFourEyes(asked.request, config().gateway.approvals) ? { ...asked, fourEyes: true } : asked;
  };
  const find = async (id: string): Promise<PendingApproval | null> => {
    const found = await queue.find(id);
    return found && strict(found);
  };
  const settled = createChangeListeners<SettledApproval>();
  return {
    get pending() {
      return queue.pending.map(strict);
    },
    find,
    changes: queue.changes,
    settled: settled.add,
    async ask(request, from, signal, asked = { id: randomUUID() }) {
      const { root = asked.id } = asked;
      try {
        const answer = await queue.ask(request, from, signal, asked);
        settled.emit({ root, answer });
        return answer;
      } catch (error) {
        if (signal.reason !== LEFT_TO_OTHERS) settled.emit({ root, answer: null });
        throw error;
      }
    },
    async answer(id, answer, who = OWNER) {
      // What waits here is answered at once: who asks the next question at the terminal counts on it.
      const here = queue.pending.find((one) => one.id === id);
      const asked = here === undefined ? await find(id) : strict(here);
      // Under an id that another question has taken the place of nobody waits.
      if (asked?.id !== id || (asked.until !== null && asked.until <= now())) return false;
      const why = whyNot(asked, who);
      if (why !== null) {
        const text = `${who.by} may not answer the call of ${describeTool(asked.request)} by ${asked.client}: ${why}`;
        onRefused({ text, ...(who.person === null ? {} : { principal: describePerson(who.person) }) });
        throw new ToolcribError("approval.not-theirs", why, { names: [] });
      }
      const given = who.person === null ? answer : onlyOnce(answer, who);
      // Where the call waits, other rules may count by then.
      const gateway = config?.().gateway;
      const under = gateway && whoApproves(serverOfRequest(asked.request), gateway, "queue");
      return queue.answer(asked.id, under === undefined ? given : { ...given, under });
    },
    close() {
      settled.clear();
      queue.close();
    },
  };
}

/** Why somebody may not answer this call; null if they may. */
export function whyNot({ request, caller, fourEyes }: PendingApproval, who: Answerer): string | null {
  return whyNotAnswer({ server: serverOfRequest(request), caller, fourEyes }, who);
}

function onlyOnce({ decision, reason }: PermissionAnswer, { by }: Answerer): PermissionAnswer {
  return { decision, scope: "once", by, ...(reason === undefined ? {} : { reason }) };
}
