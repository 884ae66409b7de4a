import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { stateFolder } from "../../config/layers/state-folder.ts";

/**
 * Where the log of a workspace lies: in the person's own state folder, where no tool that works in the workspace
 * reaches it and nobody commits it by mistake.
 */
export function auditPath(
  places: { readonly home: string; readonly env: Readonly<Record<string, string | undefined>> },
  workspace: string,
): string {
  const name = basename(workspace).replace(/[^\w.-]+/g, "_") || "root";
  const digest = createHash("sha256").update(workspace).digest("hex").slice(0, 8);
  return join(stateFolder(places), "audit", `${name}-${digest}`, "audit.jsonl");
}
