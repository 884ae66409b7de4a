import type { Config } from "../../config/config.ts";
import { isUntrusted } from "../../core/tool/tool.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { DoctorFinding } from "./finding.ts";

/** Without a lock nobody notices that a tool has changed. */
export function checkLock({ lock }: Config, { catalog }: Toolset): readonly DoctorFinding[] {
  if (lock === null || lock.lock !== null) return [];
  const tools = catalog.entries.filter(({ tool }) => isUntrusted(tool));
  if (tools.length === 0) return [];
  const names = [...new Set(tools.map(({ tool }) => tool.server ?? tool.owner?.name ?? ""))].sort();
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  return [
    {
      level: "info",
      code: "trust.no-lock",
      text: `nothing is pinned: ${count} of ${names.join(", ")} could change without anybody noticing`,
      names,
      origin: { kind: "file", file: lock.file, line: null },
      fix: "look at them, then run `toolcrib pin` to write toolcrib.lock",
    },
  ];
}
