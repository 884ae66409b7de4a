import { type GrantStore, openGrants } from "../../runtime/permissions/grant-store.ts";
import { openShelfGrants } from "../../runtime/permissions/shelf-grants.ts";
import { createShelves } from "../../runtime/store/shelves.ts";
import type { CommandInput } from "./command.ts";
import { findKeptStore, hasStore, openKeptStore } from "./own-store.ts";

/** Works with the approvals that count in this workspace, in files or in the store, wherever each of them lies. */
export async function withGrants<T>(input: CommandInput, work: (grants: GrantStore) => Promise<T>): Promise<T> {
  const kept = await findKeptStore(input);
  const { home, workspace, surroundings } = kept;
  const place = { home, workspace, env: surroundings.env };
  if (!hasStore(kept)) return work(await openGrants(place));
  const { store, close } = await openKeptStore(kept);
  try {
    const shelves = createShelves(store, { person: "", project: workspace });
    // One that is away might have revoked any of them, so nobody is told that they count.
    await store.machines();
    return await work(await openShelfGrants(shelves, place, { now: Date.now, newOnes: "files" }));
  } finally {
    await close();
  }
}
