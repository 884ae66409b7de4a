import { defaultOrigin } from "../../../core/codes/origin.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import type { BackEnd } from "../back-end.ts";
import { openSqlBackEnd } from "../sql/sql-back-end.ts";
import { createSqliteDriver, isDamaged, type Outlives, patiently, toTold } from "./sqlite-driver.ts";
import { loadSqlite, type OpenSqlite } from "./sqlite-engine.ts";
import { APPLICATION_ID, type FileState, prepareSqliteFile, putAside } from "./sqlite-file.ts";

export interface SqliteOptions {
  readonly onNotice?: (notice: Notice) => void;
  readonly open?: OpenSqlite;
  /** `power-loss` if absent. */
  readonly outlives?: Outlives;
}

/** Opens a file, or makes one. One of ours that cannot be read is put aside, never overwritten (S7). */
export function openSqlite(path: string, options: SqliteOptions = {}): Promise<BackEnd> {
  const { onNotice, open = loadSqlite(), outlives = "power-loss" } = options;
  return oneAtATime(path, async () => {
    const found = await prepareSqliteFile(path);
    if (!(await isReadable(path, found, open))) {
      const aside = await putAside(path, new Date());
      onNotice?.({
        level: "warning",
        code: "store.put-aside",
        text: `the store at ${path} could not be read; it was put aside as ${aside}, and a new one was begun`,
        names: [],
        origin: defaultOrigin,
      });
      await isReadable(path, await prepareSqliteFile(path), open);
    }
    const driver = createSqliteDriver(open, path, outlives);
    try {
      return await openSqlBackEnd(driver);
    } catch (error) {
      await driver.close();
      throw error;
    }
  });
}

/** A new file gets its mark before anything else, outside the write-ahead log, so that it is known from its first page. */
async function isReadable(path: string, found: FileState, open: OpenSqlite): Promise<boolean> {
  try {
    const connection = open(path);
    try {
      if (found.kind === "new") connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      await patiently(() => connection.all("PRAGMA journal_mode = WAL", []));
      connection.all("SELECT count(*) AS tables FROM sqlite_master", []);
      if (found.kind === "new" || !found.short) return true;
      // Its end may still be in the log, from which SQLite mends it.
      const [row] = connection.all("PRAGMA quick_check(1)", []);
      return row?.quick_check === "ok";
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isDamaged(error)) return false;
    throw toTold(error, path);
  }
}
