import { listAuditFiles } from "../audit/audit-file.ts";
import { type AuditRow, isCall } from "../audit/audit-row.ts";
import { spoolFolder } from "../audit/body-spool.ts";
import type { GatheredPlace } from "../audit/gather.ts";
import { readAudit } from "../audit/read-audit.ts";
import { type FoundBody, findBodies, readStored } from "../audit/read-stored.ts";
import type { KeyedSealer } from "../people/sealer.ts";

/** Rows of a log with the bodies that are apart, some at a time. */
export interface RowPage {
  readonly rows: readonly AuditRow[];
  readonly bodies: ReadonlyMap<string, FoundBody>;
}

const PAGE = 500;
const NO_BODIES: ReadonlyMap<string, FoundBody> = new Map();

/** The log of one machine: its file, and those that were full and put aside. */
export async function* readLogFiles(path: string, since: number, signal: AbortSignal): AsyncGenerator<RowPage> {
  const files = [...(await listAuditFiles(path)).map((file) => file.path), path];
  let rows: AuditRow[] = [];
  for (const file of files)
    for await (const { row } of readAudit(file, signal)) {
      if (row === null || Date.parse(row.time) < since) continue;
      rows.push(row);
      if (rows.length < PAGE) continue;
      yield { rows, bodies: NO_BODIES };
      rows = [];
    }
  if (rows.length > 0) yield { rows, bodies: NO_BODIES };
}

export interface StoredRowsOptions {
  readonly place: GatheredPlace;
  /** The log of this machine, beside which bodies may wait. */
  readonly path: string;
  readonly since: number;
  readonly sealer: KeyedSealer;
  /** Called before bodies are opened, with all the rows whose they are; it may refuse. */
  readonly opens: (rows: readonly AuditRow[]) => Promise<void>;
}

/** The log of all machines. */
export async function* readLogStore({ place, path, since, sealer, opens }: StoredRowsOptions): AsyncGenerator<RowPage> {
  const isWanted = ({ type }: AuditRow): boolean => type === "call" || type === "call.judged";
  const all = await readStored(place, { filter: isWanted, limit: Number.POSITIVE_INFINITY, since });
  const sealed = all.filter((row) => isCall(row) && row.body !== undefined);
  if (sealed.length > 0) await opens(sealed);
  for (let at = 0; at < all.length; at += PAGE) {
    const rows = all.slice(at, at + PAGE);
    yield { rows, bodies: await findBodies(rows, { place, sealer, spool: spoolFolder(path) }) };
  }
}
