import type { Source } from "../../../sources/source.ts";
import type { EventStream } from "../api/event-stream.ts";
import type { InspectorPorts } from "../api/ports.ts";
import type { RunHistory } from "../runs/run-log.ts";
import type { CallHistory } from "../views/call-history.ts";

/** What is recorded of events. */
interface Histories {
  readonly calls: CallHistory;
  readonly runs: RunHistory;
}

/** Records calls and runs, and tells pages what to ask for again. Returns how to stop. */
export function followChanges(
  ports: InspectorPorts,
  { calls, runs }: Histories,
  tell: EventStream["tell"],
): () => void {
  const { crib, front, feed, own, questions, judged } = ports;
  const followed = new Map<Source, () => void>();
  const followSources = (): void => {
    const now = new Set(crib.sources);
    for (const [source, stop] of followed) {
      if (now.has(source)) continue;
      stop();
      followed.delete(source);
    }
    for (const source of now)
      if (!followed.has(source))
        followed.set(
          source,
          source.changes(() => tell("servers")),
        );
  };
  const stops = [
    crib.changes(() => {
      followSources();
      tell("overview", "toolset", "servers");
    }),
    crib.approvals.changes(() => tell("approvals", "runs")),
    questions?.changes(() => tell("approvals", "runs")),
    front.changes(() => tell("overview")),
    judged?.((row) => {
      calls.judged(row);
      tell("calls");
    }),
    own?.definitions.changes(() => tell("overview", "changes", "toolset")),
    feed.listen((teller, event) => {
      if (runs.record(teller, event)) tell("runs");
      if (event.type === "session.tools_updated") tell("overview", "toolset", "servers");
      else if (calls.record(teller, event)) tell("calls", "overview");
    }),
  ];
  followSources();
  return () => {
    for (const stop of [...stops, ...followed.values()]) stop?.();
    followed.clear();
  };
}
