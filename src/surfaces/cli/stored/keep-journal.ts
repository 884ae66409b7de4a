import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { openNewJournal, reopenJournal, type SessionJournal } from "../../../runtime/session/stored/session-journal.ts";
import type { CommandInput } from "../command-line/command.ts";
import { findWorkspaceStore, withOwnStore } from "./own-store.ts";

/** A journal in the store of the workspace: a new one, or that of the session with this id. */
export async function keepJournal(input: CommandInput, id: string | null): Promise<SessionJournal> {
  const kept = await findWorkspaceStore(input);
  const { value: url } = kept.setting.url;
  return id === null ? openNewJournal(kept.surroundings.newId(), url, "", kept) : reopenJournal(id, url, kept);
}

/** Where there is no SQLite, sessions end with their process. */
export async function canKeep(input: CommandInput): Promise<boolean> {
  try {
    await withOwnStore(input, async () => {});
    return true;
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    input.log.debug(`sessions are not kept: ${error.message}`);
    return false;
  }
}
