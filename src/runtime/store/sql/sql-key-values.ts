import type { BackEnd } from "../back-end.ts";
import type { KeyValuesPlace } from "../store.ts";
import type { SqlDriver } from "./sql-driver.ts";

export function createSqlKeyValues(driver: SqlDriver): Pick<BackEnd, "keyValueRows" | "put"> {
  const { now } = driver;
  return {
    async keyValueRows(place, key) {
      const where = key === null ? "" : " AND key = ?";
      const sql = `SELECT key, body, version FROM shelf WHERE name = ? AND person = ? AND project = ?${where} ORDER BY key`;
      const rows = await driver.read(sql, [...valuesOf(place), ...(key === null ? [] : [key])]);
      return rows.map((row) => ({ key: String(row.key), text: String(row.body), version: Number(row.version) }));
    },
    put: (place, { key, text, version }) =>
      driver.transaction(async (run) => {
        const where = "name = ? AND person = ? AND project = ? AND key = ? AND version = ?";
        const own = [...valuesOf(place), key];
        if (version === null) {
          const sql = `INSERT INTO shelf (name, person, project, key, body, version, changed) VALUES (?, ?, ?, ?, ?, 1, ${now})
            ON CONFLICT (name, person, project, key) DO NOTHING RETURNING key`;
          return (await run(sql, [...own, text ?? "null"])).length > 0;
        }
        if (text === null)
          return (await run(`DELETE FROM shelf WHERE ${where} RETURNING key`, [...own, version])).length > 0;
        const sql = `UPDATE shelf SET body = ?, version = version + 1, changed = ${now} WHERE ${where} RETURNING key`;
        return (await run(sql, [text, ...own, version])).length > 0;
      }),
  };
}

function valuesOf({ name, person, project }: KeyValuesPlace): readonly string[] {
  return [name, person, project];
}
