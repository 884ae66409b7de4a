import { existsSync } from "node:fs";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { ScopedValues } from "../store/scoped-values.ts";
import type { KeyValues } from "../store/store.ts";
import type { Grant } from "./grant.ts";
import {
  createMemoryGrants,
  type GrantPlace,
  type GrantStore,
  grantFiles,
  openGrants,
  readGrant,
  toGrantRow,
} from "./grant-store.ts";

/** Milliseconds after which the store is read again for changes by others. */
const FRESH = 1_000;

/** What the store has. */
interface StoredRows {
  readonly grants: readonly Grant[];
  /** Ids of grants copied from files. */
  readonly taken: ReadonlySet<string>;
  /** Ids of grants that do not count, even if a file has them. */
  readonly revoked: ReadonlySet<string>;
}

const NOTHING: StoredRows = { grants: [], taken: new Set(), revoked: new Set() };

export interface StoredGrantsOptions {
  readonly now: () => number;
  /** Where new grants are written: to files if only this machine uses the store, since other workspaces read the files. */
  readonly newOnes: "store" | "files";
}

/**
 * Grants in a store, so that they count on every machine. Grants in the files of `place` count as well and are copied
 * once (S8); `place` is null if the files belong to somebody else. No grant counts while the store is unreachable.
 */
export async function openStoredGrants(
  values: ScopedValues,
  place: GrantPlace | null,
  { now, newOnes }: StoredGrantsOptions,
): Promise<GrantStore> {
  const memory = createMemoryGrants();
  const files = place === null ? null : await openGrants(place);
  const inFiles = (): readonly Grant[] => (files === null ? [] : files.grants.filter(isKept));
  const valuesOf = ({ scope }: Pick<Grant, "scope">): KeyValues =>
    scope === "user" ? values.ofPerson("grants") : values.ofProject("grants");
  let kept: readonly Grant[] = [];
  let all: readonly Grant[] = [];
  /** Null while the store is unreachable. */
  let stored: StoredRows | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  const settle = (next: readonly Grant[]): void => {
    if (JSON.stringify(next) !== JSON.stringify(kept)) kept = next;
    all = [...memory.grants, ...kept];
  };
  const takeOver = (): Promise<void> =>
    values.takeOverOnce("grants", async () => {
      for (const grant of inFiles())
        await valuesOf(grant).change(grant.id, () => ({ ...toGrantRow(grant), taken: true }));
    });
  const joinFiles = async (): Promise<void> => {
    await files?.refresh();
    const hasFile = place !== null && existsSync(grantFiles(place).user);
    // A grant that might have been revoked in the meantime allows nothing.
    settle(stored === null ? [] : join(stored, inFiles(), hasFile));
  };
  const load = async (): Promise<void> => {
    readAt = now();
    try {
      await files?.refresh();
      await takeOver();
      stored = await readStored(valuesOf);
    } catch (error) {
      stored = null;
      if (!isToolcribError(error)) throw error;
    } finally {
      await joinFiles();
    }
  };
  await load();
  return {
    get grants() {
      return all;
    },
    async refresh(isDue = false) {
      // A grant revoked in a file of this machine stops counting at the next call.
      await (isDue || now() - readAt >= FRESH ? load() : joinFiles());
    },
    async add(grant) {
      if (isKept(grant)) {
        if (newOnes === "files" && files !== null) await files.add(grant);
        else await valuesOf(grant).change(grant.id, () => toGrantRow(grant));
        return load();
      }
      await memory.add(grant);
      settle(kept);
    },
    async revoke(id) {
      const found = all.find((grant) => grant.id === id);
      if (found === undefined) return false;
      if (await memory.revoke(id)) settle(kept);
      else {
        // Other machines may have it in files of their own.
        await valuesOf(found).change(id, (row) => (isTaken(row) ? { revoked: true } : undefined));
        await files?.revoke(id);
        await load();
      }
      return true;
    },
  };
}

/** A copied grant counts as long as its file still has it, or the file is gone. */
function join({ grants, taken, revoked }: StoredRows, inFiles: readonly Grant[], hasFile: boolean): readonly Grant[] {
  const filed = new Set(inFiles.map(({ id }) => id));
  const stored = grants.filter(({ id }) => !taken.has(id) || !hasFile || filed.has(id));
  const known = new Set(grants.map(({ id }) => id));
  return [...stored, ...inFiles.filter(({ id }) => !known.has(id) && !revoked.has(id))];
}

async function readStored(valuesOf: (of: Pick<Grant, "scope">) => KeyValues): Promise<StoredRows> {
  const read = async (scope: "user" | "project"): Promise<StoredRows> => {
    const rows = [...(await valuesOf({ scope }).entries())];
    const idsOf = (is: (row: unknown) => boolean) => new Set(rows.flatMap(([id, row]) => (is(row) ? [id] : [])));
    const grants = rows.flatMap(([, row]) => readGrant(row)).filter((grant) => grant.scope === scope);
    return { grants, taken: idsOf(isTaken), revoked: idsOf((row) => isRecord(row) && row.revoked === true) };
  };
  const found = await Promise.all([read("user"), read("project")]);
  return found.reduce(
    (one, other) => ({
      grants: [...one.grants, ...other.grants],
      taken: new Set([...one.taken, ...other.taken]),
      revoked: new Set([...one.revoked, ...other.revoked]),
    }),
    NOTHING,
  );
}

function isKept({ scope }: Grant): boolean {
  return scope !== "session";
}

function isTaken(row: unknown): boolean {
  return isRecord(row) && row.taken === true;
}
