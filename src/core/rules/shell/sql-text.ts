/** Database clients: how their own commands are written, and where files may appear in queries. */
export const CLIENTS = ["psql", "mysql", "sqlite", "duckdb"] as const;
type Client = (typeof CLIENTS)[number];

export function isSql(language: string | null): boolean {
  return CLIENTS.some((client) => client === language);
}

/** Whether the text only works on the database's content: no files, programs or code, and no commands of the client. */
export function isPlainSql(client: Client, text: string): boolean {
  if (client === "sqlite" || client === "duckdb") {
    const [dotted, rest] = cutDotted(text);
    if (!dotted.every((line) => PLAIN_DOT.test(line))) return false;
    return isPlainStatements(client, rest);
  }
  const plain = text.replace(client === "psql" ? PLAIN_META : PLAIN_END, ";");
  return !plain.includes("\\") && !(client === "psql" && text.includes("`")) && isPlainStatements(client, plain);
}

/** `.schema users` and similar commands show something, and take names only. */
const PLAIN_DOT =
  /^\s*\.(?:tables?|schema|mode|headers?|ind\w*|databases|dump|width|nullvalue|stats|timer|show|help|quit|exit|version|dbinfo|fullschema|separator|changes|eqp|explain|lint|columns?|maxrows|rows)(?:\s+[\w%.*,"'+-]+)*\s*;?\s*$/i;
/** `\d users`, `\gx` */
const PLAIN_META =
  /\\(?:(?:d[a-zA-Z]*|l|x|q|z|a|t|timing|conninfo|pset|sf|sv|encoding|h|help|\?)[+S]*(?:[ \t]+[\w.*?"+=,-]+)*[ \t]*(?=\n|;|$|\\)|gx?[ \t]*(?=\n|$))/g;
/** `\G` */
const PLAIN_END = /\\[Gg][ \t]*(?=\n|;|$)/g;

function cutDotted(text: string): readonly [readonly string[], string] {
  const lines = text.split("\n");
  return [lines.filter((line) => /^\s*\./.test(line)), lines.filter((line) => !/^\s*\./.test(line)).join("\n")];
}

const STRING = /'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/g;
const COMMENT = /--[^\n]*|\/\*(?!!)[\s\S]*?\*\//g;
/** A file or place elsewhere: at the start of the text, or after a reader's prefix. */
const ELSEWHERE = /^'?(?:[/~]|\.\.|\w[\w+.-]*:)|\/\.\.\//;

function isPlainStatements(client: Client, text: string): boolean {
  const bare = text
    .replace(STRING, (string) => (ELSEWHERE.test(string) ? "'!'" : "''"))
    .replace(COMMENT, " ")
    .replace(/"[^"]*"|`[^`]*`/g, "q");
  if (/['"`]|\/\*/.test(bare.replace(/'!?'/g, ""))) return false;
  const statements = bare.split(";").map((one) => one.trim().toLowerCase().replace(/\s+/g, " "));
  return statements.every((one) => one === "" || isPlainStatement(client, one));
}

const STATEMENT =
  /^(?:\( ?)*(?:explain (?:analyze |verbose |query plan |\([^)]*\) )*)?(?:(?:select|with|values|table|insert|replace into|update|delete|merge|show|describe|desc|summarize|from|pivot|unpivot|use|begin|start transaction|commit|rollback|savepoint|release|end|abort|analyze|reindex|truncate|drop|comment on|grant|revoke|refresh materialized view|optimize|check|lock tables?|unlock tables|help|status|pragma) ?|create (?:or replace )?(?:(?:temp|temporary|unique|materialized|recursive|global|local|unlogged) )*(?:table|index|view|schema|database|sequence|type|domain|role|user) |alter (?:table|index|view|sequence|type|schema) |vacuum(?! into|.* into )|set (?:session |local )?(?:names|timezone|time zone|time_zone|search_path|statement_timeout|lock_timeout|role|foreign_key_checks|sql_mode|client_min_messages|autocommit|transaction)\b)/;
/** Words that read or write a file of the server, or pass text to a program, wherever they appear. */
const WORDS =
  /\b(?:outfile|dumpfile|infile|program|soname|language|extension|virtual|attach|detach|install|load|tablespace location)\b/;
/** A file instead of a table. */
const FROM_FILE = /\b(?:from|join|into|table|using|update) '!'/;
/** Names before a bracket that call nothing: columns and types. */
const NO_CALL =
  /\b(?:into|table|references|index \w+ on|as|exists|view|type|key|constraint|with|recursive)\s+(?:if not exists )?[\w.]+\s*\(/g;
const CALL = /([a-z_][\w.]*)\s*\(/g;
const READS = /\b(?:read_\w+|\w+_scan|sniff_csv|parquet_\w+)\s*\(\s*(?:\[[^\]]*)?''/;

function isPlainStatement(client: Client, statement: string): boolean {
  if (!STATEMENT.test(statement) || WORDS.test(statement) || FROM_FILE.test(statement)) return false;
  if (/^pragma\b/.test(statement)) return /^pragma [\w.]+(?: ?= ?[\w-]+|\(\w*\))?$/.test(statement);
  return [...statement.replace(NO_CALL, "; (").matchAll(CALL)].every(
    ([, name = ""]) => isKnownCall(name) || (client === "duckdb" && isReadNear(statement, name)),
  );
}

/** DuckDB is made to read data files; those of the workspace have relative names. */
function isReadNear(statement: string, name: string): boolean {
  return (
    /^(?:read_(?:csv|json|parquet|ndjson|xlsx)\w*|parquet_(?:scan|metadata|schema)|sniff_csv)$/.test(name) &&
    READS.test(statement) &&
    !statement.includes("'!'")
  );
}

/** Keywords, types and functions that work on values only. */
const KNOWN_CALLS = `and or not in any all some case when then else values select where having on using over filter within exists between like limit offset union by as is distinct key check default unique primary references interval returning set only lateral row rows array partition window ilike similar if cast try_cast convert
  int integer bigint smallint tinyint decimal numeric real float double char varchar nvarchar text character bit binary varbinary blob timestamp timestamptz datetime date time year enum json jsonb uuid bool boolean serial struct map
  count sum avg min max total median mode stddev\\w* variance var_\\w+ corr percentile_\\w+ quantile\\w* approx_\\w+ bool_and bool_or every any_value first last first_value last_value nth_value row_number rank dense_rank percent_rank cume_dist ntile lag lead grouping group_concat string_agg array_agg listagg list histogram arg_min arg_max
  coalesce nullif ifnull isnull nvl iif greatest least abs round ceil ceiling floor mod power pow sqrt exp ln log\\w* sign trunc truncate random rand pi degrees radians sin cos tan asin acos atan\\w*
  lower upper initcap length char_length character_length octet_length bit_length substr substring left right trim ltrim rtrim btrim lpad rpad replace reverse repeat position strpos instr locate concat concat_ws format printf split_part string_split\\w* regexp_\\w+ translate ascii chr hex unhex quote quote_ident quote_literal soundex md5 sha\\d* digest encode decode starts_with contains suffix prefix overlay to_\\w+ str_to_date str_split\\w* typeof pg_typeof
  now current_\\w+ localtime\\w* date_\\w+ datediff dateadd datepart datetime strftime strptime julianday unixepoch unix_timestamp from_unixtime extract age make_\\w+ justify_\\w+ timezone year month day hour minute second week weekday quarter dayofweek dayofyear last_day time_bucket epoch\\w* timestampdiff timestampadd curdate curtime sysdate utc_\\w+ day_name dayname monthname
  json\\w* jsonb\\w* row_to_json array_\\w+ list_\\w+ unnest generate_series range cardinality element_at struct_\\w+ map_\\w+ hstore
  version sqlite_version last_insert_rowid last_insert_id changes total_changes found_rows row_count database schema user connection_id pg_size_pretty pg_\\w*size pg_get_\\w+ pg_table_is_visible obj_description col_description format_type to_regclass pg_backend_pid pg_is_in_recovery pg_postmaster_start_time has_\\w+_privilege nextval currval lastval gen_random_uuid uuid\\w* pragma_table_info pragma_index_list pragma_index_info pragma_table_list pragma_foreign_key_list pragma_database_list
  to_tsvector to_tsquery plainto_tsquery websearch_to_tsquery ts_rank\\w* ts_headline similarity word_similarity levenshtein match against bm25 highlight snippet`;
/** Few lines need it, so it is built on first use. */
let known: RegExp | null = null;

function isKnownCall(name: string): boolean {
  known ??= new RegExp(`^(?:${KNOWN_CALLS.split(/\s+/).join("|")})$`);
  return known.test(name);
}
