import type { SqliteOptions } from "../../src/runtime/store/sqlite/open-sqlite.ts";
import { loadSqlite } from "../../src/runtime/store/sqlite/sqlite-engine.ts";

/** A disk for SQLite with room for so many pages, which can be changed while it is used. */
export function smallDisk(pages: number): {
  readonly open: NonNullable<SqliteOptions["open"]>;
  resize(pages: number): void;
} {
  let room = pages;
  const own = loadSqlite();
  return {
    open: (file) => {
      const connection = own(file);
      const limit = (): void => void connection.all(`PRAGMA max_page_count = ${room}`, []);
      return {
        ...connection,
        all(sql, values) {
          limit();
          return connection.all(sql, values);
        },
        change(sql, values) {
          limit();
          return connection.change(sql, values);
        },
      };
    },
    resize(next) {
      room = next;
    },
  };
}
