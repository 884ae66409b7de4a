import type { Shelves } from "../store/shelves.ts";
import type { Shelf } from "../store/store.ts";
import type { Grant } from "./grant.ts";
import { createMemoryGrants, type GrantStore, readGrant, toRow } from "./grant-store.ts";

/** Milliseconds for which what was read counts before somebody else's changes are looked for. */
const FRESH = 1_000;

/** Grants on shelves of a store, so that they count on every machine; those in files are taken over once (S8). */
export async function openShelfGrants(
  shelves: Shelves,
  older: () => Promise<readonly Grant[]>,
  now: () => number,
): Promise<GrantStore> {
  const memory = createMemoryGrants();
  const shelfOf = ({ scope }: Pick<Grant, "scope">): Shelf =>
    scope === "user" ? shelves.ofPerson("grants") : shelves.ofProject("grants");
  const put = (grant: Grant): Promise<void> => shelfOf(grant).change(grant.id, () => toRow(grant));
  let kept: readonly Grant[] = [];
  let all: readonly Grant[] = [];
  let readAt = now();
  const settle = (): void => {
    all = [...memory.grants, ...kept];
  };
  const load = async (): Promise<void> => {
    readAt = now();
    const found = await Promise.all(
      (["user", "project"] as const).map(async (scope) =>
        [...(await shelfOf({ scope }).entries()).values()].flatMap(readGrant).filter((grant) => grant.scope === scope),
      ),
    );
    const next = found.flat();
    if (JSON.stringify(next) === JSON.stringify(kept)) return;
    kept = next;
    settle();
  };
  await shelves.takeOverOnce("grants", async () => {
    for (const grant of await older()) if (grant.scope !== "session") await put(grant);
  });
  await load();
  return {
    get grants() {
      return all;
    },
    async refresh() {
      if (now() - readAt >= FRESH) await load();
    },
    async add(grant) {
      if (grant.scope === "session") {
        await memory.add(grant);
        settle();
        return;
      }
      await put(grant);
      await load();
    },
    async revoke(id) {
      const found = all.find((grant) => grant.id === id);
      if (found === undefined) return false;
      if (await memory.revoke(id)) settle();
      else {
        await shelfOf(found).change(id, () => undefined);
        await load();
      }
      return true;
    },
  };
}
