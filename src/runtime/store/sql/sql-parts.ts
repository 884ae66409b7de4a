import type { BackEnd } from "../back-end.ts";
import { placesFor, type RunSql, type SqlDriver } from "./sql-driver.ts";

/** Values that one statement takes, at most. */
const AT_ONCE = 500;

export function createSqlParts(driver: SqlDriver): Pick<BackEnd, "keep" | "parts"> {
  return {
    /** The use is recorded first: a concurrent deletion waits for it, or this waits and stores the part again. */
    keep: (sessionId, parts) =>
      driver.transaction(async (run) => {
        for (const [hash, text] of parts) {
          await run("INSERT INTO part_use (session, hash) VALUES (?, ?) ON CONFLICT (session, hash) DO NOTHING", [
            sessionId,
            hash,
          ]);
          const sql = `INSERT INTO part (hash, body, at) VALUES (?, ?, ${driver.now}) ON CONFLICT (hash) DO NOTHING`;
          await run(sql, [hash, text]);
        }
      }),
    async parts(hashes) {
      const unique = [...new Set(hashes)];
      const found = new Map<string, string>();
      for (let at = 0; at < unique.length; at += AT_ONCE) {
        const some = unique.slice(at, at + AT_ONCE);
        const sql = `SELECT hash, body FROM part WHERE hash IN (${placesFor(some)})`;
        for (const { hash, body } of await driver.read(sql, some)) found.set(String(hash), String(body));
      }
      return found;
    },
  };
}

/** Deletes the parts that only this session uses. */
export async function dropParts({ lockUses }: SqlDriver, run: RunSql, sessionId: string): Promise<void> {
  const uses = await run("SELECT hash FROM part_use WHERE session = ? LIMIT 1", [sessionId]);
  if (uses.length === 0) return;
  for (const statement of lockUses) await run(statement);
  await run(
    `DELETE FROM part WHERE hash IN (SELECT hash FROM part_use WHERE session = ?)
      AND NOT EXISTS (SELECT 1 FROM part_use WHERE part_use.hash = part.hash AND part_use.session <> ?)`,
    [sessionId, sessionId],
  );
}
