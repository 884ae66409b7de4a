import type { KeyValues } from "../store/store.ts";
import type { StoredLog, StoredLogRow } from "../store/stored-log.ts";
import type { Head } from "./audit-head.ts";
import { readSpool, spoolFolder } from "./body-spool.ts";
import { openCarrier, type RowCarrier, type RowSink } from "./carry-rows.ts";
import type { ReadRow } from "./read-from.ts";
import { rowKind } from "./row-kinds.ts";

/** The parts of a store that hold the log of all machines. */
interface LogStore {
  readonly log: StoredLog;
  keyValues(place: { readonly name: string; readonly person: string; readonly project: string }): KeyValues;
}

/** Where the log of all machines is. */
export interface GatheredPlace {
  readonly store: LogStore;
  readonly scope: string;
}

/** The last row of each run, as far as it was gathered. */
export function storedHeads({ store, scope }: GatheredPlace): KeyValues {
  return store.keyValues({ name: "audit.heads", person: "", project: scope });
}

/** Persons whose bodies were deleted: until when, in milliseconds since 1970. */
export function forgottenPersons({ store, scope }: GatheredPlace): KeyValues {
  return store.keyValues({ name: "audit.forgotten", person: "", project: scope });
}

export interface GatherOptions {
  /** The log of this machine. */
  readonly path: string;
  readonly place: GatheredPlace;
  readonly onError: (text: string, error: unknown) => void;
  readonly onRecovered?: (text: string) => void;
}

export interface Gathering extends Pick<RowCarrier, "failing" | "wake"> {
  /** Tries what is left once more, within that many milliseconds. */
  close(within?: number): Promise<void>;
}

/** Milliseconds between looks for bodies. */
const BODIES_EVERY = 2_000;

/** Brings the rows of this machine's log into the store, and the bodies that wait beside it. */
export async function openGathering({ path, place, ...reporting }: GatherOptions): Promise<Gathering> {
  const carrier = await openCarrier({ path, sink: toSink(place), ...reporting });
  const folder = spoolFolder(path);
  let moving = Promise.resolve();
  let isFailing = false;
  const move = (isLast = false): Promise<void> => {
    moving = moving
      .then(() => moveBodies(folder, place, isLast))
      .then(
        () => {
          isFailing = false;
        },
        (error: unknown) => {
          if (!isFailing) reporting.onError("bodies of calls do not reach the store; they wait beside the log", error);
          isFailing = true;
        },
      );
    return moving;
  };
  const timer = setInterval(() => void move(), BODIES_EVERY).unref();
  return {
    get failing() {
      return carrier.failing;
    },
    wake: carrier.wake,
    async close(within) {
      clearInterval(timer);
      await carrier.close(within);
      await move(true);
    },
  };
}

function toSink(place: GatheredPlace): RowSink {
  const heads = storedHeads(place);
  return {
    name: "the store",
    mostBytes: 512 * 1024,
    async send(carried) {
      const rows = carried.flatMap((one) => (one.gap === undefined ? [one] : []));
      await place.store.log.addRows(place.scope, rows.map(toStored));
      const last = new Map(rows.map(({ row: { run, seq, hash } }): [string, Head] => [run, { run, seq, hash }]));
      for (const [run, head] of last)
        await heads.change(run, (known) => (isFurther(known, head) ? known : { seq: head.seq, hash: head.hash }));
    },
    close: async () => {},
  };
}

/** Rows that come again must not put a head back. */
function isFurther(known: unknown, { seq }: Head): boolean {
  return typeof known === "object" && known !== null && Number(Reflect.get(known, "seq")) > seq;
}

function toStored({ line, row }: ReadRow): StoredLogRow {
  const { run, seq, time, prev, hash, principal = "" } = row;
  return { run, seq, at: Date.parse(time), kind: rowKind(row), person: principal, prev, hash, line };
}

/** A body whose person was forgotten while it waited goes nowhere. */
async function moveBodies(folder: string, place: GatheredPlace, isLast: boolean): Promise<void> {
  for await (const { bodies, remove } of readSpool(folder, { isLast })) {
    const forgotten = await forgottenPersons(place).entries();
    const wanted = bodies.filter(({ person, at }) => !(at < Number(forgotten.get(person) ?? 0)));
    await place.store.log.addBodies(place.scope, wanted);
    await remove();
  }
}
