import type { Config } from "../../config/config.ts";
import type { AuditLog } from "./audit-log.ts";
import type { AuditNote, AuditRow } from "./audit-row.ts";
import { isGathered } from "./audit-scope.ts";
import type { GatheredPlace } from "./gather.ts";
import { loadAuditSealer } from "./kept-bodies.ts";
import { type AuditFilter, toAuditFilter } from "./read-audit.ts";
import type { FoundBody } from "./read-stored.ts";
import type { StoredVerdict } from "./verify-stored.ts";

/** The log of all machines, for auditors who are not at any of them. */
export interface AuditDesk {
  /** The newest rows that fit, oldest first; with bodies, that `by` reads them is a row first. */
  rows(wanted: DeskQuestion): Promise<readonly DeskRow[]>;
  verify(): Promise<StoredVerdict>;
}

interface DeskQuestion extends AuditFilter {
  readonly limit: number;
  /** Null for rows alone. */
  readonly reader: BodyReader | null;
}

/** Who reads bodies, for the log. */
export interface BodyReader {
  readonly by: string;
  readonly principal: string | null;
}

/** A row, and what its call was about if that was asked for. */
type DeskRow = AuditRow & { readonly content?: FoundBody };

interface DeskOptions {
  readonly audit: Pick<AuditLog, "note" | "flush" | "path">;
  readonly config: () => Config;
  readonly place: GatheredPlace | null;
  /** The person's state folder. */
  readonly folder: string;
}

/** Null where the log is the file of one machine. */
export function createAuditDesk({ audit, config, place, folder }: DeskOptions): AuditDesk | null {
  const { path } = audit;
  if (place === null || path === null || !isGathered(config())) return null;
  return {
    async rows({ limit, reader, ...filter }) {
      const { findBodies, readStored } = await import("./read-stored.ts");
      const { person, since } = filter;
      const rows = await readStored(place, {
        ...{ filter: toAuditFilter(filter), limit },
        ...(person === undefined ? {} : { person }),
        ...(since === undefined ? {} : { since }),
      });
      if (reader === null) return rows;
      audit.note(toReadNote(rows, reader));
      await audit.flush();
      const { spoolFolder } = await import("./body-spool.ts");
      const sealer = await loadAuditSealer(config(), folder);
      const bodies = await findBodies(rows, { place, sealer, spool: spoolFolder(path) });
      return rows.map((row) => {
        const content = "body" in row ? bodies.get(row.body ?? "") : undefined;
        return content === undefined ? row : { ...row, content };
      });
    },
    async verify() {
      const { verifyStored } = await import("./verify-stored.ts");
      return verifyStored(place, await loadAuditSealer(config(), folder));
    },
  };
}

/** Who read the bodies of whose calls, or had them judged. */
export function toReadNote(
  rows: readonly AuditRow[],
  { by, principal }: BodyReader,
  act: "read" | "tried a policy on" = "read",
): AuditNote {
  const wanted = rows.filter((row) => "body" in row);
  const names = [...new Set(wanted.map((row) => row.principal ?? ""))];
  const whose = names.length === 0 ? "nobody" : names.slice(0, 20).join(", ");
  const text = `${by} ${act} ${wanted.length} ${wanted.length === 1 ? "body" : "bodies"} of calls of ${whose}`;
  return { type: "log.read", text, names: names.slice(0, 100), ...(principal === null ? {} : { principal }) };
}
