import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { findFiles } from "../../config/layers/find-files.ts";
import { fileReaders } from "../../config/layers/readers.ts";
import { stateFolder, workspaceKey } from "../../config/layers/state-folder.ts";

export interface AuditPlace {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The path of a workspace's log: in the person's own state folder, where no tool that works in the workspace reaches it
 * and nobody commits it by mistake.
 */
export function auditPath(places: AuditPlace, workspace: string): string {
  return join(stateFolder(places), "audit", workspaceKey(workspace), "audit.jsonl");
}

/** The path for the workspace that contains a folder. */
export async function findAuditPath(place: AuditPlace & { readonly cwd: string }): Promise<string> {
  return auditPath(place, await findAuditWorkspace(place));
}

export async function findAuditWorkspace({ cwd, home, env }: AuditPlace & { readonly cwd: string }): Promise<string> {
  const { workspace } = await findFiles({ cwd, home, env, named: null, systemPolicy: "" }, fileReaders);
  return realpath(workspace).catch(() => workspace);
}
