import type { Grant } from "../permissions/grant.ts";
import { type GrantStore, readGrant, toRow } from "../permissions/grant-store.ts";
import type { KeyValues } from "../store/store.ts";

/**
 * What one client's session goes by: what was approved for that session alone, and what was approved for the project or
 * the person, by whichever client's call that came about. What is for the session is in `values`, where other machines
 * serve it too.
 */
export async function createViewGrants(shared: GrantStore, values: KeyValues | null): Promise<GrantStore> {
  let own: readonly Grant[] = [];
  let known: { readonly own: readonly Grant[]; readonly shared: readonly Grant[]; readonly all: readonly Grant[] } = {
    ...{ own, shared: shared.grants },
    all: shared.grants,
  };
  /** Without the store what is known counts on: it can only be less than what other machines know. */
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
      await values?.change(grant.id, () => toRow(grant)).catch(() => {}); // It counts here all the same.
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
  const asKept = typeof row === "object" && row !== null ? { ...row, scope: "user" } : row;
  return readGrant(asKept).map((grant) => ({ ...grant, scope: "session" as const }));
}
