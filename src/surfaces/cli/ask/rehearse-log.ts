import { resolve } from "node:path";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { loadSupposed, type Supposed } from "../../../config/load-supposed.ts";
import { toReadNote } from "../../../runtime/audit/audit-desk.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import type { AuditRow } from "../../../runtime/audit/audit-row.ts";
import { auditScope, isGathered } from "../../../runtime/audit/audit-scope.ts";
import { loadAuditSealer } from "../../../runtime/audit/kept-bodies.ts";
import { folderOfLists, readLists, sharedLists } from "../../../runtime/audit/kept-lists.ts";
import { readLogFiles, readLogStore } from "../../../runtime/rehearsal/log-rows.ts";
import { type Rehearsal, rehearse } from "../../../runtime/rehearsal/rehearse.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOverrides } from "../command-line/overrides.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { byHere } from "../people/by-here.ts";
import { noteHere, type OwnGathered } from "../people/gathered-log.ts";
import { findWorkspace } from "../running/find-running.ts";
import { settingPlaces } from "../running/work-place.ts";
import { findWorkspaceStore, hasStore, openWorkspaceStore } from "../stored/own-store.ts";
import { withGrants } from "../stored/workspace-grants.ts";
import { loadConfigured } from "./load-configured.ts";

/** A policy, and which part of which log it is tried on. */
export interface WantedRehearsal {
  readonly path: string;
  /** What is in no file. */
  readonly text?: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The log of this workspace if absent. */
  readonly log?: string | undefined;
  readonly signal: AbortSignal;
  /** Writes down first that bodies of these rows are opened; by the command line if absent. */
  readonly opens?: (rows: readonly AuditRow[]) => Promise<void>;
}

/** Tries a policy on the log of the workspace, that of all machines where there is a store. */
export async function rehearseLog(
  input: CommandInput,
  wanted: WantedRehearsal,
): Promise<{ readonly report: Rehearsal; readonly supposed: Supposed }> {
  const supposed = await loadSupposed(toConfigInput(input), wanted);
  return { supposed, report: await rehearseHere(input, supposed, wanted) };
}

async function rehearseHere(
  input: CommandInput,
  { now, next }: Supposed,
  { since, log: named, signal, opens }: WantedRehearsal,
): Promise<Rehearsal> {
  const { io, args } = input;
  const workspace = await findWorkspace(input);
  const places = settingPlaces(io);
  const { scene: base } = await loadConfigured(input, readOverrides(args));
  const path = named === undefined ? auditPath(places, workspace) : resolve(io.cwd, named);
  const kept = named === undefined && isGathered(now) ? await findWorkspaceStore(input) : null;
  return withGrants(input, async (grants) => {
    const place = { base, workspace, home: places.home, path: io.env.PATH ?? "", grants, now: Date.now };
    const run = (from: Pick<Parameters<typeof rehearse>[0], "rows" | "lists">): Promise<Rehearsal> =>
      rehearse({ now, next, place, signal, ...from });
    if (kept === null || !hasStore(kept))
      return run({
        rows: readLogFiles(path, since, signal),
        lists: await readLists({ folder: folderOfLists(path), values: null }),
      });
    const { store, close } = await openWorkspaceStore(kept);
    try {
      const gathered = { store, scope: auditScope(now, workspace) };
      const own = { input, kept, place: gathered, path };
      const sealer = await loadAuditSealer(now, stateFolder(places));
      return await run({
        rows: readLogStore({ place: gathered, path, since, sealer, opens: opens ?? noteOpening(own) }),
        lists: await readLists({ folder: folderOfLists(path), values: sharedLists(store, gathered.scope) }),
      });
    } finally {
      await close();
    }
  });
}

function noteOpening(own: OwnGathered) {
  const reader = { by: byHere(), principal: null };
  return (rows: readonly AuditRow[]): Promise<void> => noteHere(own, toReadNote(rows, reader, "tried a policy on"));
}
