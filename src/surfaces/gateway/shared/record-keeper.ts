import { createHash } from "node:crypto";
import type { SavedPromotions } from "../../../runtime/session/search/promotion-state.ts";
import type { LogLevel } from "../wire/protocol.ts";
import { joinPromotions, type Remembered, type SessionRecord } from "./session-record.ts";
import type { SessionShare } from "./shared.ts";

/** What one machine knows about a client by itself. */
export interface KnownClient {
  readonly isInitialized: boolean;
  readonly level: LogLevel | null;
  readonly watched: readonly string[];
  readonly calls: number;
  readonly promotions: SavedPromotions;
  /** The tools that it was shown last, as serialised. */
  readonly list: string | null;
}

/** Stores what is learned about one client where other machines find it. */
export interface RecordKeeper {
  /** Stores what a request changed, before its answer is sent. Free if nothing changed. */
  note(method: string): Promise<void>;
  /** Records what is stored. */
  knows(record: Remembered): void;
  /** Of a list; for none, of what the client was last shown. Null if that is nothing. */
  digest(list: string | null): string | null;
  /** Whether the client was last shown other tools than these, here or elsewhere. */
  isOutdated(list: string): boolean;
}

/** Requests that may change what is known; all others are answered without a check. */
const CHANGING: ReadonlySet<string> = new Set([
  "notifications/initialized",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
  "tools/list",
  "tools/call",
]);

type Stored = Pick<SessionRecord, "isInitialized" | "level" | "watched" | "shown"> & { readonly loaded: number };

const NOTHING: Stored = { isInitialized: false, level: null, watched: [], shown: null, loaded: 0 };

export function createRecordKeeper(
  share: SessionShare,
  known: () => KnownClient,
  onError: (text: string, error: unknown) => void,
): RecordKeeper {
  let stored = NOTHING;
  const digests = createDigests();
  const store = async (now: Stored, { promotions, calls }: KnownClient): Promise<void> => {
    const { isInitialized, level, watched, shown } = now;
    await share.change((record) => ({
      ...record,
      ...{ isInitialized: record.isInitialized || isInitialized, level, watched, shown: shown ?? record.shown, calls },
      ...{ promotions: joinPromotions(record.promotions, promotions), seen: Date.now(), machine: share.machines.self },
    }));
    const isNews = now.loaded !== stored.loaded || now.level !== stored.level || now.watched !== stored.watched;
    stored = now;
    if (isNews) share.machines.tellOthers({ kind: "changed", session: share.id });
  };
  return {
    async note(method) {
      if (!CHANGING.has(method)) return;
      const found = known();
      const { isInitialized, level, list } = found;
      const loaded = found.promotions.names.length;
      const shown = list === null ? stored.shown : digests.of(list);
      const watched = isSame(found.watched, stored.watched) ? stored.watched : [...found.watched];
      const isUnchanged = isInitialized === stored.isInitialized && level === stored.level && loaded === stored.loaded;
      if (isUnchanged && shown === stored.shown && watched === stored.watched) return;
      // Without the store the client is still served, and the next change includes this one.
      await store({ isInitialized, level, watched, shown, loaded }, found).catch((error: unknown) =>
        onError("what is known of a client could not be stored", error),
      );
    },
    knows({ isInitialized, level, watched, shown, promotions }) {
      stored = { isInitialized, level, watched, shown, loaded: promotions.names.length };
    },
    digest: (list) => (list === null ? stored.shown : digests.of(list)),
    isOutdated: (list) => stored.shown !== null && digests.of(list) !== stored.shown,
  };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((uri) => other.includes(uri));
}

/** A list is the same text while nothing changes, and is hashed once. */
function createDigests(): { of(list: string): string } {
  let last = { list: "", digest: "" };
  return {
    of(list) {
      if (last.digest === "" || last.list !== list)
        last = { list, digest: createHash("sha256").update(list).digest("base64url") };
      return last.digest;
    },
  };
}
