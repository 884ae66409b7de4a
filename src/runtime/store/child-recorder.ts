import type { Recorder } from "./recorder.ts";

/**
 * A subagent stores nothing itself: its session reports every event to its root, whose recorder stores it. What the
 * subagent starts waits until then, like everything else in the root (S2).
 */
export function toChildRecorder({ keep, stored, mayStart, fenced }: Recorder): Recorder {
  return {
    end: { seq: 0, last: null },
    record: () => {},
    onStored: (listener) => listener(Number.POSITIVE_INFINITY),
    keep,
    stored,
    mayStart,
    fenced,
    close: async () => {},
  };
}
