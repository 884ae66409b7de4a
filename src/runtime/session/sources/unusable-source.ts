import type { SourceKind } from "../../../core/tool/source-kinds.ts";
import type { Source, SourceStatus } from "../../../sources/source.ts";

/** Stands in for a source whose entry cannot be used, so that one mistake costs only that source (C4). */
export function createUnusableSource(
  kind: SourceKind,
  name: string,
  reason: string,
  next = "Correct its entry in the configuration.",
): Source {
  const status: SourceStatus = { state: "failed", reason, next, stderr: null };
  return {
    kind,
    name,
    status,
    list: async () => [],
    run: async () => {
      throw new Error(`${name} lists no tool that could be run`);
    },
    changes: () => () => {},
    close: async () => {},
  };
}
