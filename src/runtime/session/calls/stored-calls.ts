import { hash } from "node:crypto";
import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { ExecutorPorts } from "../../executor/ports.ts";
import type { Grant } from "../../permissions/grant.ts";
import type { GrantStore } from "../../permissions/grant-store.ts";
import type { Recorder } from "../../store/recorder.ts";
import type { SessionJournal } from "../stored/session-journal.ts";
import type { CallSetting } from "./call-setting.ts";
import type { StoredResults } from "./spill.ts";

/**
 * A call runs only once its start is stored by the one process that holds the session (S2, S3), and once the others who
 * have to know of it do. A call that only asks somebody waits for nothing: its question is shown once it is stored itself,
 * behind everything before it.
 */
export function createStartCheck(
  recorder: Recorder | undefined,
  others?: CallSetting["beforeRun"],
): NonNullable<ExecutorPorts["beforeRun"]> {
  if (recorder === undefined) return others ?? (() => null);
  return ({ source, tool }) =>
    others === undefined && source.onlyAsks?.(tool) && recorder.mayStart() ? null : waitUntilStored(recorder, others);
}

async function waitUntilStored(
  recorder: Recorder,
  others: CallSetting["beforeRun"] = () => null,
): Promise<ToolResult | null> {
  try {
    await recorder.stored();
  } catch (error) {
    return notRun(error instanceof Error ? error.message : String(error));
  }
  return recorder.mayStart() ? others() : notRun("this process may no longer hold the session");
}

function notRun(why: string): ToolResult {
  return {
    textResultForLlm: "The call did not run, because the session could not be stored. Nothing was changed.",
    resultType: "failure",
    error: `the call did not run: ${why}`,
  };
}

/** Long results are values of the journal: they are read again after a restart, and deleted with the session (S10). */
export function createStoredResults(
  journal: SessionJournal | undefined,
  emit: Emitter["emit"],
): StoredResults | undefined {
  if (journal === undefined) return undefined;
  const { recorder, loadPart } = journal;
  const earlier = new Set(journal.state.results);
  return {
    keep(toolCallId, text) {
      const id = hash("sha256", text);
      recorder.keep(new Map([[id, text]]));
      if (!earlier.has(id)) emit("tool.result_kept", { toolCallId, id });
      earlier.add(id);
      return id;
    },
    read: async (id) => (earlier.has(id) ? loadPart(id) : null),
  };
}

/** Approvals for this session are part of its journal, so that they count again when it is resumed. */
export async function tellGrants(
  grants: GrantStore,
  journal: SessionJournal | undefined,
  emit: Emitter["emit"],
): Promise<GrantStore> {
  if (journal === undefined) return grants;
  const own = new Set<string>();
  for (const grant of journal.state.grants.values()) {
    own.add(grant.id);
    await grants.add({ ...grant, scope: "session" });
  }
  return {
    get grants() {
      return grants.grants;
    },
    refresh: (isDue) => grants.refresh(isDue),
    async add(grant: Grant) {
      await grants.add(grant);
      if (grant.scope !== "session") return;
      own.add(grant.id);
      const { scope: _, ...kept } = grant;
      emit("permission.granted", { grant: kept });
    },
    async revoke(id) {
      const found = await grants.revoke(id);
      if (found && own.delete(id)) emit("permission.revoked", { grantId: id });
      return found;
    },
  };
}
