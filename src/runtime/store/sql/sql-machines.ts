import type { BackEnd, Busy, IsGone, SilentMachine } from "../back-end.ts";
import { requireWritable } from "./schema.ts";
import type { RunSql, SqlDriver, SqlRow } from "./sql-driver.ts";

/** Milliseconds for which a process that left is remembered, because its sessions can be taken up. */
const REMEMBERED = 86_400_000;

export function createSqlMachines(driver: SqlDriver): Pick<BackEnd, "beat" | "leave" | "machines"> {
  const { now } = driver;
  return {
    beat: (machine) =>
      driver.transaction(async (run) => {
        await requireWritable(run, driver);
        const { id, name, version, place, pid } = machine;
        await run(
          `INSERT INTO machine (id, name, version, place, pid, seen) VALUES (?, ?, ?, ?, ?, ${now})
            ON CONFLICT (id) DO UPDATE SET seen = ${now}, has_left = 0`,
          [id, name, version, place, pid],
        );
        const rows = await run("SELECT id FROM journal WHERE machine = ?", [id]);
        return new Set(rows.map((row) => String(row.id)));
      }),
    leave: (id) =>
      driver.transaction(async (run) => {
        await run(`UPDATE machine SET seen = ${now}, has_left = 1 WHERE id = ?`, [id]);
        await run(`DELETE FROM machine WHERE has_left = 1 AND seen <= ${now} - ?`, [REMEMBERED]);
      }),
    machines: async () => (await driver.read(`${selectMachine(now)} ORDER BY name, id`)).map(toMachine),
  };
}

/** The living process that holds a journal; null if it can be taken. */
export async function findHolder(run: RunSql, now: string, machine: unknown, isGone: IsGone): Promise<Busy | null> {
  if (typeof machine !== "string") return null;
  const [row] = await run(`${selectMachine(now)} WHERE id = ?`, [machine]);
  if (row === undefined) return null;
  const busy = toMachine(row);
  return isGone(busy) ? null : { busy };
}

function selectMachine(now: string): string {
  return `SELECT id, name, version, place, pid, has_left, ${now} - seen AS silent FROM machine`;
}

function toMachine({ id, name, version, place, pid, has_left, silent }: SqlRow): SilentMachine {
  const texts = { id: String(id), name: String(name), version: String(version), place: String(place) };
  return { ...texts, pid: Number(pid), hasLeft: Number(has_left) === 1, silent: Number(silent) };
}
