import { buildChildEnv } from "../../../system/process/child-env.ts";
import { findProgram } from "../../../system/process/find-program.ts";
import { spawnProcess } from "../../../system/process/spawn-process.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What a browser needs to find the person's screen and the one that runs already. */
const SCREEN = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "BROWSER"];

/**
 * Opens an address in the person's browser, if there is one to be seen; answers whether that was started. The address
 * goes to a program as one argument: it begins with http, and no shell of ours looks at it.
 */
export async function openBrowser(url: URL, env: Env, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  const launcher = isWeb ? findLauncher(env, platform) : null;
  if (launcher === null) return false;
  const extra = SCREEN.flatMap((name): [string, string][] => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  });
  try {
    const started = await spawnProcess({
      argv: [...launcher, toPlain(url)],
      cwd: "/",
      env: buildChildEnv(env, Object.fromEntries(extra)),
      onStdout: () => {},
      onStderr: () => {},
      // The browser is theirs, and stays when this command ends.
      leftovers: "free",
    });
    const { code } = await started.exited;
    return code === 0;
  } catch {
    return false;
  }
}

/** Launchers of desktops are scripts, some of which have been careless: nothing that a shell would read is left in. */
function toPlain({ href }: URL): string {
  return href.replace(/[^A-Za-z0-9\-._~:/?#[\]&=+%]/g, (mark) =>
    encodeURIComponent(mark).replace(/[!'()*]/g, escapeMark),
  );
}

function escapeMark(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

function findLauncher(env: Env, platform: NodeJS.Platform): readonly string[] | null {
  const find = (name: string) => findProgram(name, env.PATH ?? "");
  if (platform === "darwin") return ["/usr/bin/open"];
  if (platform !== "linux") return null;
  // Without a screen it would open a browser inside this terminal, if any.
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return null;
  const opener = find("xdg-open");
  const setsid = find("setsid");
  // In a session of its own a browser that was not running yet outlives this command.
  return opener === null ? null : setsid === null ? [opener] : [setsid, "--fork", opener];
}
