import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";

/**
 * The person's own folder, as an absolute path. Its content counts without trust, so an empty or relative HOME is
 * ignored: it would make any working folder the person's own.
 */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env.HOME !== undefined && isAbsolute(env.HOME)) return env.HOME;
  const home = known(env.HOME === undefined ? homedir : () => userInfo().homedir);
  if (isAbsolute(home)) return home;
  throw new ToolcribError("config.not-found", "there is no home folder; set HOME to an absolute path", {
    names: ["HOME"],
  });
}

/** Both throw if the system knows nothing about the account, as in some containers. */
function known(ask: () => string): string {
  try {
    return ask();
  } catch {
    return "";
  }
}
