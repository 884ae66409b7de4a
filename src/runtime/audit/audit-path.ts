import { join } from "node:path";
import { stateFolder, workspaceKey } from "../../config/layers/state-folder.ts";

/**
 * Where the log of a workspace lies: in the person's own state folder, where no tool that works in the workspace
 * reaches it and nobody commits it by mistake.
 */
export function auditPath(
  places: { readonly home: string; readonly env: Readonly<Record<string, string | undefined>> },
  workspace: string,
): string {
  return join(stateFolder(places), "audit", workspaceKey(workspace), "audit.jsonl");
}
