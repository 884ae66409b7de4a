import type { KeyedSealer } from "../people/sealer.ts";
import type { LogRowFilter, StoredLogBody, StoredLogRow } from "../store/stored-log.ts";
import { type AuditBody, type AuditRow, isCall, readRow } from "./audit-row.ts";
import { openBody } from "./body-box.ts";
import { readSpool } from "./body-spool.ts";
import type { GatheredPlace } from "./gather.ts";

/** What became of a row's body: itself, deleted, sealed with a key that is not here, or not what was written. */
export type FoundBody = AuditBody | "gone" | "sealed" | "changed";

const PAGE = 500;

export interface WantedRows {
  readonly filter: (row: AuditRow) => boolean;
  readonly limit: number;
  /** As the log names them. */
  readonly person?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
}

/** The newest rows of all machines that fit, oldest first. */
export async function readStored(
  { store, scope }: GatheredPlace,
  { filter, limit, person, since }: WantedRows,
): Promise<readonly AuditRow[]> {
  const found: AuditRow[] = [];
  let before: StoredLogRow | undefined;
  for (;;) {
    const which: LogRowFilter = {
      limit: PAGE,
      ...(person === undefined ? {} : { person }),
      ...(since === undefined ? {} : { since }),
      ...(before === undefined ? {} : { before }),
    };
    const page = await store.log.rows(scope, which);
    for (const { line } of page) {
      const row = line === null ? null : readRow(line);
      if (row === null || !filter(row)) continue;
      found.push(row);
      if (found.length >= limit) return found.reverse();
    }
    before = page.at(-1);
    if (page.length < PAGE) return found.reverse();
  }
}

export interface BodyPlaces {
  readonly place: GatheredPlace;
  readonly sealer: KeyedSealer;
  /** Where bodies of this machine wait; null if they wait elsewhere. */
  readonly spool: string | null;
}

/** The bodies of rows, by the hash in the row. */
export async function findBodies(
  rows: readonly AuditRow[],
  { place, sealer, spool }: BodyPlaces,
): Promise<ReadonlyMap<string, FoundBody>> {
  const { store, scope } = place;
  const wanted = rows.flatMap((row) => (isCall(row) && row.body !== undefined ? [{ row, hash: row.body }] : []));
  const stored = await store.log.bodies(
    scope,
    wanted.map(({ row: { run, seq } }) => ({ run, seq })),
  );
  const known = new Map(stored.map((body) => [keyOf(body), body]));
  if (spool !== null && known.size < wanted.length)
    for await (const { bodies } of readSpool(spool, { isLast: true }))
      for (const body of bodies) if (!known.has(keyOf(body))) known.set(keyOf(body), body);
  const found = wanted.map(({ row, hash }): [string, FoundBody] => {
    const body = known.get(keyOf(row));
    return [hash, body === undefined ? "gone" : openBody(body, hash, { sealer, scope })];
  });
  return new Map(found);
}

function keyOf({ run, seq }: Pick<StoredLogBody, "run" | "seq">): string {
  return `${run} ${seq}`;
}
