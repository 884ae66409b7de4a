import type { Recorder } from "./recorder.ts";

/**
 * A subagent writes nothing itself: its session tells its root of every event, and the root's recorder stores it. So what
 * the subagent starts waits until that is stored, like everything else of the root (S2).
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
