import { defaultOrigin } from "../../../core/codes/origin.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import type { BackEnd } from "../back-end.ts";
import { openSqlBackEnd } from "../sql/sql-back-end.ts";
import { createSqliteDriver, type Outlives } from "./sqlite-driver.ts";
import { loadSqlite, type OpenSqlite, type SqliteConnection } from "./sqlite-engine.ts";
import { isDamaged, patiently, toTold } from "./sqlite-failures.ts";
import { APPLICATION_ID, clearDamage, type FileState, noteDamage, prepareSqliteFile, putAside } from "./sqlite-file.ts";

export interface SqliteOptions {
  readonly onNotice?: (notice: Notice) => void;
  readonly open?: OpenSqlite;
  /** `power-loss` if absent. */
  readonly outlives?: Outlives;
}

/**
 * How often each file is open in this process. Whatever closes such a file by itself, without SQLite, drops the locks that
 * SQLite holds on it for the whole process; another process that closes it then takes the log away that is in use here.
 */
const openHere = new Map<string, number>();

/**
 * Opens or creates a file. A file of ours that cannot be read is put aside, never overwritten (S7). Damage found later,
 * in use, is reported as an error there, and the next process that opens the file puts it aside.
 */
export function openSqlite(path: string, options: SqliteOptions = {}): Promise<BackEnd> {
  const { open = loadSqlite() } = options;
  return oneAtATime(path, async () => {
    // It was looked at when it was opened first, and must not be looked at again before it is closed.
    const backEnd = openHere.has(path) ? await openAgain(path, open, options) : await openFirst(path, open, options);
    openHere.set(path, (openHere.get(path) ?? 0) + 1);
    let isOpen = true;
    return {
      ...backEnd,
      async close() {
        await backEnd.close();
        const count = openHere.get(path) ?? 0;
        if (isOpen && count > 1) openHere.set(path, count - 1);
        else if (isOpen) openHere.delete(path);
        isOpen = false;
      },
    };
  });
}

async function openAgain(path: string, open: OpenSqlite, options: SqliteOptions): Promise<BackEnd> {
  const backEnd = await openReadable(path, open, options);
  if (backEnd !== "damaged") return backEnd;
  throw new ToolcribError("store.unavailable", `the store at ${path} is damaged; the next start puts it aside`);
}

async function openFirst(path: string, open: OpenSqlite, options: SqliteOptions): Promise<BackEnd> {
  if (await isReadable(path, await prepareSqliteFile(path), open)) {
    const backEnd = await openReadable(path, open, options);
    if (backEnd !== "damaged") return backEnd;
  }
  const aside = await putAside(path, new Date());
  options.onNotice?.({
    level: "warning",
    code: "store.put-aside",
    text: `the store at ${path} could not be read; it was put aside as ${aside}, and a new one was begun`,
    names: [],
    origin: defaultOrigin,
  });
  await isReadable(path, await prepareSqliteFile(path), open);
  const fresh = await openReadable(path, open, options);
  if (fresh === "damaged") throw new Error(`the new store at ${path} is damaged`);
  return fresh;
}

async function openReadable(
  path: string,
  open: OpenSqlite,
  { outlives = "power-loss" }: SqliteOptions,
): Promise<BackEnd | "damaged"> {
  let isDamagedInside = false;
  const driver = createSqliteDriver(open, path, outlives, () => {
    isDamagedInside = true;
    noteDamage(path);
  });
  try {
    return await openSqlBackEnd(driver);
  } catch (error) {
    await driver.close();
    if (isDamagedInside) return "damaged";
    throw error;
  }
}

/** Reads the whole file, which takes long, so it is done only with a reason. */
async function isWhole(connection: SqliteConnection, path: string): Promise<boolean> {
  if (connection.all("PRAGMA integrity_check(1)", [])[0]?.integrity_check !== "ok") return false;
  await clearDamage(path);
  return true;
}

/** A new file gets its mark first, outside the write-ahead log, so that it is recognised from its first page. */
async function isReadable(path: string, found: FileState, open: OpenSqlite): Promise<boolean> {
  try {
    const connection = open(path);
    try {
      if (found.kind === "new") connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      await patiently(() => connection.all("PRAGMA journal_mode = WAL", []));
      connection.all("SELECT count(*) AS tables FROM sqlite_master", []);
      if (found.kind === "new") return true;
      if (found.suspect) return await isWhole(connection, path);
      // Its end may still be in the log, from which SQLite restores it.
      return !found.short || connection.all("PRAGMA quick_check(1)", [])[0]?.quick_check === "ok";
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isDamaged(error)) return false;
    throw toTold(error, path);
  }
}
