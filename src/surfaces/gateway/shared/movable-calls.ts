import { isRecord } from "../../../core/shape/is-record.ts";
import type { SharedStore } from "../../../runtime/store/late-store.ts";
import type { Params, ProtocolAnswer } from "../wire/json-rpc.ts";
import type { Machines } from "./machines.ts";

/** A call whose answer any machine can deliver: one that waits for somebody, or a task. */
export interface CallRow {
  /** The machine that works on it. */
  readonly machine: string;
  /** Its parameters while it waits for somebody, so that another machine can make it; null once it may have started. */
  readonly waiting: Params | null;
  /** Whether its machine left it before it had started, for any other to take. */
  readonly isLeft?: boolean;
  /** What was asked, as a digest, and under which id; null if nobody was asked. */
  readonly asked: AskedRow | null;
  /** Its state as a task; null if it is none. */
  readonly task: Params | null;
  /** How it ended, for tasks. */
  readonly answer: ProtocolAnswer | null;
}

interface AskedRow {
  /** Null where it cannot be said. */
  readonly about: string | null;
  readonly id: string;
  /** The id under which it was asked first, and when; of this machine's version and newer. */
  readonly root?: string;
  readonly since?: number;
}

/** The state of a call whose machine may have ended. */
type LeftCall =
  /** A living machine works on it, or there is none. */
  | { readonly kind: "busy"; readonly machine: string }
  /** Nobody works on it any longer, and it may have taken effect. */
  | { readonly kind: "cut" }
  /** It had not started, and belongs to this machine now. */
  | {
      readonly kind: "adopted";
      readonly row: CallRow;
      readonly waiting: Params;
      /** Whether its client came back too late, so that nothing is done for it any longer. */
      readonly isLate: boolean;
    };

/**
 * The calls of a gateway's clients that outlive a machine (M2). Only the owner of the row may start the call or answer
 * it.
 */
export interface MovableCalls {
  load(session: string, id: string): Promise<CallRow | null>;
  of(session: string): Promise<ReadonlyMap<string, CallRow>>;
  create(session: string, id: string, row: Omit<CallRow, "machine">): Promise<void>;
  /** False, and nothing changed, if another machine has taken the call over. */
  change(session: string, id: string, change: (row: CallRow) => CallRow): Promise<boolean>;
  /** Leaves a call that has not started, because this machine ends: from now on another one may take it over. */
  leave(session: string, id: string): Promise<void>;
  /**
   * Takes over what nobody has started, from a machine that has ended; `machine` is its owner if there is no row,
   * `window` the milliseconds within which its client must come back.
   */
  adopt(session: string, id: string, machine: string, window: number): Promise<LeftCall>;
  forget(session: string, id: string): Promise<void>;
  /** All calls of a session that has ended. */
  forgetAll(session: string): Promise<void>;
  /** Deletes what has not changed for so long. */
  expire(unchangedFor: number): Promise<void>;
}

const NAME = "gateway.calls";
/** Milliseconds after its last heartbeat within which a machine may have been alive. */
export const GRACE = 10_000;

/** The answer about calls whose machine has ended. */
export const CUT =
  "interrupted: the machine that worked on this ended before it was done. What was asked for may or may not have taken effect.";
export const LATE = "the client has gone, so nobody would get the result. Nothing was run.";

export function toFailure(text: string): Params {
  return { content: [{ type: "text", text }], isError: true };
}

export function createMovableCalls(store: SharedStore, scope: string, machines: Machines): MovableCalls {
  const valuesOf = (session: string) => store.keyValues({ name: NAME, person: session, project: scope });
  const swap = async (session: string, id: string, owner: string, change: (row: CallRow) => CallRow | null) => {
    let swapped: CallRow | null = null;
    await valuesOf(session).change(id, (value) => {
      const row = toRow(value);
      swapped = row?.machine === owner ? change(row) : null;
      return swapped ?? value;
    });
    return swapped;
  };
  const rows: MovableCalls = {
    load: async (session, id) => toRow(await valuesOf(session).get(id)),
    async of(session) {
      const found = [...(await valuesOf(session).entries())].map(([id, value]) => [id, toRow(value)] as const);
      return new Map(found.filter((one): one is readonly [string, CallRow] => one[1] !== null));
    },
    create: (session, id, row) => valuesOf(session).change(id, () => ({ ...row, machine: machines.self })),
    change: async (session, id, change) =>
      (await swap(session, id, machines.self, (row) => (row.isLeft === true ? null : change(row)))) !== null,
    leave: async (session, id) =>
      void (await swap(session, id, machines.self, (row) => (row.waiting === null ? null : { ...row, isLeft: true }))),
    async adopt(session, id, machine, window) {
      const row = await rows.load(session, id);
      const owner = row?.machine ?? machine;
      if (row?.isLeft !== true && (await machines.lives(owner))) return { kind: "busy", machine: owner };
      if (row === null || row.waiting === null || row.answer !== null) return { kind: "cut" };
      const { waiting } = row;
      const take = (now: CallRow): CallRow | null =>
        now.waiting === null ? null : { ...now, machine: machines.self, isLeft: false };
      if ((await swap(session, id, owner, take)) === null) return rows.adopt(session, id, machine, window);
      const isLate = ((await store.silence(owner)) ?? Number.POSITIVE_INFINITY) > window + GRACE;
      return { kind: "adopted", row, waiting, isLate };
    },
    forget: (session, id) => valuesOf(session).change(id, () => undefined),
    async forgetAll(session) {
      for (const id of (await rows.of(session)).keys()) await rows.forget(session, id);
    },
    expire: (unchangedFor) => store.expire({ kind: "key-values", name: NAME }, unchangedFor),
  };
  return rows;
}

/** Only our own programs write there. */
function toRow(value: unknown): CallRow | null {
  return isRecord(value) && typeof value.machine === "string" ? (value as unknown as CallRow) : null;
}
