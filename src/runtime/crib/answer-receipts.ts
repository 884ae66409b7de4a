import { setTimeout } from "node:timers/promises";
import { isRecord } from "../../core/shape/is-record.ts";
import type { SharedStore } from "../store/late-store.ts";
import type { StoredApproval } from "./pending-elsewhere.ts";

/**
 * Whether an answer that was given on one machine reached the one that asked. Either that one takes it or whoever gave it
 * withdraws it, and never both: a person who hears that nobody could receive a yes can rely on it.
 */
export interface AnswerReceipts {
  /** Before an answer counts on the machine that asked: false where it was withdrawn. */
  take(id: string, signal: AbortSignal): Promise<boolean>;
  /** `kept`: its machine has ended, and another one takes it should the client come back there. */
  confirm(id: string, asked: Pick<StoredApproval, "machine" | "window">): Promise<"taken" | "kept" | "lost">;
}

interface Receipt {
  readonly isTaken: boolean;
  readonly machine: string;
}

/** Milliseconds between looks whether the machine that asked lives. */
const LOOK = 500;
/** Milliseconds after which an answer is withdrawn that a living machine has not taken. */
const PATIENCE = 15_000;
/** Milliseconds after which it is tried again to reach the store. */
const AGAIN = 1_000;

export function createAnswerReceipts(store: SharedStore, place: string): AnswerReceipts {
  const feedOf = (id: string): string => `${place}:${id}`;
  /** Only the first one counts. */
  const sign = async (id: string, isTaken: boolean): Promise<boolean> => {
    const receipt: Receipt = { isTaken, machine: store.machine };
    if ((await store.post(feedOf(id), receipt, 0)) !== null) return true;
    // An earlier try may have got there although it did not seem so.
    const [first] = await store.messages(feedOf(id), 0);
    return isRecord(first?.message) && first.message.machine === store.machine && first.message.isTaken === isTaken;
  };
  return {
    async take(id, signal) {
      for (;;) {
        const isSigned = await sign(id, true).catch(() => null);
        if (isSigned !== null) return isSigned;
        await setTimeout(AGAIN, undefined, { signal });
      }
    },
    confirm: (id, { machine, window }) =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        const isLate = (): boolean => performance.now() - started > PATIENCE;
        const end = (settle: () => void): void => {
          stop();
          clearInterval(timer);
          settle();
        };
        const look = async (): Promise<void> => {
          const isAlive = (await store.machines()).some((one) => one.id === machine);
          if (isAlive && !isLate()) return;
          if (!isAlive && window !== undefined) end(() => resolve("kept"));
          else if (await sign(id, false)) end(() => resolve("lost"));
        };
        // Away: the next look will do, as long as there is patience for it.
        const timer = setInterval(() => void look().catch((error) => isLate() && end(() => reject(error))), LOOK);
        const stop = store.follow(feedOf(id), 0, ({ message }) => {
          const { isTaken } = message as Receipt; // As it was signed.
          end(() => resolve(isTaken ? "taken" : "lost"));
        });
      }),
  };
}
