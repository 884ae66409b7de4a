import { fileReaders, type Readers } from "../../../config/layers/readers.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { type GrantStore, openGrants } from "../../../runtime/permissions/grant-store.ts";
import { openStoredGrants } from "../../../runtime/permissions/stored-grants.ts";
import { createScopedValues } from "../../../runtime/store/scoped-values.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { findWorkspace } from "../running/find-running.ts";
import { settingPlaces } from "../running/work-place.ts";
import { findWorkspaceStore, hasStore, openWorkspaceStore, type WorkspaceStore } from "./own-store.ts";

/** Works with the approvals that count in this workspace, in files or in the store, wherever each of them lies. */
export async function withGrants<T>(input: CommandInput, work: (grants: GrantStore) => Promise<T>): Promise<T> {
  const { grants, close } = await openWorkspaceGrants(input, await findReadable(input));
  try {
    return await work(grants);
  } finally {
    await close();
  }
}

interface OpenGrants {
  readonly grants: GrantStore;
  readonly close: () => Promise<void>;
}

/** @param kept null: which store it is cannot be known, so that files alone count */
export async function openWorkspaceGrants(
  input: CommandInput,
  kept: WorkspaceStore | null,
  readers: Readers = fileReaders,
): Promise<OpenGrants> {
  const workspace = kept?.workspace ?? (await findWorkspace(input));
  const place = { ...settingPlaces(input.io), workspace, readers };
  if (kept === null || !hasStore(kept)) return { grants: await openGrants(place), close: async () => {} };
  const { store, close } = await openWorkspaceStore(kept);
  try {
    const values = createScopedValues(store, { person: "", project: workspace });
    // One that is away might have revoked any of them, so nobody is told that they count.
    await store.machines();
    return { grants: await openStoredGrants(values, place, { now: Date.now, newOnes: "files" }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Null, and said so, where a mistake in the configuration hides which store it is. */
async function findReadable(input: CommandInput): Promise<WorkspaceStore | null> {
  try {
    return await findWorkspaceStore(input);
  } catch (error) {
    if (!isToolcribError(error) || !error.code.startsWith("config.")) throw error;
    input.io.err(`approvals in a store are left out: ${escapeText(error.message)}\n`);
    return null;
  }
}
