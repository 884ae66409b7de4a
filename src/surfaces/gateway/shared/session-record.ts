import { isRecord } from "../../../core/shape/is-record.ts";
import type { Narrowing } from "../../../runtime/crib/crib.ts";
import type { SavedPromotions } from "../../../runtime/session/search/promotion-state.ts";
import type { SharedStore } from "../../../runtime/store/late-store.ts";
import type { Params } from "../wire/json-rpc.ts";
import type { LogLevel } from "../wire/protocol.ts";

/** All that is known about a client with a session: enough for any machine to serve it. */
export interface SessionRecord {
  /** Who may use it. */
  readonly owner: string;
  readonly principal: string;
  readonly label: string;
  readonly version: string;
  readonly capabilities: Params;
  /** What it asked to be narrowed to. */
  readonly asked: Narrowing;
  /** Milliseconds since 1970, by the clock of the machine that recorded it. */
  readonly since: number;
  readonly seen: number;
  readonly calls: number;
  /** The machine that recorded it. */
  readonly machine: string;
  readonly isInitialized: boolean;
  readonly level: LogLevel | null;
  /** Resources that it watches. */
  readonly watched: readonly string[];
  readonly promotions: SavedPromotions;
  /** Digest of the tools that it was shown last; null before it asked. */
  readonly shown: string | null;
  /** The machine that has its standing stream; null if none does. */
  readonly listens: string | null;
}

/** What one machine remembers of a client that rests; its row has the same, unless the store was unreachable. */
export type Remembered = Pick<SessionRecord, "isInitialized" | "level" | "shown" | "promotions" | "watched">;

/** The sessions of a gateway, one row each. */
export interface SessionRows {
  create(id: string, record: SessionRecord): Promise<void>;
  load(id: string): Promise<SessionRecord | null>;
  /** Concurrent changes see each other. A session that has ended stays ended. */
  change(id: string, change: (record: SessionRecord) => SessionRecord): Promise<void>;
  forget(id: string): Promise<void>;
  all(): Promise<ReadonlyMap<string, SessionRecord>>;
  /** Deletes sessions that nobody has used for so long. */
  expire(unusedFor: number): Promise<void>;
}

const NAME = "gateway.sessions";

export function createSessionRows(store: SharedStore, scope: string): SessionRows {
  const values = store.keyValues({ name: NAME, person: "", project: scope });
  return {
    create: (id, record) => values.change(id, () => record),
    load: async (id) => toRecord(await values.get(id)),
    change: (id, change) =>
      values.change(id, (value) => {
        const record = toRecord(value);
        return record === null ? value : change(record);
      }),
    forget: (id) => values.change(id, () => undefined),
    async all() {
      const rows = [...(await values.entries())].map(([id, value]) => [id, toRecord(value)] as const);
      return new Map(rows.filter((row): row is readonly [string, SessionRecord] => row[1] !== null));
    },
    expire: (unusedFor) => store.expire({ kind: "key-values", name: NAME }, unusedFor),
  };
}

/** Only Toolcrib writes there; another version may have more fields. */
function toRecord(value: unknown): SessionRecord | null {
  return isRecord(value) && typeof value.owner === "string" ? (value as unknown as SessionRecord) : null;
}

/** Another machine may have served the client meanwhile. */
export function joinRemembered(own: Remembered | null, row: SessionRecord | null): Remembered | null {
  if (own === null || row === null) return own ?? row;
  return {
    isInitialized: own.isInitialized || row.isInitialized,
    level: row.level ?? own.level,
    watched: row.watched,
    shown: own.shown ?? row.shown,
    promotions: joinPromotions(row.promotions, own.promotions),
  };
}

/** What two machines have loaded for one client, together. */
export function joinPromotions(one: SavedPromotions, other: SavedPromotions): SavedPromotions {
  return {
    catalogHash: null,
    names: [...new Set([...one.names, ...other.names])],
    signatures: { ...one.signatures, ...other.signatures },
  };
}
