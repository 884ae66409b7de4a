import type { AuditNote } from "../../../runtime/audit/audit-row.ts";
import type { GatheredPlace } from "../../../runtime/audit/gather.ts";
import type { Store } from "../../../runtime/store/store.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { WorkspaceStore } from "../stored/own-store.ts";

/** The log of a workspace in its store. */
export interface OwnGathered {
  readonly input: CommandInput;
  readonly kept: WorkspaceStore;
  readonly place: GatheredPlace & { readonly store: Store };
  /** The log of this machine. */
  readonly path: string;
}

/** Milliseconds; a first time there may be much. */
const GATHERED_WITHIN = 120_000;

/** Into the log of this machine, and from there at once to that of all. */
export async function noteHere(own: OwnGathered, note: AuditNote): Promise<void> {
  const { openPeopleLog } = await import("./people-log.ts");
  const audit = await openPeopleLog(own.input, own.kept);
  audit?.note(note);
  await audit?.close();
  await gatherHere(own);
}

export async function gatherHere({ input, place, path }: OwnGathered): Promise<void> {
  const { openGathering } = await import("../../../runtime/audit/gather.ts");
  const gathering = await openGathering({ path, place, onError: input.log.failed });
  await gathering.close(GATHERED_WITHIN);
}
