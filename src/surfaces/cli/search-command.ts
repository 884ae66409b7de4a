import type { Entry } from "../../core/catalog/entry.ts";
import { SearchIndex } from "../../core/search/search-index.ts";
import { MAX_LIMIT, type SearchAnswer, searchTools } from "../../core/search/search-tools.ts";
import { syncIndex } from "../../core/search/toolset-view.ts";
import { toMissing, toSearchDocument } from "../../runtime/report/search-document.ts";
import { toNoticeRow } from "../../runtime/report/toolset-rows.ts";
import type { CommandInput } from "./command.ts";
import { escapeText, toJson } from "./escape-text.ts";
import { answer, loadQuestion } from "./load-question.ts";
import { parseCount } from "./parse-count.ts";
import { formatTable } from "./table.ts";

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
    const document = { ...toSearchDocument(query, found), notices: notices.map(toNoticeRow) };
    io.out(toJson(document, io.isTTY));
  } else {
    io.out(formatAnswer(found, io.columns));
    log.notices(notices);
  }
  return found.hits.length === 0 ? 1 : 0;
}

/** How a model gets the rest; a person has another way. */
const FOR_THE_MODEL = /^\d+ more match: /;

function formatAnswer({ hits, total, cursor, text }: SearchAnswer, columns: number | null): string {
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
    .filter((line) => !FOR_THE_MODEL.test(line))
    .map(escapeText);
  const next = hits.length < MAX_LIMIT ? "; --limit shows more" : "";
  const sum = cursor === null ? [] : [`${hits.length} of ${total}${next}`];
  return `${[...table, "", ...sum, ...rest].join("\n").trimEnd()}\n`;
}
