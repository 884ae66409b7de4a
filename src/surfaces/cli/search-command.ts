import type { Entry } from "../../core/catalog/entry.ts";
import { SearchIndex } from "../../core/search/search-index.ts";
import { MAX_LIMIT, type MissingSource, type SearchAnswer, searchTools } from "../../core/search/search-tools.ts";
import { syncIndex } from "../../core/search/toolset-view.ts";
import type { Placement } from "../../core/toolset/toolset.ts";
import type { SourceReport } from "../../runtime/session/source-report.ts";
import type { CommandInput } from "./command.ts";
import { escapeText, toJson } from "./escape-text.ts";
import { answer, loadQuestion } from "./load-question.ts";
import { parseCount } from "./parse-count.ts";
import { formatTable } from "./table.ts";
import { toNoticeRow } from "./toolset-json.ts";

/** `toolcrib search QUERY`: what `tool_search` would return in this scene. Status 1 when it finds nothing. */
export async function runSearch(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const [query = ""] = args.operands;
  const limit = parseCount("--limit", args.value("limit"), MAX_LIMIT);
  const question = await loadQuestion(input);
  const { toolset, notices } = answer(question, log);
  const index = new SearchIndex<Entry>();
  log.timed("the search index", () => syncIndex(index, toolset.catalog));
  const request = { query, limit, server: args.value("server"), task: args.value("task") };
  const found = searchTools(index, toolset, request, { missing: toMissing(question.sources ?? []) });
  if (args.has("json")) {
    const document = { query, ...toDocument(found), notices: notices.map(toNoticeRow) };
    io.out(toJson(document, io.isTTY));
  } else {
    io.out(formatAnswer(found, io.columns ?? 100));
    log.notices(notices);
  }
  return found.hits.length === 0 ? 1 : 0;
}

function toMissing(sources: readonly SourceReport[]): readonly MissingSource[] {
  return sources.flatMap(({ name, state, reason }): readonly MissingSource[] => {
    if (state === "starting") return [{ name, state, reason }];
    return state === "failed" || state === "needs-auth" ? [{ name, state: "failed", reason }] : [];
  });
}

function toDocument({ hits, total, cursor, promoted, unknown, nearest, missing, text }: SearchAnswer): object {
  return {
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

function toRow({ entry: { wireName, id, tool }, standing }: Placement): object {
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

function formatAnswer({ hits, total, cursor, text }: SearchAnswer, columns: number): string {
  if (hits.length === 0) return `${text.split("\n").map(escapeText).join("\n")}\n`;
  const rows = hits.map(({ entry: { wireName, tool }, standing }) => [
    escapeText(wireName),
    standing,
    escapeText(tool.description.split("\n", 1)[0] ?? ""),
  ]);
  const table = formatTable(
    [{ heading: "TOOL", shrinks: true }, { heading: "STANDING" }, { heading: "DESCRIPTION", shrinks: true }],
    rows,
    columns,
  );
  const rest = text
    .split("\n")
    .slice(hits.length + 1)
    .map(escapeText);
  const sum = cursor === null ? [] : [`${hits.length} of ${total}`];
  return `${[...table, "", ...sum, ...rest].join("\n").trimEnd()}\n`;
}
