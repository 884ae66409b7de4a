/** One statement of a query, and its first word in capitals. */
export interface SqlStatement {
  readonly text: string;
  readonly verb: string;
}

/** First words of allowed statements: about tables and rows. None that opens files, loads code or changes settings. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...["SELECT", "WITH", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER"],
]);
/** What CREATE may make: no engine module (VIRTUAL), and no code that runs later (TRIGGER). */
const CREATED: ReadonlySet<string> = new Set(["TABLE", "INDEX", "UNIQUE", "VIEW", "TEMP", "TEMPORARY"]);

const MOST_STATEMENTS = 50;

/** The statements of a query, or why they are refused. Whatever the scanner does not know is refused. */
export function splitStatements(query: string): readonly SqlStatement[] | { readonly refused: string } {
  if (query.includes("\0")) return { refused: "the query holds a NUL character" };
  const statements: SqlStatement[] = [];
  let [text, words] = ["", [] as string[]];
  const end = (): string | null => {
    const why = text.trim() === "" ? null : whyRefused(words);
    if (why === null && words.length > 0) statements.push({ text, verb: words[0] ?? "" });
    [text, words] = ["", []];
    return why;
  };
  for (const [token] of query.matchAll(TOKEN)) {
    if (token === ";") {
      const why = end();
      if (why !== null) return { refused: why };
      continue;
    }
    // A comment becomes a space, so that the engine reads exactly the words that were checked here.
    const isComment = token.startsWith("--") || token.startsWith("/*");
    text += isComment ? " " : token;
    if (!isComment && token.trim() !== "") words.push(token.toUpperCase());
  }
  const why = end();
  if (why !== null) return { refused: why };
  if (statements.length > MOST_STATEMENTS) return { refused: `more than ${MOST_STATEMENTS} statements in one query` };
  return statements;
}

/** Comments, strings, quoted names (closed or to the end), words, spaces, and single characters. */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|[A-Za-z_][\w$]*|[ \t\n\f\r]+|[\s\S]/g;

function whyRefused([verb = "", ...rest]: readonly string[]): string | null {
  if (!ALLOWED.has(verb))
    return `a statement may not begin with ${verb.slice(0, 40)}; there are ${[...ALLOWED].join(", ")}`;
  if (verb === "CREATE" && !CREATED.has(rest[0] ?? ""))
    return "CREATE makes tables, indexes and views, and nothing else";
  if (verb === "CREATE" && /^TEMP/.test(rest[0] ?? "") && !CREATED.has(rest[1] ?? ""))
    return "CREATE makes tables, indexes and views, and nothing else";
  return FORBIDDEN.find((word) => [verb, ...rest].includes(word)) === undefined
    ? null
    : "load_extension and settings of the engine are out of reach";
}

const FORBIDDEN = ["LOAD_EXTENSION", "PRAGMA", "ATTACH", "VACUUM"];
