import { randomUUID } from "node:crypto";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { SharedStore } from "../../../runtime/store/late-store.ts";
import { type IncomingRequest, type Params, type ProtocolAnswer, refuseRequest } from "../wire/json-rpc.ts";
import type { LeavableOutlet, Outlet } from "../wire/outlet.ts";
import { ERROR } from "../wire/protocol.ts";
import type { Machines } from "./machines.ts";

/** What a client asked of one machine while another one works on it. */
export type Passed =
  /** The newer protocol: answers to questions of a request, by its state. */
  | { readonly kind: "round"; readonly state: string; readonly owner: string; readonly responses: Params }
  /** The older one: a request about a task. */
  | { readonly kind: "request"; readonly session: string; readonly request: IncomingRequest };

/** Passes requests on to the machine that works on them, and returns their answers. */
export interface Relay {
  /** The prefix of every id that this machine gives out for clients to come back with. */
  readonly prefix: string;
  /** The machine that gave an id out; null if it is this one, or none. */
  ownerOf(id: unknown): string | null;
  /** Null if that machine is not alive, ends before it has answered, or has left the work. */
  pass(machine: string, passed: Passed, outlet: Partial<LeavableOutlet>): Promise<ProtocolAnswer | null>;
  /** Answers what others pass on; the signal is aborted when the client has gone. */
  serve(answer: (passed: Passed, outlet: Outlet, signal: AbortSignal) => Promise<ProtocolAnswer | null>): () => void;
}

/** What goes back: messages to send first, and the answer. */
type Back = { readonly send: string } | { readonly answer: ProtocolAnswer | null };
type Sent = { readonly reply: string } & ({ readonly passed: Passed } | { readonly gone: true });

const ID = /^([0-9a-f-]{36})\./;
/** Milliseconds between checks whether the machine that works on it is alive. */
const LOOK = 2_000;

export function createRelay(store: SharedStore, scope: string, machines: Machines): Relay {
  const boxOf = (machine: string): string => `gateway:${scope}:relay:${machine}`;
  return {
    prefix: `${machines.self}.`,
    ownerOf(id) {
      const [, machine] = (typeof id === "string" ? ID.exec(id) : null) ?? [];
      return machine === undefined || machine === machines.self ? null : machine;
    },
    async pass(machine, passed, outlet) {
      if (!(await machines.lives(machine))) return null;
      const reply = `gateway:${scope}:reply:${randomUUID()}`;
      await store.post(boxOf(machine), { reply, passed } satisfies Sent);
      return new Promise((resolve) => {
        const end = (answer: ProtocolAnswer | null): void => {
          stop();
          stay?.();
          clearInterval(look);
          resolve(answer);
        };
        const stop = store.follow(reply, 0, ({ message }) => {
          const back = message as Back; // As `serve` posts it.
          if ("answer" in back) end(back.answer);
          else void (outlet.sendStored?.(back.send) ?? outlet.send?.(back.send));
        });
        const stay = outlet.onGone?.(() => {
          store.post(boxOf(machine), { reply, gone: true } satisfies Sent).catch(() => {}); // It has time limits too.
          end(refuseRequest(ERROR.server, "The client has gone."));
        });
        const look = setInterval(() => {
          machines.lives(machine).then(
            (isAlive) => (isAlive ? undefined : end(null)),
            () => {}, // Unreachable: the next check will do.
          );
        }, LOOK);
      });
    },
    serve(answer) {
      const running = new Map<string, AbortController>();
      return store.follow(boxOf(machines.self), 0, ({ message }) => {
        if (!isRecord(message)) return;
        const sent = message as unknown as Sent; // As `pass` posts it.
        const { reply } = sent;
        if ("gone" in sent) return void running.get(reply)?.abort();
        const controller = new AbortController();
        running.set(reply, controller);
        const tell = (back: Back): Promise<boolean> => store.post(reply, back).then(Boolean, () => false);
        const outlet = { send: () => false, sendStored: (send: string) => tell({ send }) };
        void answer(sent.passed, outlet, controller.signal)
          .catch(() => refuseRequest(ERROR.internal, "Internal error"))
          .then((found) => tell({ answer: found }))
          .finally(() => running.delete(reply));
      });
    },
  };
}
