import type { SourceKind } from "../../../core/tool/source-kinds.ts";
import type { Source, SourceState, SourceStatus } from "../../../sources/source.ts";

/** Stands in for a source whose entry cannot be used, so that one mistake costs only that source (C4). */
export function createUnusableSource(
  kind: SourceKind,
  name: string,
  reason: string,
  next: string | null = "Correct its entry in the configuration.",
  state: SourceState = "failed",
): Source {
  const status: SourceStatus = { state, reason, next, stderr: null };
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
