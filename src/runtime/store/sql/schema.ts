import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { RunSql, SqlDriver } from "./sql-driver.ts";

interface Migration {
  /**
   * The lowest version that still writes correctly after this migration. A migration that raises it must also raise all
   * epochs.
   */
  readonly oldestWriter: number;
  readonly statements: readonly string[] | ((driver: SqlDriver) => readonly string[]);
}

/** Forward only: existing entries are never changed, only new ones appended. Added columns need a default. */
const MIGRATIONS: readonly Migration[] = [
  {
    oldestWriter: 1,
    statements: [
      `CREATE TABLE journal (id TEXT PRIMARY KEY, person TEXT NOT NULL, project TEXT NOT NULL, created BIGINT NOT NULL,
        changed BIGINT NOT NULL, epoch BIGINT NOT NULL, seq BIGINT NOT NULL, machine TEXT)`,
      "CREATE INDEX journal_machine ON journal (machine)",
      `CREATE TABLE event (session TEXT NOT NULL, seq BIGINT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
        at BIGINT NOT NULL, body TEXT NOT NULL, apart TEXT, PRIMARY KEY (session, seq))`,
      `CREATE TABLE question (id TEXT PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, asked TEXT NOT NULL,
        created BIGINT NOT NULL, state TEXT NOT NULL, answer TEXT, answered_by TEXT)`,
      "CREATE INDEX question_session ON question (session, state)",
      `CREATE TABLE shelf (name TEXT NOT NULL, person TEXT NOT NULL, project TEXT NOT NULL, key TEXT NOT NULL,
        body TEXT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (name, person, project, key))`,
      "CREATE TABLE part (hash TEXT PRIMARY KEY, body TEXT NOT NULL, at BIGINT NOT NULL)",
      "CREATE TABLE part_use (session TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (session, hash))",
      "CREATE INDEX part_use_hash ON part_use (hash)",
      `CREATE TABLE machine (id TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, place TEXT NOT NULL,
        pid BIGINT NOT NULL, seen BIGINT NOT NULL)`,
      "CREATE TABLE snapshot (session TEXT PRIMARY KEY, seq BIGINT NOT NULL, body TEXT NOT NULL)",
    ],
  },
  {
    oldestWriter: 1,
    statements: [
      "ALTER TABLE shelf ADD COLUMN changed BIGINT NOT NULL DEFAULT 0",
      `CREATE TABLE message (feed TEXT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (feed, seq))`,
      "CREATE INDEX message_at ON message (at)",
    ],
  },
  { oldestWriter: 1, statements: ["ALTER TABLE machine ADD COLUMN has_left BIGINT NOT NULL DEFAULT 0"] },
  {
    oldestWriter: 1,
    statements: [
      `CREATE TABLE log_row (scope TEXT NOT NULL, run TEXT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL,
        kind TEXT NOT NULL, person TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL, line TEXT,
        PRIMARY KEY (scope, run, seq))`,
      "CREATE INDEX log_row_at ON log_row (scope, at)",
      "CREATE INDEX log_row_person ON log_row (scope, person, at)",
      `CREATE TABLE log_body (scope TEXT NOT NULL, run TEXT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL,
        person TEXT NOT NULL, sealed TEXT NOT NULL, PRIMARY KEY (scope, run, seq))`,
      "CREATE INDEX log_body_at ON log_body (scope, at)",
      "CREATE INDEX log_body_person ON log_body (scope, person)",
    ],
  },
  {
    // To find a few sessions or questions costs the same, however many others there are.
    oldestWriter: 1,
    statements: ({ addChangedSpan, bytewise, lockUses }) => [
      ...addChangedSpan,
      "CREATE INDEX journal_changed ON journal (changed_span)",
      "CREATE INDEX journal_project ON journal (project, changed_span)",
      "CREATE INDEX journal_person ON journal (person, changed_span)",
      "CREATE INDEX journal_person_project ON journal (person, project, changed_span)",
      ...(bytewise === "" ? [] : [`CREATE INDEX journal_id ON journal (id${bytewise})`]),
      "CREATE INDEX question_open ON question (created, id) WHERE state = 'open'",
      // From now on a session's parts go with it.
      ...lockUses,
      "DELETE FROM part WHERE NOT EXISTS (SELECT 1 FROM part_use WHERE part_use.hash = part.hash)",
    ],
  },
];

const VERSION = MIGRATIONS.length;

/** Migrates the schema forward, once for all programs (S7). */
export async function migrate(driver: SqlDriver): Promise<void> {
  await driver.transaction(async (run) => {
    for (const statement of driver.lockSchema) await run(statement);
    await run("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)");
    const version = await numberOf(run, "version");
    await requireWritable(run, driver);
    for (const [at, { oldestWriter, statements }] of MIGRATIONS.entries()) {
      if (at < version) continue;
      for (const statement of typeof statements === "function" ? statements(driver) : statements) await run(statement);
      await setNumber(run, "oldest_writer", oldestWriter);
    }
    if (version < VERSION) await setNumber(run, "version", VERSION);
  });
}

/** A newer program may have migrated the schema since this one opened it. */
export async function requireWritable(run: RunSql, { place }: Pick<SqlDriver, "place">): Promise<void> {
  if ((await numberOf(run, "oldest_writer")) <= VERSION) return;
  const text = `the store at ${place} was written by a newer Toolcrib, and this version cannot write to it; update Toolcrib here, or let store.url name another store`;
  throw new ToolcribError("store.too-new", text);
}

async function numberOf(run: RunSql, key: string): Promise<number> {
  const [row] = await run("SELECT value FROM meta WHERE key = ?", [key]);
  return Number(row?.value ?? 0);
}

async function setNumber(run: RunSql, key: string, value: number): Promise<void> {
  const sql = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
  await run(sql, [key, String(value)]);
}
