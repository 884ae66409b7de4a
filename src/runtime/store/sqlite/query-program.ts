/** The input of the process that runs queries, as one JSON document. */
export interface QueryWork {
  /** File of the database, in a folder of its own. */
  readonly file: string;
  /** Where the engine is loaded from. */
  readonly engines: readonly string[];
  /** Run before the statements if the file is new. */
  readonly schema: string;
  readonly statements: readonly string[];
  readonly limits: {
    readonly pages: number;
    readonly heap: number;
    /** Memory limit of the whole process in bytes, for engines that have no limit of their own. */
    readonly memory: number;
    readonly rows: number;
    readonly characters: number;
  };
}

/**
 * Runs queries in a separate process that can be killed in the middle of one, because the engine is synchronous and
 * blocks. It is passed as text, so it uses nothing from outside itself.
 */
export function queryProgram(): void {
  const load = (name: string) => process.getBuiltinModule("node:module").createRequire(name);
  const { readFileSync, statSync, writeSync } = process.getBuiltinModule("node:fs");
  const work: QueryWork = JSON.parse(readFileSync(0, "utf8"));
  const { limits } = work;
  // biome-ignore lint/suspicious/noExplicitAny: two engines with one interface, neither of which has types here.
  let database: any = null;
  try {
    process.removeAllListeners("warning");
    const sqlite = load(`${process.cwd()}/`)("node:sqlite");
    database = new sqlite.DatabaseSync(work.file);
  } catch {
    for (const engine of work.engines) {
      try {
        const Libsql = load(engine)("libsql");
        database ??= new Libsql(work.file);
      } catch {
        // The next location may have it.
      }
    }
  }
  // The engine blocks this thread, so another one watches it.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const guard = `setInterval(() => process.memoryUsage.rss() > ${limits.memory} && process.kill(process.pid, "SIGKILL"), 5)`;
  new Worker(guard, { eval: true }).unref();
  const answer = (value: object): void => void writeSync(1, JSON.stringify(value));
  if (database === null) {
    answer({
      failed: "this Node has no SQLite: use Node 22.13 or newer, or install the package libsql beside toolcrib",
    });
    return;
  }
  const ask = (text: string) => database.prepare(text).all();
  try {
    if (statSync(work.file).size === 0) ask("PRAGMA page_size = 512");
    for (const [name, value] of [
      ["journal_mode", "MEMORY"],
      ["temp_store", "MEMORY"],
      ["max_page_count", limits.pages],
      ["hard_heap_limit", limits.heap],
      ["trusted_schema", "OFF"],
      ["cell_size_check", "ON"],
    ])
      ask(`PRAGMA ${name} = ${value}`);
    if (statSync(work.file).size === 0) database.exec(work.schema);
    database.exec("BEGIN");
    let left = limits.characters;
    const outcomes = work.statements.map((text) => {
      const statement = database.prepare(text);
      const columns: string[] = (statement.columns?.() ?? []).map((column: { name: string }) => column.name);
      if (columns.length === 0) {
        const { changes, lastInsertRowid } = statement.run();
        return { columns, rows: [], more: false, changes: Number(changes), lastId: Number(lastInsertRowid) };
      }
      const rows: unknown[][] = [];
      let more = false;
      for (const row of statement.iterate()) {
        const values = Object.values(row).map((value) =>
          typeof value === "bigint" ? String(value) : value instanceof Uint8Array ? `(${value.length} bytes)` : value,
        );
        left -= JSON.stringify(values).length;
        more = rows.length >= limits.rows || left < 0;
        if (more) break;
        rows.push(values);
      }
      return { columns, rows, more, changes: 0, lastId: 0 };
    });
    database.exec("COMMIT");
    database.close();
    answer({ outcomes });
  } catch (error) {
    answer({ failed: error instanceof Error ? error.message : String(error) });
  }
}
