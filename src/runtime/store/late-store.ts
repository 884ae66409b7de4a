import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import type { Store } from "./store.ts";

/** The parts of a store that a shared gateway needs: no journals. */
export type SharedStore = Pick<
  Store,
  | "machine"
  | "ask"
  | "answer"
  | "answerTo"
  | "questions"
  | "post"
  | "messages"
  | "follow"
  | "expire"
  | "prune"
  | "keyValues"
  | "log"
  | "join"
  | "machines"
  | "silence"
  | "close"
>;

/** Milliseconds after which waiters try to open it again. */
const AGAIN = 2_000;

/** A store that is opened on first use, and may be unreachable: that use fails, and the next one tries again (S11). */
export function createLateStore(machine: string, open: () => Promise<Store>, clock: Clock): SharedStore {
  let opening: Promise<Store> | null = null;
  let closed = false;
  const timers = new Set<Timer>();
  const reach = (): Promise<Store> => {
    if (closed) return Promise.reject(new ToolcribError("store.unavailable", "the store is closed"));
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  };
  /** Retries until it is open. */
  const whenOpen = (work: (store: Store) => void): void =>
    void reach().then(work, () => {
      if (closed) return;
      const timer = clock.setTimeout(() => {
        timers.delete(timer);
        whenOpen(work);
      }, AGAIN);
      timers.add(timer);
    });
  return {
    machine,
    ask: async (...given) => (await reach()).ask(...given),
    answer: async (...given) => (await reach()).answer(...given),
    answerTo: async (...given) => (await reach()).answerTo(...given),
    questions: async (...given) => (await reach()).questions(...given),
    post: async (...given) => (await reach()).post(...given),
    messages: async (...given) => (await reach()).messages(...given),
    prune: async (...given) => (await reach()).prune(...given),
    expire: async (...given) => (await reach()).expire(...given),
    machines: async () => (await reach()).machines(),
    silence: async (...given) => (await reach()).silence(...given),
    keyValues: (place) => ({
      get: async (...given) => (await reach()).keyValues(place).get(...given),
      entries: async () => (await reach()).keyValues(place).entries(),
      change: async (...given) => (await reach()).keyValues(place).change(...given),
    }),
    log: {
      addRows: async (...given) => (await reach()).log.addRows(...given),
      rows: async (...given) => (await reach()).log.rows(...given),
      runs: async (...given) => (await reach()).log.runs(...given),
      blankRows: async (...given) => (await reach()).log.blankRows(...given),
      addBodies: async (...given) => (await reach()).log.addBodies(...given),
      bodies: async (...given) => (await reach()).log.bodies(...given),
      deleteBodies: async (...given) => (await reach()).log.deleteBodies(...given),
    },
    follow(...given) {
      let stop: (() => void) | null = () => {};
      whenOpen((store) => {
        if (stop !== null) stop = store.follow(...given);
      });
      return () => {
        stop?.();
        stop = null;
      };
    },
    join: () => whenOpen((store) => store.join()),
    async close() {
      closed = true;
      for (const timer of timers) clock.clearTimeout(timer);
      await (await opening?.catch(() => null))?.close();
    },
  };
}
