import { resolve } from "node:path";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { loadSupposed, type Supposed } from "../../../config/load-supposed.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import { auditScope, isGathered } from "../../../runtime/audit/audit-scope.ts";
import { loadAuditSealer } from "../../../runtime/audit/kept-bodies.ts";
import { folderOfLists, readLists, sharedLists } from "../../../runtime/audit/kept-lists.ts";
import { readLogFiles, readLogStore } from "../../../runtime/rehearsal/log-rows.ts";
import { type Rehearsal, rehearse, takesAway } from "../../../runtime/rehearsal/rehearse.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOverrides } from "../command-line/overrides.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { findWorkspace } from "../running/find-running.ts";
import { settingPlaces } from "../running/work-place.ts";
import { sinceOf } from "../stored/audit-command.ts";
import { findWorkspaceStore, hasStore, openWorkspaceStore } from "../stored/own-store.ts";
import { withGrants } from "../stored/workspace-grants.ts";
import { loadConfigured } from "./load-configured.ts";
import { formatRehearsal } from "./rehearsal-text.ts";

/** `toolcrib rehearse --policy FILE`: calls of the log under a policy that nobody uses yet. Status 0: nobody loses anything. */
export async function runRehearse(input: CommandInput): Promise<number> {
  const { args } = input;
  const policy = args.value("policy");
  if (policy === null) throw usage("rehearse needs --policy FILE: the configuration that is to be tried");
  const supposed = await loadSupposed(toConfigInput(input), { path: policy });
  input.log.notices(supposed.next.notices);
  const since = sinceOf(input) ?? 0;
  const report = await rehearseHere(input, supposed, since);
  printAnswer(input, { policy, replaces: supposed.replaces, ...report }, () =>
    formatRehearsal(report, { policy, replaces: supposed.replaces, since: args.value("since") }, input.io),
  );
  return takesAway(report) ? 1 : 0;
}

async function rehearseHere(input: CommandInput, { now, next }: Supposed, since: number): Promise<Rehearsal> {
  const { io, args } = input;
  const workspace = await findWorkspace(input);
  const places = settingPlaces(io);
  const { scene: base } = await loadConfigured(input, readOverrides(args));
  const [named] = args.operands;
  const path = named === undefined ? auditPath(places, workspace) : resolve(io.cwd, named);
  const stop = new AbortController();
  const { signal } = stop;
  io.onInterrupt(async () => stop.abort());
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
      const sealer = await loadAuditSealer(now, stateFolder(places));
      return await run({
        rows: readLogStore({ place: gathered, path, since, sealer }),
        lists: await readLists({ folder: folderOfLists(path), values: sharedLists(store, gathered.scope) }),
      });
    } finally {
      await close();
    }
  });
}
