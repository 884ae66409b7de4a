import type { Config } from "../../../config/config.ts";
import type { Entry } from "../../../core/catalog/entry.ts";
import { wordsOf } from "../../../core/search/parse-query.ts";
import type { SearchAnswer } from "../../../core/search/search-answer.ts";
import { SearchIndex } from "../../../core/search/search-index.ts";
import { MAX_LIMIT, searchTools } from "../../../core/search/search-tools.ts";
import { syncIndex, viewToolset } from "../../../core/search/toolset-view.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { toMissing, toSearchDocument } from "../../../runtime/report/search-document.ts";
import { toClientRow, toNoticeRow } from "../../../runtime/report/toolset-rows.ts";
import { toEmbedder } from "../../../runtime/session/search/configured-embedder.ts";
import { createRequestReader, type SearchStores } from "../../../runtime/session/search/search-stores.ts";
import { createSearchVectors } from "../../../runtime/session/search/search-vectors.ts";
import { shippedRequests } from "../../../system/shipped-requests.ts";
import { escapeLines, escapeText } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { parseCount } from "../command-line/number-options.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { ownSearchStores } from "../stored/own-search-stores.ts";
import { formatTable } from "../terminal/table.ts";
import { formatClient } from "./for-client.ts";
import { answer, loadQuestion } from "./load-question.ts";

/** `toolcrib search QUERY`: what `tool_search` would return in this scene. Status 1 when it finds nothing. */
export async function runSearch(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const [query = ""] = args.operands;
  const limit = parseCount("--limit", args.value("limit"), MAX_LIMIT);
  const question = await loadQuestion(input);
  const { toolset, notices } = answer(question, log);
  const index = new SearchIndex<Entry>();
  const stores = ownSearchStores(input, question.config);
  const written = await createRequestReader(stores.requests, Date.now, log.failed)();
  log.timed("the search index", () => syncIndex(index, toolset.catalog, shippedRequests(), written));
  const request = { query: toWireNames(query, toolset), limit, server: args.value("server"), task: args.value("task") };
  const similar = await findSimilar(input, question.config, toolset, stores, request);
  const context = { missing: toMissing(question.sources ?? []), hints: () => ({ similar }) };
  const found = searchTools(index, toolset, request, context);
  const told = { ...toClientRow(toolset), notices: notices.map(toNoticeRow) };
  printAnswer(
    input,
    { ...toSearchDocument(query, found), ...told },
    () => toIdentities(formatAnswer(found, io.columns), toolset) + formatClient(toolset),
  );
  if (!args.has("json")) log.notices(notices);
  return found.hits.length === 0 ? 1 : 0;
}

/** What the configured embedder finds near. Where it fails, that is told, and words alone decide. */
async function findSimilar(
  { io, args }: CommandInput,
  config: Config | undefined,
  toolset: Toolset,
  searchStores: SearchStores,
  request: { readonly query: string; readonly task: string | null },
): Promise<ReadonlyMap<Entry, number>> {
  if (config === undefined || args.has("no-start")) return new Map();
  const onError = (text: string, error: unknown): void =>
    io.err(`toolcrib: warning: ${text}: ${escapeText(whyFailed(error))}\n`);
  const vectors = createSearchVectors({ ...toEmbedder(undefined, searchStores, config), now: Date.now, onError });
  const entries = viewToolset(toolset).searchable.map(({ entry }) => entry);
  return vectors.similar(wordsOf(request), entries, new AbortController().signal);
}

/** `fetch` tells why only in what caused its error. */
function whyFailed(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** `select:` takes names as models know them; people may write any that works elsewhere. */
function toWireNames(query: string, { scene: { resolver } }: Toolset): string {
  const [, names] = /^select:(.*)$/s.exec(query) ?? [];
  if (names === undefined) return query;
  const known = names.split(",").map((name) => {
    const found = resolver.resolve(name.trim());
    const [entry, ...others] = found.kind === "found" ? found.meaning.entries : [];
    return entry === undefined || others.length > 0 ? name : entry.wireName;
  });
  return `select:${known.join(",")}`;
}

/** Names in quotes stand in what a model would read, spelled for it. */
function toIdentities(text: string, { catalog }: Toolset): string {
  return text.replace(/"([^"\s]+)"/g, (whole, name: string) => {
    const entry = catalog.entries.find(({ wireName }) => wireName === name);
    return entry === undefined ? whole : JSON.stringify(entry.identity);
  });
}

/** How a model gets the rest; a person has another way. */
const FOR_THE_MODEL = /^\d+ more match: /;

function formatAnswer({ hits, total, cursor, text }: SearchAnswer, columns: number | null): string {
  if (hits.length === 0) return `${escapeLines(text)}\n`;
  const rows = hits.map(({ entry: { identity, tool }, standing }) => [
    escapeText(identity),
    standing,
    escapeText(tool.description.split("\n", 1)[0] ?? ""),
  ]);
  const table = formatTable(
    [{ heading: "TOOL" }, { heading: "STANDING", drops: true }, { heading: "DESCRIPTION", shrinks: true }],
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
