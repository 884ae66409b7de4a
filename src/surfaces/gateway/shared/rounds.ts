import { randomUUID } from "node:crypto";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { SharedStore } from "../../../runtime/store/late-store.ts";
import { type Params, type ProtocolAnswer, refuse } from "../json-rpc.ts";
import type { LeavableOutlet } from "../outlet.ts";
import { ERROR } from "../protocol.ts";
import type { Machines } from "./machines.ts";

/** A client of the newer protocol that came back to another machine than the one that asked it. */
export interface Round {
  readonly state: string;
  readonly owner: string;
  readonly responses: Params;
}

/** Rounds of requests, passed on to the machine that works on them. */
export interface Rounds {
  /** What every state begins with that this machine gives out. */
  readonly prefix: string;
  /** Lets another machine go on with the round; null where the state is this machine's, or no other one's that lives. */
  passOn(round: Round, outlet: LeavableOutlet): Promise<ProtocolAnswer | null>;
  /** Takes rounds of others; `work` answers one, and stops when its signal says that the client has gone. */
  serve(work: (round: Round, signal: AbortSignal) => Promise<ProtocolAnswer>): () => void;
}

const STATE = /^([0-9a-f-]{36})\./;
/** Milliseconds between looks whether the machine that works on it lives. */
const LOOK = 2_000;
const ENDED = refuse(
  ERROR.server,
  "interrupted: the machine that worked on this ended; it may or may not have taken effect",
);

export function createRounds(store: SharedStore, scope: string, machines: Machines): Rounds {
  const feedOf = (machine: string): string => `gateway:${scope}:rounds:${machine}`;
  return {
    prefix: `${machines.self}.`,
    async passOn({ state, owner, responses }, outlet) {
      const [, machine] = STATE.exec(state) ?? [];
      if (machine === undefined || machine === machines.self || !(await machines.lives(machine))) return null;
      const reply = `gateway:${scope}:round:${randomUUID()}`;
      await store.post(feedOf(machine), { reply, state, owner, responses });
      return new Promise((resolve) => {
        const end = (answer: ProtocolAnswer): void => {
          stop();
          stay();
          clearInterval(look);
          resolve(answer);
        };
        const stop = store.follow(reply, 0, ({ message }) => end(message as ProtocolAnswer)); // As `serve` posts it.
        const stay = outlet.onGone(() => {
          store.post(feedOf(machine), { reply, gone: true }).catch(() => {}); // It ends by its own time limits.
          end(refuse(ERROR.server, "The client has gone."));
        });
        const look = setInterval(() => {
          machines.lives(machine).then(
            (isAlive) => (isAlive ? undefined : end(ENDED)),
            () => {}, // Away: the next look will do.
          );
        }, LOOK);
      });
    },
    serve(work) {
      const running = new Map<string, AbortController>();
      return store.follow(feedOf(machines.self), 0, ({ message }) => {
        if (!isRecord(message)) return;
        const { reply, state, owner, responses, gone } = message as unknown as Round & { reply: string; gone?: true };
        if (gone === true) return void running.get(reply)?.abort();
        const controller = new AbortController();
        running.set(reply, controller);
        void work({ state, owner, responses }, controller.signal)
          .catch((): ProtocolAnswer => refuse(ERROR.internal, "Internal error"))
          .then((answer) => store.post(reply, answer))
          .catch(() => {}) // Whoever waits learns by itself that nobody answers.
          .finally(() => running.delete(reply));
      });
    },
  };
}
