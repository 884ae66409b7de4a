import type { MissingSource, SearchAnswer } from "../../core/search/search-answer.ts";
import type { Placement } from "../../core/toolset/toolset.ts";
import type { SourceReport } from "./source-report.ts";

/** The document of `search --json`, without notices. */
export function toSearchDocument(query: string, answer: SearchAnswer) {
  const { hits, total, cursor, promoted, unknown, nearest, missing, text } = answer;
  return {
    query,
    tools: hits.map(toRow),
    total,
    more: cursor !== null,
    promoted: {
      catalogHash: promoted.catalogHash,
      names: promoted.names,
      signatures: Object.fromEntries(promoted.signatures),
    },
    unknown,
    nearest,
    missing,
    text,
  };
}

/** The sources whose tools a search cannot find because they are not listed. */
export function toMissing(sources: readonly SourceReport[]): readonly MissingSource[] {
  return sources.flatMap(({ name, state, reason }): readonly MissingSource[] => {
    if (state === "starting") return [{ name, state, reason }];
    return state === "failed" || state === "needs-auth" ? [{ name, state: "failed", reason }] : [];
  });
}

function toRow({ entry: { wireName, id, tool }, standing }: Placement) {
  return {
    name: wireName,
    id,
    source: tool.source,
    server: tool.server,
    standing,
    description: tool.description,
    inputSchema: tool.inputSchema ?? { type: "object", properties: {} },
  };
}
