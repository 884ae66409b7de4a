import { setTimeout } from "node:timers/promises";
import { isRecord } from "../../core/shape/is-record.ts";
import type { SharedStore } from "../store/late-store.ts";
import type { StoredApproval } from "./pending-elsewhere.ts";

/**
 * Whether an answer given on one machine reached the machine that asked. Either that machine takes it or the other
 * withdraws it, never both: a person who is told that a yes reached nobody can rely on it.
 */
export interface AnswerReceipts {
  /** Before an answer counts on the machine that asked: false if it was withdrawn. */
  take(id: string, signal: AbortSignal): Promise<boolean>;
  /** `kept`: its machine has ended, and another one takes the answer if the client comes back there. */
  confirm(id: string, asked: Pick<StoredApproval, "machine" | "window">): Promise<"taken" | "kept" | "lost">;
}

interface Receipt {
  readonly isTaken: boolean;
  readonly machine: string;
}

/** Milliseconds between checks whether the machine that asked is alive. */
const LOOK = 500;
/** Milliseconds after which an answer is withdrawn that a living machine has not taken. */
const PATIENCE = 15_000;
/** Milliseconds after which the store is tried again. */
const AGAIN = 1_000;

export function createAnswerReceipts(store: SharedStore, place: string): AnswerReceipts {
  const feedOf = (id: string): string => `${place}:${id}`;
  /** Only the first one counts. */
  const sign = async (id: string, isTaken: boolean): Promise<boolean> => {
    const receipt: Receipt = { isTaken, machine: store.machine };
    if ((await store.post(feedOf(id), receipt, 0)) !== null) return true;
    // An earlier try may have succeeded although it seemed to fail.
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
        // Unreachable: the next check will do, as long as there is time.
        const timer = setInterval(() => void look().catch((error) => isLate() && end(() => reject(error))), LOOK);
        const stop = store.follow(feedOf(id), 0, ({ message }) => {
          const { isTaken } = message as Receipt; // As it was signed.
          end(() => resolve(isTaken ? "taken" : "lost"));
        });
      }),
  };
}
