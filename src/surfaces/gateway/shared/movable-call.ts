import { randomUUID } from "node:crypto";
import type { Params } from "../wire/json-rpc.ts";
import type { MovableCall } from "../wire/outlet.ts";
import type { CallRow, MovableCalls } from "./movable-calls.ts";

export interface MovableCallPorts {
  readonly rows: MovableCalls;
  readonly session: string;
  /** The key of the call. */
  readonly id: string;
  /** What another machine needs to make it. */
  readonly params: Params;
  /** Whether it already has a row. */
  readonly isStored: boolean;
  /** What was asked on the machine that it was taken over from. */
  readonly asked: CallRow["asked"];
  /**
   * Milliseconds within which its client must come back; absent if it comes back only when it is the one who was asked.
   */
  readonly window?: number;
}

export function createMovableCall({
  rows,
  session,
  id: call,
  params,
  window,
  ...known
}: MovableCallPorts): MovableCall {
  let { isStored } = known;
  let before = known.asked;
  let isWaiting = known.asked !== null;
  let hasStarted = false;
  let leaving: Promise<void> | null = null;
  /** Only one of two machines gets past this. */
  const take = (): Promise<boolean> => rows.change(session, call, (now) => ({ ...now, waiting: null }));
  return {
    async ask(request) {
      if (hasStarted) return null;
      const [about, id] = [request.about ?? null, randomUUID()];
      // An answer to another question does not count for this one.
      const same = about !== null && before?.about === about ? before : null;
      const earlier = same?.id ?? null;
      // The time to answer goes on, and links to the question lead to it still.
      const asked = { about, id, root: same?.root ?? earlier ?? id, since: same?.since ?? Date.now() };
      before = null;
      const row = { waiting: params, asked, task: null, answer: null };
      const isOurs = isStored
        ? await rows.change(session, call, (now) => ({ ...now, waiting: params, asked }))
        : await rows.create(session, call, row).then(() => true);
      [isStored, isWaiting] = [true, true];
      return {
        ...{ id, earlier, root: asked.root, since: asked.since, ...(window === undefined ? {} : { window }) },
        async start() {
          [isWaiting, hasStarted] = [false, true];
          return isOurs && take();
        },
        leave() {
          leaving = rows.leave(session, call);
          return leaving;
        },
      };
    },
    async mayAnswer() {
      if (!isWaiting) return true;
      isWaiting = false;
      // A call that is being left to others is not answered here, however soon its session closes.
      await leaving?.catch(() => {});
      return take();
    },
  };
}
