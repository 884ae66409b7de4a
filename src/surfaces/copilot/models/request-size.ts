import { guessTokens } from "../../../core/agent/compaction.ts";
import type { HistoryMessage } from "../../../core/call/message.ts";

/** What the last request of a session was made of. */
export interface RequestParts {
  /** Characters of the system text. */
  readonly system: number;
  readonly tools: unknown;
  readonly history: readonly HistoryMessage[];
}

/** Characters of a request, for estimates. Few ask, so that nobody else pays for counting. */
export function sizeOf(parts: RequestParts | null): {
  readonly system: number;
  readonly overhead: number;
  readonly all: number;
} {
  if (parts === null) return { system: 0, overhead: 0, all: 0 };
  const { system, tools, history } = parts;
  const overhead = system + JSON.stringify(tools).length;
  return { system, overhead, all: overhead + guessTokens(history) * 4 };
}
