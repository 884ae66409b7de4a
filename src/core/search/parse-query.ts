/** A parsed `tool_search` query (D4). */
export type ParsedQuery =
  | { readonly kind: "select"; readonly names: readonly string[] }
  | { readonly kind: "regex"; readonly pattern: string }
  | {
      readonly kind: "words";
      /** The query without its marks, which may be one exact name. */
      readonly text: string;
      /** In lower case; the name must contain each. */
      readonly required: readonly string[];
    };

const MAX_QUERY = 4_000;
const SELECT = /^select\s*:/i;
/** The whole query between slashes. Case is always ignored, so flags change nothing. */
const REGEX = /^\/(.+)\/[a-z]{0,6}$/s;
const MAX_REQUIRED = 16;

export function parseQuery(query: string): ParsedQuery {
  const text = query.trim();
  const select = SELECT.exec(text);
  if (select !== null) return { kind: "select", names: splitNames(text.slice(select[0].length)) };
  const [, pattern] = REGEX.exec(text) ?? [];
  if (pattern !== undefined) return { kind: "regex", pattern };
  return parseWords(text.slice(0, MAX_QUERY));
}

function splitNames(list: string): readonly string[] {
  const names = list.split(",").map((name) => name.trim().replace(/^["'`]|["'`]$/g, ""));
  return [...new Set(names.filter((name) => name !== ""))];
}

function parseWords(text: string): ParsedQuery {
  const required: string[] = [];
  const parts = text.split(/\s+/).map((part) => {
    if (!/^\+[^+\s]/.test(part)) return part;
    required.push(part.slice(1).toLowerCase());
    return part.slice(1);
  });
  return { kind: "words", text: parts.join(" "), required: required.slice(0, MAX_REQUIRED) };
}

/** The words to search by; empty if the query is not made of words. */
export function wordsOf({ query, task }: { readonly query: string; readonly task: string | null }): string {
  if (parseQuery(query).kind !== "words") return "";
  return task === null ? query : `${query}. ${task}`;
}
