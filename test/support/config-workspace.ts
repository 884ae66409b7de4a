import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ConfigInput, loadConfig } from "../../src/config/load-config.ts";
import { makeTempFolder } from "./temp-folder.ts";

/** A machine of its own in a temporary folder: a home, a repository to work in, and a place for managed policy. */
export function createWorkspace(files: Readonly<Record<string, string>> = {}) {
  const root = makeTempFolder();
  const home = join(root, "home");
  const cwd = join(home, "work");
  const policy = join(root, "etc", "policy.yaml");
  const user = join(home, ".config", "toolcrib", "config.yaml");
  const write = (path: string, text: string) => {
    const absolute = path === "policy" ? policy : path === "user" ? user : join(cwd, path);
    mkdirSync(dirname(absolute), { recursive: true });
    // Cutting a file short lets some file systems wait for the disk, for forty times as long.
    rmSync(absolute, { force: true });
    writeFileSync(absolute, text);
  };
  mkdirSync(join(cwd, ".git"), { recursive: true });
  for (const [path, text] of Object.entries(files)) write(path, text);
  const input = (flags: ConfigInput["flags"] = {}, env: ConfigInput["env"] = {}): ConfigInput => ({
    cwd,
    home,
    env,
    flags,
    systemPolicy: policy,
  });
  return {
    root,
    home,
    cwd,
    policy,
    write,
    input,
    load: (flags?: ConfigInput["flags"], env?: ConfigInput["env"]) => loadConfig(input(flags, env)),
  };
}
