import { type ProtocolAnswer, refuse } from "./json-rpc.ts";
import { createMovableCall } from "./movable-call.ts";
import type { LeavableOutlet } from "./outlet.ts";
import { ERROR } from "./protocol.ts";
import { CUT } from "./shared/movable-calls.ts";
import type { Passed } from "./shared/relay.ts";
import type { Shared } from "./shared/shared.ts";

type Round = Extract<Passed, { kind: "round" }>;

/** Requests of the newer protocol that wait for their client, on whatever machine it comes back to (M1, M2). */
export interface ModernRounds {
  /** What lets another machine begin anew with a request that had not started: its client brings all of it along. */
  toOutlet(owner: string, id: string, isAsking: () => boolean): Pick<LeavableOutlet, "waiting">;
  /**
   * The answer to a round of a request that another machine works on, or did until it ended; `left` where that one had not
   * started, and `here` where it is this machine's.
   */
  answer(round: Round, outlet: Partial<LeavableOutlet>): Promise<ProtocolAnswer | "left" | "here">;
}

export function createModernRounds({ calls, relay, window }: Pick<Shared, "calls" | "relay" | "window">): ModernRounds {
  return {
    toOutlet(owner, id, isAsking) {
      const known = { isStored: false, asked: null, params: {} };
      const call = createMovableCall({ ...known, rows: calls, session: owner, id: `${relay.prefix}${id}` });
      const ask: typeof call.ask = async (request) => {
        const kept = await call.ask(request);
        if (kept === null) return null;
        // Whoever was not asked has nothing to come back with.
        const leave = () => (isAsking() ? kept.leave() : Promise.reject(new Error("nobody would come back for it")));
        return { ...kept, leave };
      };
      return { waiting: async () => ({ ...call, ask }) };
    },
    async answer(round, outlet) {
      const { state, owner } = round;
      const machine = relay.ownerOf(state);
      if (machine === null) return "here";
      const id = state.slice(0, state.lastIndexOf("."));
      for (;;) {
        const found = await calls.adopt(owner, id, machine, window());
        if (found.kind === "cut") return refuse(ERROR.server, CUT);
        if (found.kind === "adopted") {
          await calls.forget(owner, id);
          return "left";
        }
        const answer = await relay.pass(machine, round, outlet);
        if (answer !== null) return answer;
      }
    },
  };
}
