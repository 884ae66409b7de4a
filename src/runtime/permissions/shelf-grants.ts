import { existsSync } from "node:fs";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Shelves } from "../store/shelves.ts";
import type { Shelf } from "../store/store.ts";
import type { Grant } from "./grant.ts";
import {
  createMemoryGrants,
  type GrantPlace,
  type GrantStore,
  grantFiles,
  openGrants,
  readGrant,
  toRow,
} from "./grant-store.ts";

/** Milliseconds for which what was read counts before somebody else's changes are looked for. */
const FRESH = 1_000;

/** What stands on the shelves. */
interface Shelved {
  readonly grants: readonly Grant[];
  /** Ids of those that came from files. */
  readonly taken: ReadonlySet<string>;
  /** Ids of those that do not count, whatever a file says. */
  readonly revoked: ReadonlySet<string>;
}

const NOTHING: Shelved = { grants: [], taken: new Set(), revoked: new Set() };

export interface ShelfGrantsOptions {
  readonly now: () => number;
  /** Where new ones go: files, where only this machine uses the store, and other workspaces the files. */
  readonly newOnes: "shelf" | "files";
}

/**
 * Grants on shelves of a store, so that they count on every machine. Those in the files of `place` count beside them, and
 * are taken over once (S8); null where the files are somebody else's. While the store is away none of them counts.
 */
export async function openShelfGrants(
  shelves: Shelves,
  place: GrantPlace | null,
  { now, newOnes }: ShelfGrantsOptions,
): Promise<GrantStore> {
  const memory = createMemoryGrants();
  const files = place === null ? null : await openGrants(place);
  const inFiles = (): readonly Grant[] => (files === null ? [] : files.grants.filter(isKept));
  const shelfOf = ({ scope }: Pick<Grant, "scope">): Shelf =>
    scope === "user" ? shelves.ofPerson("grants") : shelves.ofProject("grants");
  let kept: readonly Grant[] = [];
  let all: readonly Grant[] = [];
  /** Null while the store is away. */
  let shelved: Shelved | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  const settle = (next: readonly Grant[]): void => {
    if (JSON.stringify(next) !== JSON.stringify(kept)) kept = next;
    all = [...memory.grants, ...kept];
  };
  const takeOver = (): Promise<void> =>
    shelves.takeOverOnce("grants", async () => {
      for (const grant of inFiles()) await shelfOf(grant).change(grant.id, () => ({ ...toRow(grant), taken: true }));
    });
  const joinFiles = async (): Promise<void> => {
    await files?.refresh();
    const hasFile = place !== null && existsSync(grantFiles(place).user);
    // What might have been revoked meanwhile allows nothing.
    settle(shelved === null ? [] : join(shelved, inFiles(), hasFile));
  };
  const load = async (): Promise<void> => {
    readAt = now();
    try {
      await files?.refresh();
      await takeOver();
      shelved = await readShelves(shelfOf);
    } catch (error) {
      shelved = null;
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
      // What was revoked in a file of this machine counts no more from the next call on.
      await (isDue || now() - readAt >= FRESH ? load() : joinFiles());
    },
    async add(grant) {
      if (isKept(grant)) {
        if (newOnes === "files" && files !== null) await files.add(grant);
        else await shelfOf(grant).change(grant.id, () => toRow(grant));
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
        await shelfOf(found).change(id, (row) => (isTaken(row) ? { revoked: true } : undefined));
        await files?.revoke(id);
        await load();
      }
      return true;
    },
  };
}

/** One that was taken over counts as long as its file has it, or there is no file any more. */
function join({ grants, taken, revoked }: Shelved, inFiles: readonly Grant[], hasFile: boolean): readonly Grant[] {
  const filed = new Set(inFiles.map(({ id }) => id));
  const shelved = grants.filter(({ id }) => !taken.has(id) || !hasFile || filed.has(id));
  const known = new Set(grants.map(({ id }) => id));
  return [...shelved, ...inFiles.filter(({ id }) => !known.has(id) && !revoked.has(id))];
}

async function readShelves(shelfOf: (of: Pick<Grant, "scope">) => Shelf): Promise<Shelved> {
  const read = async (scope: "user" | "project"): Promise<Shelved> => {
    const rows = [...(await shelfOf({ scope }).entries())];
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
