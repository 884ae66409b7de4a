import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { type AuditLog, openAuditLog } from "../../../runtime/audit/audit-log.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import type { CommandInput } from "../command-line/command.ts";
import { toldOf } from "../stored/own-audit.ts";
import type { WorkspaceStore } from "../stored/own-store.ts";

/** The workspace's log, which a Toolcrib that runs here writes too. Without it nothing changes where it is required. */
export async function openPeopleLog(
  input: CommandInput,
  { home, workspace, config }: WorkspaceStore,
): Promise<AuditLog | null> {
  const path = auditPath({ home, env: input.io.env }, workspace);
  const told = toldOf(input);
  const isRequired = config.policy.audit.value === "required";
  try {
    const audit = await openAuditLog({ path, isRequired, ...told });
    audit.hide(config);
    if (!isRequired || (await audit.writeStarted())) return audit;
    await audit.close();
  } catch (error) {
    if (!isRequired) {
      told.onError("the log of calls cannot be opened, so that no row says what happens now", error);
      return null;
    }
  }
  const text = `policy requires the log of calls, and ${path} cannot be written, so that nothing was changed`;
  throw new ToolcribError("file.not-written", text, { names: [path] });
}
