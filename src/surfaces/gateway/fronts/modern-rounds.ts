import { randomBytes } from "node:crypto";
import { createMovableCall } from "../shared/movable-call.ts";
import { type CallRow, CUT } from "../shared/movable-calls.ts";
import type { Passed } from "../shared/relay.ts";
import type { Shared } from "../shared/shared.ts";
import { type ProtocolAnswer, refuseRequest } from "../wire/json-rpc.ts";
import type { LeavableOutlet } from "../wire/outlet.ts";
import { ERROR } from "../wire/protocol.ts";

type Round = Extract<Passed, { kind: "round" }>;

/** A request that another machine can start again, because its client sends all of it. */
interface ModernRequest {
  readonly outlet: Pick<LeavableOutlet, "waiting">;
  /** If it was left to others while somebody other than its client was asked: makes the client send it again. */
  comeBack(): ProtocolAnswer | null;
}

interface BeginningRequest {
  readonly owner: string;
  readonly id: string;
  /** Whether it waits for its client. */
  readonly isAsking: () => boolean;
  /** What was asked on the machine that left it. */
  readonly before: CallRow["asked"];
}

/** What is known about a request that another machine left before it had started. */
export interface LeftRequest {
  readonly kind: "left";
  readonly asked: CallRow["asked"];
}

/** Requests of the newer protocol that wait for somebody, on whatever machine their client comes back to (M1, M2). */
export interface ModernRounds {
  begin(request: BeginningRequest): ModernRequest;
  /**
   * The answer to a round of a request that another machine works on, or did until it ended; `left` if that one had not
   * started, and `here` if it belongs to this machine.
   */
  answer(round: Round, outlet: Partial<LeavableOutlet>): Promise<ProtocolAnswer | LeftRequest | "here">;
}

export function createModernRounds({
  calls,
  relay,
  window,
  machines,
}: Pick<Shared, "calls" | "relay" | "window" | "machines">): ModernRounds {
  /** What this machine has left to others while shutting down. */
  const left = new Set<string>();
  const hasOthers = async (): Promise<boolean> =>
    [...(await machines.names()).keys()].some((id) => id !== machines.self);
  return {
    begin({ owner, id: own, isAsking, before }) {
      const id = `${relay.prefix}${own}`;
      const call = createMovableCall({
        ...{ rows: calls, session: owner, id, params: {} },
        isStored: false,
        asked: before,
      });
      const ask: typeof call.ask = async (request) => {
        const question = await call.ask(request);
        if (question === null) return null;
        const leave = async (): Promise<void> => {
          const isAsked = isAsking();
          if (!isAsked && !(await hasOthers())) throw new Error("nobody would be there to come back to");
          await question.leave();
          if (!isAsked) left.add(id);
        };
        return { ...question, leave };
      };
      return {
        outlet: { waiting: async () => ({ ...call, ask }) },
        comeBack: () => (left.has(id) ? toComingBack(`${id}.${randomBytes(24).toString("base64url")}`) : null),
      };
    },
    async answer(round, outlet) {
      const { state, owner } = round;
      const machine = relay.ownerOf(state);
      const id = state.slice(0, state.lastIndexOf("."));
      // It came back to the machine that is ending.
      if (machine === null) return left.has(id) ? toComingBack(state) : "here";
      for (;;) {
        const found = await calls.adopt(owner, id, machine, window());
        if (found.kind === "cut") return refuseRequest(ERROR.server, CUT);
        if (found.kind === "adopted") {
          await calls.forget(owner, id);
          return { kind: "left", asked: found.row.asked };
        }
        const answer = await relay.pass(machine, round, outlet);
        if (answer !== null) return answer;
      }
    },
  };
}

/** Asks the client only to come again, as a machine with too much work would. */
function toComingBack(requestState: string): ProtocolAnswer {
  return { kind: "result", result: { resultType: "input_required", requestState } };
}
