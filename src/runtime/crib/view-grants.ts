import type { Grant } from "../permissions/grant.ts";
import type { GrantStore } from "../permissions/grant-store.ts";

/**
 * What one client's session goes by: what was approved for that session alone, and what was approved for the project or
 * the person, by whichever client's call that came about.
 */
export function createViewGrants(shared: GrantStore): GrantStore {
  let own: readonly Grant[] = [];
  let known: { readonly own: readonly Grant[]; readonly shared: readonly Grant[]; readonly all: readonly Grant[] } = {
    ...{ own, shared: shared.grants },
    all: shared.grants,
  };
  return {
    get grants() {
      if (known.own !== own || known.shared !== shared.grants)
        known = { own, shared: shared.grants, all: [...own, ...shared.grants] };
      return known.all;
    },
    refresh: () => shared.refresh(),
    async add(grant) {
      if (grant.scope === "session") own = [...own, grant];
      else await shared.add(grant);
    },
    async revoke(id) {
      const left = own.filter((grant) => grant.id !== id);
      if (left.length === own.length) return shared.revoke(id);
      own = left;
      return true;
    },
  };
}
