import type { Grant } from "../permissions/grant.ts";
import { type GrantStore, readGrant, toGrantRow } from "../permissions/grant-store.ts";
import type { KeyValues } from "../store/store.ts";

/**
 * The grants of one client's session: those for that session alone, and those for the project or the person, whichever
 * client's call led to them. Those for the session are in `values`, so that other machines can serve it too.
 */
export async function createViewGrants(shared: GrantStore, values: KeyValues | null): Promise<GrantStore> {
  let own: readonly Grant[] = [];
  let known: { readonly own: readonly Grant[]; readonly shared: readonly Grant[]; readonly all: readonly Grant[] } = {
    ...{ own, shared: shared.grants },
    all: shared.grants,
  };
  /**
   * If the store is unreachable, the known grants still count: they can only be fewer than what other machines know.
   */
  const load = async (): Promise<void> => {
    const rows = await values?.entries().catch(() => null);
    if (rows) own = [...rows.values()].flatMap(readOwn);
  };
  await load();
  return {
    get grants() {
      if (known.own !== own || known.shared !== shared.grants)
        known = { own, shared: shared.grants, all: [...own, ...shared.grants] };
      return known.all;
    },
    async refresh(isDue = false) {
      if (isDue) await load();
      await shared.refresh(isDue);
    },
    async add(grant) {
      if (grant.scope !== "session") return shared.add(grant);
      own = [...own, grant];
      await values?.change(grant.id, () => toGrantRow(grant)).catch(() => {}); // It counts here all the same.
    },
    async revoke(id) {
      const left = own.filter((grant) => grant.id !== id);
      if (left.length === own.length) return shared.revoke(id);
      own = left;
      await values?.change(id, () => undefined);
      return true;
    },
  };
}

function readOwn(row: unknown): readonly Grant[] {
  const asStored = typeof row === "object" && row !== null ? { ...row, scope: "user" } : row;
  return readGrant(asStored).map((grant) => ({ ...grant, scope: "session" as const }));
}
