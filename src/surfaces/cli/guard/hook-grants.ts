import type { GrantStore } from "../../../runtime/permissions/grant-store.ts";
import type { CommandInput } from "../command-line/command.ts";
import { hasStore, toWorkspaceStore } from "../stored/own-store.ts";
import { openWorkspaceGrants } from "../stored/workspace-grants.ts";
import type { HookPlace, HookPolicy } from "./hook-place.ts";
import { inPlace } from "./hook-policy.ts";

/** The approvals that count where clients work. */
export interface HookGrants {
  /** As they are at this moment. */
  of(place: HookPlace, policy: HookPolicy): Promise<GrantStore>;
  close(): Promise<void>;
}

/** One for each workspace and store, open until `close`: opening a store takes longer than judging. */
export function createHookGrants(input: CommandInput): HookGrants {
  const known = new Map<string, ReturnType<typeof openWorkspaceGrants>>();
  return {
    async of(place, policy) {
      const here = inPlace(input, place);
      const kept = toWorkspaceStore(here, policy);
      const key = JSON.stringify([policy.workspace, kept.setting.url.value, hasStore(kept)]);
      const found = known.get(key);
      if (found !== undefined) {
        const { grants } = await found;
        await grants.refresh(true);
        return grants;
      }
      const opening = openWorkspaceGrants(here, kept);
      known.set(key, opening);
      opening.catch(() => known.delete(key));
      return (await opening).grants;
    },
    async close() {
      const open = await Promise.all([...known.values()].map((opening) => opening.catch(() => null)));
      known.clear();
      await Promise.all(open.map((found) => found?.close()));
    },
  };
}
