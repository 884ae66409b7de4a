import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";

/**
 * The person's own folder, as an absolute path. What lies there counts without trust, so a HOME that is empty or relative
 * is none: it would make any folder somebody works in their own.
 */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env.HOME !== undefined && isAbsolute(env.HOME)) return env.HOME;
  const home = known(env.HOME === undefined ? homedir : () => userInfo().homedir);
  if (isAbsolute(home)) return home;
  throw new ToolcribError("config.not-found", "there is no home folder; set HOME to an absolute path", {
    names: ["HOME"],
  });
}

/** Both throw where the system knows nothing about the account, as in some containers. */
function known(ask: () => string): string {
  try {
    return ask();
  } catch {
    return "";
  }
}
